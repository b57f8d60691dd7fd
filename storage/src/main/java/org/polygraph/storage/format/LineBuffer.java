package org.polygraph.storage.format;

import java.io.IOException;
import java.io.InputStream;

/**
 * Bytes of a text, as many whole lines at a time as there is room for; and as a stream, for who wants lines that may be longer, from
 * some line on. Memory: 256 KiB.
 */
final class LineBuffer {
    private static final int SIZE = 1 << 18;
    /** Bytes behind the last newline that may be looked at. */
    private static final int SLACK = 16;

    private final InputStream in;
    private final byte[] bytes = new byte[SIZE + 1 + SLACK];
    private int position;
    private int limit;
    /** Behind the last newline. */
    private int end;

    private boolean ended;

    /** @param in begins with a line */
    LineBuffer(InputStream in) {
        this.in = in;
    }

    /** The array, always the same: lines stand from {@link #position} on, the last with a newline that the text may not have. */
    byte[] bytes() {
        return bytes;
    }

    /** Where the next line begins. */
    int position() {
        return position;
    }

    /** Goes on from there. @return how many newlines of the text that passed: 1, but for one that it does not have */
    int moveTo(int nextLine) {
        position = nextLine;
        return nextLine <= limit ? 1 : 0;
    }

    /** Whether a byte is one of the text. */
    boolean isText(int at) {
        return at < limit;
    }

    /** Whether there is a whole line, after reading on if needed; false where it is too long, and at the end. */
    boolean hasLine() throws IOException {
        return position < end || fill();
    }

    /** Whether nothing is left. */
    boolean isAtEnd() {
        return ended && position >= limit;
    }

    /** Whether one of the first {@code n} bytes may be of the mark of an encoding. Asked first of all. */
    boolean isMarked(int n) throws IOException {
        fill();
        boolean isMarked = false;
        for (int i = 0; i < Math.min(limit, n); i++) {
            isMarked |= bytes[i] <= 0;
        }
        return isMarked;
    }

    /** Moves what is left to the front and reads more. */
    private boolean fill() throws IOException {
        limit = Math.max(0, limit - position);
        System.arraycopy(bytes, position, bytes, 0, limit);
        position = 0;
        while (limit < SIZE && !ended) {
            int n = in.read(bytes, limit, SIZE - limit);
            ended = n <= 0;
            limit += Math.max(0, n);
        }
        end = limit;
        if (ended && limit > 0 && bytes[limit - 1] != '\n') {
            bytes[end++] = '\n';
        }
        while (end > 0 && bytes[end - 1] != '\n') {
            end--;
        }
        return end > 0;
    }

    /**
     * What comes next, up to the end of a line where the reader is not {@link Rest#within} something; the buffer goes on behind it.
     *
     * @param all to the end of the text
     */
    Rest rest(boolean all) {
        return new Rest(all);
    }

    /** See {@link #rest}. */
    final class Rest extends InputStream {
        private final boolean all;
        /** Up to where bytes may be handed out as they stand. */
        private int until;

        private boolean isWithin;
        private boolean isAtLineEnd;

        private Rest(boolean all) {
            this.all = all;
            until = Math.max(position, Math.min(end, limit));
        }

        /** Says whether something has begun and not ended. */
        void within(boolean isOpen) {
            isWithin = isOpen;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            if (position >= until) {
                if (isAtLineEnd && !isWithin && !all) {
                    return -1;
                }
                // A line that is longer than the array comes in pieces.
                until = fill() ? Math.min(end, limit) : limit;
                if (until == 0) {
                    return -1;
                }
            }
            int n = Math.min(length, until - position);
            System.arraycopy(bytes, position, target, offset, n);
            position += n;
            isAtLineEnd = n > 0 ? bytes[position - 1] == '\n' : isAtLineEnd;
            return n;
        }
    }
}
