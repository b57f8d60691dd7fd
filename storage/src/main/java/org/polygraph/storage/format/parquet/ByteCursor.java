package org.polygraph.storage.format.parquet;

import java.io.IOException;

/**
 * Reads the bytes of an array in order, from one index to another. It also reads the integers of variable length that
 * Parquet's metadata and pages share: seven bits a byte, the lowest first; signed integers are in zigzag (0, -1, 1,
 * -2...).
 */
final class ByteCursor {
    private final byte[] bytes;
    private final int end;
    private final String cutOff;
    private int at;

    /** @param cutOff the message of the error if bytes are missing */
    ByteCursor(byte[] bytes, int from, int end, String cutOff) {
        this.bytes = bytes;
        this.at = from;
        this.end = end;
        this.cutOff = cutOff;
    }

    /** Returns the array index of the next byte. */
    int at() {
        return at;
    }

    int left() {
        return end - at;
    }

    /** Skips n bytes. */
    void step(long n) throws IOException {
        if (n < 0 || n > end - at) {
            throw cutOff();
        }
        at += (int) n;
    }

    /** Reads a byte, from 0 to 255. */
    int next() throws IOException {
        if (at >= end) {
            throw cutOff();
        }
        return bytes[at++] & 0xFF;
    }

    long signed() throws IOException {
        long n = unsigned();
        return (n >>> 1) ^ -(n & 1);
    }

    /** Reads an integer of up to 64 bits. If it uses all of them, the result is negative. */
    long unsigned() throws IOException {
        long n = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            int b = next();
            n |= (b & 0x7FL) << shift;
            if (b < 0x80) {
                return n;
            }
        }
        throw new IOException("a number of more than 64 bits");
    }

    IOException cutOff() {
        return new IOException(cutOff);
    }
}
