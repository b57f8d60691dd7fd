package org.polygraph.storage.format.parquet;

import java.io.IOException;
import java.util.Arrays;

/**
 * Decodes Parquet's hybrid of runs and bit-packed groups, which holds levels and numbers of dictionary entries. A run
 * is not expanded: a call takes as much of it as it needs, and the next call continues. So a wrong length of a run
 * allocates nothing.
 */
final class RunLengths {
    private static final int GROUP = 8;

    private static final int MOST_HEADER_BITS = 35;

    private final ByteCursor in;
    private final long[] words;
    private final int end;
    private final int width;

    /** The number of values that are left in the current run. */
    private long left;

    private boolean packed;
    private int value;
    private long bit;

    /**
     * @param words the same bytes, eight per number, the first byte lowest; and one more number
     * @param width the bits of a value, from 0
     */
    RunLengths(byte[] bytes, long[] words, int from, int end, int width) throws IOException {
        if (width < 0 || width > Integer.SIZE) {
            throw new IOException("numbers of " + width + " bits");
        }
        in = new ByteCursor(bytes, from, end, "a page with fewer values than announced");
        this.words = words;
        this.end = end;
        this.width = width;
    }

    /**
     * If the next {@code n} values are one run, reads them and returns their value. Else returns -1 and reads nothing.
     */
    int alike(int n) throws IOException {
        if (left == 0) {
            next();
        }
        if (packed || left < n || value < 0) {
            return -1;
        }
        left -= n;
        return value;
    }

    /** Reads the next {@code n} values. */
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
        long header = in.unsigned();
        if (header >>> MOST_HEADER_BITS != 0) {
            throw in.cutOff();
        }
        packed = (header & 1) != 0;
        left = header >>> 1;
        if (packed) {
            left *= GROUP;
            bit = (long) in.at() * Byte.SIZE;
            // Some writers omit the padding of the last group.
            in.step(Math.min(in.left(), (left * width + Byte.SIZE - 1) / Byte.SIZE));
        } else {
            value = 0;
            for (int shift = 0; shift < width; shift += Byte.SIZE) {
                value |= in.next() << shift;
            }
        }
    }

    private void unpack(int[] into, int from, int n) throws IOException {
        if (bit + (long) n * width > (long) end * Byte.SIZE) {
            throw in.cutOff();
        }
        if (width == 0) {
            Arrays.fill(into, from, from + n, 0);
        } else {
            unpackNumbers(words, bit, width, into, from, from + n);
        }
        bit += (long) n * width;
    }

    private static void unpackNumbers(long[] words, long bit, int width, int[] into, int from, int to) {
        int mask = (int) ((1L << width) - 1);
        long at = bit;
        for (int i = from; i < to; i++) {
            int w = (int) (at >>> 6);
            // The shift is done in two steps, because Java treats a shift by 64 as a shift by 0.
            into[i] = (int) (words[w] >>> at | words[w + 1] << 1 << ~at) & mask;
            at += width;
        }
    }
}
