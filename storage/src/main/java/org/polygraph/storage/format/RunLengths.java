package org.polygraph.storage.format;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Parquet's hybrid of runs and bit-packed groups, which holds levels and numbers of dictionary entries; many at a time.
 * A run that is longer than asked for goes on with the next call, so its length need not be believed.
 */
final class RunLengths {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
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

    /** Reads the next {@code n}. */
    void read(int[] into, int n) throws IOException {
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
        int i = from;
        int to = from + n;
        for (; i < to; i++, bit += width) {
            int b = (int) (bit >>> 3);
            if (b > bytes.length - Long.BYTES) {
                break;
            }
            into[i] = (int) (((long) LONGS.get(bytes, b) >>> (bit & 7)) & mask);
        }
        for (; i < to; i++, bit += width) {
            long window = 0;
            int b = (int) (bit >>> 3);
            for (int j = 0; j < Long.BYTES && b + j < end; j++) {
                window |= (bytes[b + j] & 0xFFL) << (j * Byte.SIZE);
            }
            into[i] = (int) ((window >>> (bit & 7)) & mask);
        }
    }
}
