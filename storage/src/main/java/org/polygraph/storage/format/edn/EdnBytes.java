package org.polygraph.storage.format.edn;

import java.io.IOException;
import java.io.InputStream;

/** The bytes of an EDN text, one at a time, where the next one stands, and what is passed over between tokens. Memory: 64 KiB. */
final class EdnBytes {
    static final int END_OF_FILE = -1;

    private final InputStream in;
    private final byte[] buffer = new byte[1 << 16];
    private int at;
    private int limit;
    private long line = 1;
    /** Bytes of the current line before the buffer's first; negative once that line begins within the buffer. */
    private long columnBase;

    EdnBytes(InputStream in) {
        this.in = in;
    }

    /** The line of the next byte, from 1. */
    long line() {
        return line;
    }

    /** The column of the byte taken last, if that was no line end; in bytes, from 1. */
    long column() {
        return columnBase + at;
    }

    /** The next byte, or {@link #END_OF_FILE}; it stays the next one. */
    int peek() throws IOException {
        return at < limit || fill() ? buffer[at] & 0xFF : END_OF_FILE;
    }

    /** The next byte, or {@link #END_OF_FILE}. */
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

    /** Passes over white space, commas, comments and a mark of the encoding, and takes the first byte of a token. */
    int takeFirstOfToken() throws IOException {
        while (at < limit && (buffer[at] == ' ' || buffer[at] == ',')) {
            at++;
        }
        if (at < limit && buffer[at] > ' ' && buffer[at] != ';') {
            return buffer[at++];
        }
        return takeFirstBehind();
    }

    /** The same where a line ends, a comment or a mark begins, or nothing is left in the buffer; a method of its own keeps the common path short. */
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

    /** Whether a mark of the encoding begins here, at the beginning of the file; takes the rest of it. */
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

    /** The array in which the bytes stand that were read ahead, from {@link #at} to {@link #limit}; always the same. */
    byte[] buffer() {
        return buffer;
    }

    /** Where the next byte stands. */
    int at() {
        return at;
    }

    /** Behind the last byte that was read ahead. */
    int limit() {
        return limit;
    }

    /** Takes the bytes before that place, among which is no line end. */
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
