package org.polygraph.storage.format;

import java.io.IOException;

/**
 * Parquet's BYTE_STREAM_SPLIT: the first byte of each number, then the second of each, and so on, the lowest first.
 *
 * <p>Source: apache/parquet-format, Encodings.md.
 */
final class SplitNumbers implements ParquetValues.Numbers {
    private final byte[] bytes;
    private final int count;
    private final int size;
    private int at;
    private int left;

    /** @param size bytes of a number, 4 or 8 */
    SplitNumbers(byte[] bytes, int from, int end, int size) throws IOException {
        if ((end - from) % size != 0) {
            throw new IOException("numbers of " + size + " bytes in " + (end - from));
        }
        this.bytes = bytes;
        this.size = size;
        at = from;
        count = (end - from) / size;
        left = count;
    }

    @Override
    public void read(long[] into, int n) throws IOException {
        if (n > left) {
            throw new IOException("a page with less values than announced");
        }
        for (int i = 0; i < n; i++) {
            // The highest has the sign.
            long number = bytes[at + i + (size - 1) * count];
            for (int b = size - 2; b >= 0; b--) {
                number = number << Byte.SIZE | (bytes[at + i + b * count] & 0xFF);
            }
            into[i] = number;
        }
        at += n;
        left -= n;
    }
}
