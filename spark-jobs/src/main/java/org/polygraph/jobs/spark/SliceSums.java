package org.polygraph.jobs.spark;

import java.io.IOException;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Iterator;
import java.util.zip.CRC32C;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.DataFrameReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * The length and CRC-32C of each file that the driver wrote to a scratch folder, by slice of keys. Tasks receive them
 * with their work and fail if a file differs, even if the file system did not notice. 16 bytes a slice.
 */
final class SliceSums implements Serializable {
    private static final long serialVersionUID = 1L;

    private static final String NAME = "slice-";
    private static final long ABSENT = -1;

    private final long[] bytes;
    private final int[] sums;

    /** Starts without files. */
    SliceSums(int slices) {
        bytes = new long[slices];
        Arrays.fill(bytes, ABSENT);
        sums = new int[slices];
    }

    /** The path of the file of a slice. */
    static Path file(Path folder, int slice) {
        return new Path(folder, NAME + slice);
    }

    /** Records the length and checksum of a written file. */
    void wrote(int slice, long length, CRC32C sum) {
        bytes[slice] = length;
        sums[slice] = (int) sum.getValue();
    }

    /**
     * Returns the content of the files, a row each, in any order.
     *
     * @throws IOException if there are fewer files than were written; a task throws one too if the content of a file
     *     differs
     */
    Dataset<byte[]> contents(SparkSession spark, Path folder) throws IOException {
        DataFrameReader reader = spark.read()
                .format("binaryFile")
                .option("ignoreMissingFiles", false)
                .option("ignoreCorruptFiles", false);
        Dataset<Row> files = ScratchFolder.load(reader, folder, "path", "content");
        long written = Arrays.stream(bytes).filter(each -> each != ABSENT).count();
        int found = files.inputFiles().length;
        if (found != written) {
            throw new IOException(folder + ": found " + found + " files of slices, expected the " + written
                    + " that were written; something else removes files there");
        }
        return files.mapPartitions(new Checking(this), Encoders.BINARY());
    }

    private byte[] checked(String path, byte[] content) throws IOException {
        int slice = Integer.parseInt(path.substring(path.lastIndexOf('-') + 1));
        CRC32C sum = new CRC32C();
        sum.update(content);
        if (content.length != bytes[slice] || (int) sum.getValue() != sums[slice]) {
            throw new IOException(path + ": found " + content.length + " bytes"
                    + (content.length == bytes[slice] ? " with another checksum" : "") + ", expected the "
                    + bytes[slice] + " that were written; it was damaged");
        }
        return content;
    }

    /** Passes on the content of a file after checking it. */
    private record Checking(SliceSums written) implements MapPartitionsFunction<Row, byte[]> {
        @Override
        public Iterator<byte[]> call(Iterator<Row> files) {
            return new Iterator<>() {
                @Override
                public boolean hasNext() {
                    return files.hasNext();
                }

                @Override
                public byte[] next() {
                    Row file = files.next();
                    try {
                        return written.checked(file.getString(0), file.getAs(1));
                    } catch (IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                }
            };
        }
    }
}
