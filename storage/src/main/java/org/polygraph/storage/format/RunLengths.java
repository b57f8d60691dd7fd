package org.polygraph.storage.format;

import java.io.IOException;
import java.util.Arrays;

/**
 * Parquet's hybrid of runs and bit-packed groups, which holds levels and numbers of dictionary entries; many at a time.
 * A run that is longer than asked for goes on with the next call, so its length need not be believed.
 */
final class RunLengths implements ParquetColumn.Levels {
    private static final int GROUP = 8;

    private final byte[] bytes;
    private final int end;
    private final int width;
    private final long mask;
    private int at;

    /** Of the current run: how many are left of it, and either the value of all or the bit where the next stands. */
    private long left;

    private boolean packed;
    private int value;
    private long bit;

    /** @param width bits of a value, from 0 */
    RunLengths(byte[] bytes, int from, int end, int width) throws IOException {
        if (width < 0 || width > Integer.SIZE) {
            throw new IOException("numbers of " + width + " bits");
        }
        this.bytes = bytes;
        this.at = from;
        this.end = end;
        this.width = width;
        this.mask = (1L << width) - 1;
    }

    /** The value of the next {@code n}, which are then read, where they are plainly alike; else -1. */
    @Override
    public int alike(int n) throws IOException {
        if (left == 0) {
            next();
        }
        if (packed || left < n || value < 0) {
            return -1;
        }
        left -= n;
        return value;
    }

    /** Reads the next {@code n}. */
    @Override
    public void read(int[] into, int n) throws IOException {
        for (int done = 0; done < n; ) {
            if (left == 0) {
                next();
            }
            int take = (int) Math.min(left, n - done);
            if (packed) {
                unpack(into, done, take);
            } else {
                Arrays.fill(into, done, done + take, value);
            }
            left -= take;
            done += take;
        }
    }

    private void next() throws IOException {
        long header = 0;
        for (int shift = 0; ; shift += 7) {
            if (at == end || shift > 28) {
                throw new IOException("a page with less values than announced");
            }
            int b = bytes[at++];
            header |= (b & 0x7FL) << shift;
            if (b >= 0) {
                break;
            }
        }
        packed = (header & 1) != 0;
        left = header >>> 1;
        if (packed) {
            left *= GROUP;
            bit = (long) at * Byte.SIZE;
            // Of the last group some writers leave out what is never asked for.
            long after = at + (left * width + Byte.SIZE - 1) / Byte.SIZE;
            at = (int) Math.min(after, end);
        } else {
            int size = (width + Byte.SIZE - 1) / Byte.SIZE;
            if (size > end - at) {
                throw new IOException("a page with less values than announced");
            }
            value = 0;
            for (int i = 0; i < size; i++) {
                value |= (bytes[at++] & 0xFF) << (i * Byte.SIZE);
            }
        }
    }

    private void unpack(int[] into, int from, int n) throws IOException {
        if (bit + (long) n * width > (long) end * Byte.SIZE) {
            throw new IOException("a page with less values than announced");
        }
        if (width == 1) {
            unpackBits(into, from, from + n);
        } else if (width == 0) {
            Arrays.fill(into, from, from + n, 0);
        } else {
            unpackNumbers(into, from, from + n);
        }
        bit += (long) n * width;
    }

    /** Most levels: a byte is eight of them. Apart from other widths, as one loop compiled for both is thrown away. */
    private void unpackBits(int[] into, int from, int to) {
        int b = (int) (bit >>> 3);
        int eight = bytes[b++] >>> (bit & 7);
        int have = Byte.SIZE - (int) (bit & 7);
        for (int i = from; i < to; i++) {
            if (have == 0) {
                eight = bytes[b++];
                have = Byte.SIZE;
            }
            into[i] = eight & 1;
            eight >>>= 1;
            have--;
        }
    }

    /** Byte by byte: reads of longs by a handle are slow until they are compiled, which a read of a second feels. */
    private void unpackNumbers(int[] into, int from, int to) {
        int b = (int) (bit >>> 3);
        int have = Byte.SIZE - (int) (bit & 7);
        long window = (bytes[b++] & 0xFFL) >>> (bit & 7);
        for (int i = from; i < to; i++) {
            while (have < width) {
                window |= (bytes[b++] & 0xFFL) << have;
                have += Byte.SIZE;
            }
            into[i] = (int) (window & mask);
            window >>>= width;
            have -= width;
        }
    }
}
