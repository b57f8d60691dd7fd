package org.polygraph.jobs.watch;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Standard input. It is read when bytes are there, so that its producer waits if checks do not follow. */
final class WatchedStream extends Source {
    static final String NAME = "-";

    private final InputStream in;
    private final Thread reader;
    private final byte[] chunk = new byte[1 << 16];
    /** The bytes of the chunk; -1 at the end of the stream; 0 while the reader waits for bytes. */
    private int filled;

    private @Nullable IOException failure;

    WatchedStream(InputStream in) {
        super(NAME, Place.startOf(""));
        this.in = in;
        this.reader = new Thread(this::fill, "standard input");
        reader.setDaemon(true);
        reader.start();
    }

    private void fill() {
        int count = 0;
        while (count >= 0) {
            try {
                count = in.read(chunk);
            } catch (IOException e) {
                failure = e;
                count = -1;
            }
            synchronized (this) {
                filled = count;
                notifyAll();
                while (filled > 0) {
                    try {
                        wait();
                    } catch (InterruptedException e) {
                        return;
                    }
                }
            }
        }
    }

    @Override
    synchronized int bytes(ByteBuffer into) throws IOException {
        if (failure != null) {
            throw failure;
        }
        int count = filled;
        if (count > 0) {
            into.put(chunk, 0, count);
            filled = 0;
            notifyAll();
        }
        return count;
    }

    @Override
    long arrivedMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public void close() {
        reader.interrupt();
    }
}
