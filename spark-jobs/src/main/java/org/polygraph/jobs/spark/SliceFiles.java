package org.polygraph.jobs.spark;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.zip.CRC32C;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.BudgetException;

/**
 * Scratch files with rows from the driver for the tasks, by slice of keys: a file for each slice that has rows, which
 * begins with the number of the slice and the number of its keys, both int. All files are written at the same time, so
 * that one pass over the history deals the rows out without a shuffle. Closing deletes the files.
 *
 * <p>While files are written: 16 KiB of heap for each slice, and the memory of the file system for an open file.
 */
final class SliceFiles implements Closeable {
    private static final int BUFFER_BYTES = 16 << 10;
    /** A task holds a slice as one array. */
    private static final long MOST_BYTES = Integer.MAX_VALUE - 64;

    private final ScratchFolder folder;
    private final IntUnaryOperator keys;
    private final int rowBytes;
    private final @Nullable Slice[] slices;
    private final SliceSums sums;

    /**
     * Writes no file yet.
     *
     * @param parent a folder that the driver and all tasks see; it is made if it does not exist
     * @param keys the number of keys of each slice
     */
    SliceFiles(Path parent, Configuration configuration, int slices, IntUnaryOperator keys, int rowBytes)
            throws IOException {
        this.folder = new ScratchFolder(parent, configuration);
        this.keys = keys;
        this.rowBytes = rowBytes;
        this.slices = new @Nullable Slice[slices];
        this.sums = new SliceSums(slices);
    }

    /** Gives rows to slices. */
    @FunctionalInterface
    interface Dealing {
        void deal() throws IOException;
    }

    /**
     * Writes all files.
     *
     * @param dealing puts rows into {@link #row}
     */
    void write(Dealing dealing) throws IOException {
        try {
            dealing.deal();
            for (int s = 0; s < slices.length; s++) {
                Slice slice = slices[s];
                if (slice != null) {
                    slice.end();
                    sums.wrote(s, slice.bytes, slice.sum);
                }
            }
        } catch (FSError e) {
            throw ScratchFolder.io(e);
        }
    }

    /** Provides space for the next row of a slice. */
    ByteBuffer row(int slice) throws IOException {
        Slice to = slices[slice];
        if (to == null) {
            to = new Slice(folder.fileSystem().create(SliceSums.file(folder.path(), slice)));
            to.room(2 * Integer.BYTES).putInt(slice).putInt(keys.applyAsInt(slice));
            slices[slice] = to;
        }
        if (to.bytes + rowBytes > MOST_BYTES) {
            throw new BudgetException("a slice of keys has more than " + MOST_BYTES / rowBytes
                    + " operations, which no task can hold; give --engine embedded");
        }
        return to.room(rowBytes);
    }

    /** The results of the tasks on the files, a row each. */
    List<byte[]> map(SparkSession spark, SliceTask task) throws IOException {
        return sums.contents(spark, folder.path())
                .mapPartitions(task, Encoders.BINARY())
                .collectAsList();
    }

    @Override
    public void close() {
        for (Slice slice : slices) {
            if (slice != null) {
                slice.abandon();
            }
        }
        folder.close();
    }

    private static final class Slice {
        private final OutputStream out;
        private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        private final CRC32C sum = new CRC32C();
        private long bytes;
        private boolean ended;

        Slice(FSDataOutputStream out) {
            this.out = out;
        }

        ByteBuffer room(int more) throws IOException {
            if (buffer.remaining() < more) {
                flush();
            }
            bytes += more;
            return buffer;
        }

        private void flush() throws IOException {
            sum.update(buffer.array(), 0, buffer.position());
            out.write(buffer.array(), 0, buffer.position());
            buffer.clear();
        }

        void end() throws IOException {
            flush();
            ended = true;
            out.close();
        }

        void abandon() {
            try {
                if (!ended) {
                    out.close();
                }
            } catch (IOException | FSError e) {
                // The reason why writing ended is thrown already; the folder is deleted next.
            }
        }
    }
}
