package org.polygraph.storage.artifact;

import java.io.IOException;
import java.io.InputStream;

/** A stream of bytes. If it is {@link #seekable}, it can be read from any position. Not thread-safe. */
public abstract class SeekableInput extends InputStream {
    private final byte[] one = new byte[1];

    /** Whether {@link #seek} works; not for a pipe. */
    public abstract boolean seekable();

    /** Continues at an absolute position. */
    public abstract void seek(long position) throws IOException;

    @Override
    public abstract int read(byte[] bytes, int offset, int length) throws IOException;

    @Override
    public int read() throws IOException {
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }
}
