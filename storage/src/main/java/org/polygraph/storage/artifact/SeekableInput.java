package org.polygraph.storage.artifact;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** A stream of bytes. If it is {@link #seekable}, it can be read from any position. Not thread-safe. */
public final class SeekableInput extends InputStream {
    /** Continues at an absolute position. */
    interface Seek {
        void to(long position) throws IOException;
    }

    private final InputStream in;
    private final @Nullable Seek seek;
    private final byte[] one = new byte[1];

    /** @param seek null if the stream is read in order only */
    SeekableInput(InputStream in, @Nullable Seek seek) {
        this.in = in;
        this.seek = seek;
    }

    /** Whether {@link #seek} works; not for a pipe. */
    public boolean seekable() {
        return seek != null;
    }

    /** Continues at an absolute position. */
    public void seek(long position) throws IOException {
        if (seek == null) {
            throw new IOException("a pipe is read in order only");
        }
        seek.to(position);
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        return in.read(bytes, offset, length);
    }

    @Override
    public int read() throws IOException {
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public void close() throws IOException {
        if (in != System.in) {
            in.close();
        }
    }
}
