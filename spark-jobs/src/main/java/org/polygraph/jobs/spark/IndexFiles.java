package org.polygraph.jobs.spark;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SparkSession;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.partitioner.sliced.IndexSlice;
import org.polygraph.partitioner.sliced.KeySlices;

/**
 * An index that the driver has, on its way to the tasks: a file a slice of keys, made and written one after another, so that
 * the driver holds one beside the index. Closing deletes them.
 */
final class IndexFiles implements Closeable {
    private final StageFolder folder;
    private SliceSums sums = new SliceSums(0);

    /**
     * No file yet.
     *
     * @param parent a folder that the driver and all tasks see; made if it is not there
     */
    IndexFiles(Path parent, Configuration configuration) throws IOException {
        this.folder = new StageFolder(parent, configuration);
    }

    /** Writes all slices. */
    void write(KeySlices slices, VersionIndex versions, BooleanSupplier stop) throws IOException {
        write(slices, IntStream.range(0, slices.slices()).toArray(), versions, stop);
    }

    /**
     * Writes some slices, once; files are numbered as they come, so that tasks get no sum of a slice that is not there.
     *
     * @param stop asked before each; once it says so, no more are written: {@link Jobs} runs nothing of them then
     */
    void write(KeySlices slices, int[] chosen, VersionIndex versions, BooleanSupplier stop) throws IOException {
        sums = new SliceSums(chosen.length);
        try {
            for (int i = 0; i < chosen.length && !stop.getAsBoolean(); i++) {
                byte[] slice = IndexSlice.of(slices, chosen[i], versions).toBytes();
                try (OutputStream out = folder.fileSystem().create(SliceSums.file(folder.path(), i))) {
                    out.write(slice);
                }
                CRC32C sum = new CRC32C();
                sum.update(slice);
                sums.wrote(i, slice.length, sum);
            }
        } catch (FSError e) {
            throw StageFolder.io(e);
        }
    }

    /** {@link IndexSlice#toBytes} of each, in any order. */
    Dataset<byte[]> rows(SparkSession spark) throws IOException {
        return sums.contents(spark, folder.path());
    }

    @Override
    public void close() {
        folder.close();
    }
}
