package org.polygraph.storage.format;

import java.io.IOException;

/**
 * Parquet's BIT_PACKED: levels of a few bits each, the highest bit first, as writers before 2014 have them.
 *
 * <p>Source: apache/parquet-format, Encodings.md.
 */
final class PackedLevels implements ParquetColumn.Levels {
    private final byte[] bytes;
    private final int width;
    private final int end;
    private long bit;

    /**
     * @param width bits of a level, at least 1
     * @param count levels, at least 0
     */
    PackedLevels(byte[] bytes, int from, int end, int width, int count) throws IOException {
        long size = ((long) count * width + Byte.SIZE - 1) / Byte.SIZE;
        if (size > end - from) {
            throw new IOException("levels of " + size + " bytes in a page with " + (end - from));
        }
        this.bytes = bytes;
        this.width = width;
        this.end = from + (int) size;
        bit = (long) from * Byte.SIZE;
    }

    /** Where they end. */
    int end() {
        return end;
    }

    @Override
    public void read(int[] into, int n) throws IOException {
        if (bit + (long) n * width > (long) end * Byte.SIZE) {
            throw new IOException("a page with less values than announced");
        }
        for (int i = 0; i < n; i++) {
            int level = 0;
            for (int b = 0; b < width; b++, bit++) {
                level = level << 1 | (bytes[(int) (bit >>> 3)] >> (7 - (bit & 7)) & 1);
            }
            into[i] = level;
        }
    }
}
