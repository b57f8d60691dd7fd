package org.polygraph.storage.format.pieces;

import java.io.IOException;
import java.io.InputStream;
import org.polygraph.storage.artifact.SeekableInput;
import org.polygraph.storage.format.io.ReadContext;

/** Reads the lines of a text that begin within a range of bytes, each to its end. */
final class LineRange extends InputStream {
    private static final int BUFFER_BYTES = 1 << 13;

    private final InputStream in;
    private long position;
    private final long to;
    private boolean ended;
    private final byte[] one = new byte[1];

    /**
     * @param in at the beginning of a line
     * @param position the offset of that line in the text
     * @param to the offset after the last byte at which a line may begin
     */
    LineRange(InputStream in, long position, long to) {
        this.in = in;
        this.position = position;
        this.to = to;
        this.ended = position >= to;
    }

    /**
     * Returns the lines of a range of a file.
     *
     * @param from above 0
     */
    static LineRange within(SeekableInput file, ReadContext context, String name, long from, long to)
            throws IOException {
        // A line begins at {@code from} if the byte before it is a newline.
        long at = from - 1;
        file.seek(at);
        byte[] buffer = new byte[BUFFER_BYTES];
        while (at < to) {
            context.check(name);
            int n = file.read(buffer, 0, buffer.length);
            if (n < 0) {
                return new LineRange(file, to, to);
            }
            int end = endOfLine(buffer, 0, n);
            if (end <= n) {
                file.seek(at + end);
                return new LineRange(context.checked(file, name), at + end, to);
            }
            at += n;
        }
        return new LineRange(file, to, to);
    }

    /** Returns the index after the first newline; above {@code to} if there is none. */
    private static int endOfLine(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] == '\n') {
                return i + 1;
            }
        }
        return to + 1;
    }

    @Override
    public int read() throws IOException {
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (ended || length == 0) {
            return ended ? -1 : 0;
        }
        long plain = to - 1 - position;
        int n = in.read(bytes, offset, plain <= 0 ? length : (int) Math.min(length, plain));
        if (n < 0) {
            ended = true;
            return -1;
        }
        if (plain <= 0) {
            int end = endOfLine(bytes, offset, offset + n) - offset;
            if (end <= n) {
                ended = true;
                n = end;
            }
        }
        position += n;
        return n;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
