package org.polygraph.jobs.job;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.KeyReplay;
import org.polygraph.jobs.certificate.SlicedReplay;
import org.polygraph.storage.model.BudgetException;

/**
 * Raw operations on their way from the driver to the tasks that replay them: a file for each slice of keys that has any, as
 * {@link KeyReplay} reads it. All are written at the same time, so that one pass over the history deals them out and nothing
 * is shuffled. Closing deletes them.
 *
 * <p>{@value KeyReplay#ROW_BYTES} bytes an operation on disk; 16 KiB of heap a slice while they are written, and what the
 * file system takes for an open file.
 */
final class SliceFiles implements Closeable, SlicedReplay.Sink {
    private static final int BUFFER_BYTES = 16 << 10;
    /** A task holds a slice as one array. */
    private static final long MOST_BYTES = Integer.MAX_VALUE - 64;

    private final StageFolder folder;
    private final SlicedReplay replay;
    private final @Nullable Slice[] slices;

    /** @param parent a folder that the driver and all tasks see; made if it is not there */
    SliceFiles(Path parent, Configuration configuration, SlicedReplay replay, int slices) throws IOException {
        this.folder = new StageFolder(parent, configuration);
        this.replay = replay;
        this.slices = new @Nullable Slice[slices];
    }

    /** For Spark to read. */
    String folder() {
        return folder.path().toString();
    }

    /** Deals all operations. */
    void write() throws IOException {
        try {
            replay.deal(this);
            for (Slice slice : slices) {
                if (slice != null) {
                    slice.end();
                }
            }
        } catch (FSError e) {
            throw StageFolder.io(e);
        }
    }

    @Override
    public void row(int slice, int keyAndKind, long value, int operation, int snapshot, int commit) throws IOException {
        Slice to = slices[slice];
        if (to == null) {
            to = new Slice(folder.fileSystem().create(new Path(folder.path(), "slice-" + slice)));
            to.room(2 * Integer.BYTES).putInt(slice).putInt(replay.keys(slice));
            slices[slice] = to;
        }
        to.room(KeyReplay.ROW_BYTES)
                .putInt(keyAndKind)
                .putLong(value)
                .putInt(operation)
                .putInt(snapshot)
                .putInt(commit);
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
            if (bytes > MOST_BYTES) {
                throw new BudgetException("a slice of keys has more than " + MOST_BYTES / KeyReplay.ROW_BYTES
                        + " operations, which no task can hold; verify with --engine embedded");
            }
            return buffer;
        }

        private void flush() throws IOException {
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
                // Why writing ended is known; the folder is deleted next.
            }
        }
    }
}
