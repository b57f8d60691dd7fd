package org.polygraph.storage.format.edn;

import java.io.IOException;
import java.io.InputStream;

/**
 * Reads the bytes of an EDN text with their lines and columns, and skips what stands between tokens. Memory: 64 KiB.
 */
final class EdnBytes {
    static final int END_OF_FILE = -1;

    private final InputStream in;
    private final byte[] buffer = new byte[1 << 16];
    private int at;
    private int limit;
    private long line = 1;
    /**
     * The number of bytes of the current line before the first byte of the buffer. It is negative if the line begins
     * within the buffer.
     */
    private long columnBase;

    EdnBytes(InputStream in) {
        this.in = in;
    }

    /** Returns the line of the next byte, from 1. */
    long line() {
        return line;
    }

    /** Returns the column of the byte that was taken last, in bytes from 1. That byte must not be a line end. */
    long column() {
        return columnBase + at;
    }

    /** Returns the next byte or {@link #END_OF_FILE} without taking it. */
    int peek() throws IOException {
        return at < limit || fill() ? buffer[at] & 0xFF : END_OF_FILE;
    }

    /** Takes the next byte, or returns {@link #END_OF_FILE}. */
    int take() throws IOException {
        if (at == limit && !fill()) {
            return END_OF_FILE;
        }
        int c = buffer[at++] & 0xFF;
        if (c == '\n') {
            line++;
            columnBase = -at;
        }
        return c;
    }

    /** Skips white space, commas, comments and a byte order mark, and takes the first byte of a token. */
    int takeFirstOfToken() throws IOException {
        while (at < limit && (buffer[at] == ' ' || buffer[at] == ',')) {
            at++;
        }
        if (at < limit && buffer[at] > ' ' && buffer[at] != ';') {
            return buffer[at++];
        }
        return takeFirstBehind();
    }

    /**
     * Does the same as {@link #takeFirstOfToken} at a line end, a comment, a byte order mark or the end of the buffer.
     * It is a separate method to keep the common path short.
     */
    private int takeFirstBehind() throws IOException {
        boolean comment = false;
        for (int c; ; ) {
            c = take();
            if (c == END_OF_FILE) {
                return c;
            }
            if (c == '\n') {
                comment = false;
            } else if (c == ';') {
                comment = true;
            } else if (!comment && c > ' ' && c != ',' && !isMark(c)) {
                return c;
            }
        }
    }

    /** Whether a byte order mark begins here, at the beginning of the file. If so, takes the rest of it. */
    private boolean isMark(int c) throws IOException {
        if (c != 0xEF || line != 1 || columnBase + at != 1 || peek() != 0xBB) {
            return false;
        }
        take();
        if (peek() == 0xBF) {
            take();
        }
        return true;
    }

    /**
     * Returns the array that holds the bytes that were read ahead, from {@link #at} to {@link #limit}. It is always the
     * same array.
     */
    byte[] buffer() {
        return buffer;
    }

    /** Returns the index of the next byte. */
    int at() {
        return at;
    }

    /** Returns the index after the last byte that was read ahead. */
    int limit() {
        return limit;
    }

    /** Takes the bytes up to an index; none of them may be a line end. */
    void moveTo(int place) {
        at = place;
    }

    private boolean fill() throws IOException {
        int read = in.read(buffer, 0, buffer.length);
        if (read <= 0) {
            return false;
        }
        columnBase += at;
        at = 0;
        limit = read;
        return true;
    }
}
