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
 * Scratch files through which tasks get an index that the driver has: a file for each slice of keys. The driver makes
 * and writes one slice after another, so that it holds only one beside the index. Closing deletes the files.
 */
final class IndexFiles implements Closeable {
    private final ScratchFolder folder;
    private SliceSums sums = new SliceSums(0);

    /**
     * Writes no file yet.
     *
     * @param parent a folder that the driver and all tasks see; it is made if it does not exist
     */
    IndexFiles(Path parent, Configuration configuration) throws IOException {
        this.folder = new ScratchFolder(parent, configuration);
    }

    /** Writes all slices. */
    void write(KeySlices slices, VersionIndex versions, BooleanSupplier stop) throws IOException {
        write(slices, IntStream.range(0, slices.slices()).toArray(), versions, stop);
    }

    /**
     * Writes some slices, once. Files are numbered consecutively, so that every checksum that tasks receive is that of
     * a file.
     *
     * @param stop whether the budget has ended; once it is true no further slice is written, and {@link Jobs} runs no
     *     job on them
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
            throw ScratchFolder.io(e);
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
