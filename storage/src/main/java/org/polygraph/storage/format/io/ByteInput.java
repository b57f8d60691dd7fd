package org.polygraph.storage.format.io;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.SourceFiles;
import org.polygraph.storage.table.SourceFiles.Unit;

/**
 * Reads the bytes of a binary format with a buffer, and counts the offset for messages. If the file ends too early, the
 * error has its place.
 */
public final class ByteInput {
    private final String name;
    private final InputStream in;
    /** The size in bytes, or {@link Long#MAX_VALUE} if it is unknown because of compression or a pipe. */
    private final long size;

    private final byte[] buffer = new byte[1 << 16];
    private final ByteBuffer numbers = ByteBuffer.wrap(buffer);
    private int position;
    private int limit;
    private long base;

    /** @param size of the file, or {@link Long#MAX_VALUE} */
    public ByteInput(String name, InputStream in, long size) {
        this.name = name;
        this.in = in;
        this.size = size;
    }

    /** Returns the offset of the next byte. */
    public long offset() {
        return base + position;
    }

    /** Returns an upper bound on the number of bytes that are left; {@link Long#MAX_VALUE} if it is unknown. */
    public long remaining() {
        return size == Long.MAX_VALUE ? size : Math.max(0, size - offset());
    }

    /** Reads the next byte, or -1 at the end. */
    public int read() throws IOException {
        return position < limit || fill() ? buffer[position++] & 0xFF : -1;
    }

    /** @param what the name of the field, for the message if the file ends */
    public int unsignedByte(String what) throws IOException, HistoryException {
        int b = read();
        if (b < 0) {
            throw truncated(what);
        }
        return b;
    }

    public long littleEndian(String what) throws IOException, HistoryException {
        return Long.reverseBytes(bigEndian(what));
    }

    public long bigEndian(String what) throws IOException, HistoryException {
        long value = 0;
        if (limit - position >= Long.BYTES) {
            position += Long.BYTES;
            return numbers.getLong(position - Long.BYTES);
        }
        for (int i = 0; i < Long.BYTES; i++) {
            value = value << 8 | unsignedByte(what);
        }
        return value;
    }

    public void skip(long count, String what) throws IOException, HistoryException {
        long left = count;
        while (left > 0) {
            if (position == limit && !fill()) {
                throw truncated(what);
            }
            int step = (int) Math.min(left, limit - position);
            position += step;
            left -= step;
        }
    }

    private boolean fill() throws IOException {
        base += limit;
        position = 0;
        limit = 0;
        int n = in.read(buffer, 0, buffer.length);
        limit = Math.max(0, n);
        return n > 0;
    }

    /** Returns {@code file:byte N}. */
    public String at(long offset) {
        return SourceFiles.describe(name, Unit.BYTE, offset);
    }

    private HistoryException truncated(String what) {
        return new HistoryException(at(offset()), "the end of the file", what, "the file is cut off: copy it again");
    }
}
