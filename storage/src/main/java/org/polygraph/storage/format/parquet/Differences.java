package org.polygraph.storage.format.parquet;

import java.io.IOException;
import java.util.Arrays;

/**
 * Decodes DELTA_BINARY_PACKED. The library of Parquet has a method of its own for each width of a packed number, and a
 * short check pays for the compilation of each. A miniblock is decoded at a time, so a wrong count allocates nothing.
 */
final class Differences {
    /** The most differences that a block may have; writers use 128. */
    private static final int MOST_BLOCK = 1 << 16;

    private final ByteCursor in;
    private final long[] words;
    private final int end;
    private final boolean isWide;

    /** The number of miniblocks in a block. */
    private final int parts;
    /** By miniblock of the current block: the bits of a packed number. */
    private final int[] widths;

    private int part;
    /** The least difference in the current block. */
    private long least;
    /** The number that was decoded last. */
    private long last;
    /** The number of values that are not decoded yet. */
    private long undecoded;

    private final long[] decoded;
    private int at;
    private int limit;

    /**
     * @param words the same bytes, eight per number, the first byte lowest; and one more number
     * @param count the number of entries of the page
     * @param isWide whether the numbers have 64 bits, and not 32
     */
    Differences(byte[] bytes, long[] words, int from, int end, int count, boolean isWide) throws IOException {
        in = new ByteCursor(bytes, from, end, "a page with fewer values than announced");
        this.words = words;
        this.end = end;
        this.isWide = isWide;
        long block = in.unsigned();
        long partsOfIt = in.unsigned();
        undecoded = in.unsigned();
        if (block < 1
                || block > MOST_BLOCK
                || partsOfIt < 1
                || partsOfIt > block
                || undecoded < 0
                || undecoded > count) {
            throw new IOException("a page of " + count + " values that announces " + undecoded
                    + " differences in blocks of " + block + " in " + partsOfIt);
        }
        parts = (int) partsOfIt;
        last = in.signed();
        widths = new int[parts];
        part = parts;
        decoded = new long[((int) block + parts - 1) / parts];
        if (undecoded > 0) {
            decoded[limit++] = narrow(last);
            undecoded--;
        }
    }

    private long narrow(long number) {
        return isWide ? number : (int) number;
    }

    /** Reads the next {@code n} integers. */
    void read(long[] into, int n) throws IOException {
        for (int done = 0; done < n; ) {
            if (at == limit) {
                next();
            }
            int take = Math.min(n - done, limit - at);
            System.arraycopy(decoded, at, into, done, take);
            at += take;
            done += take;
        }
    }

    private void next() throws IOException {
        if (undecoded == 0) {
            throw in.cutOff();
        }
        if (part == parts) {
            least = in.signed();
            for (part = 0; part < parts; part++) {
                widths[part] = in.next();
            }
            part = 0;
        }
        int width = widths[part++];
        limit = (int) Math.min(undecoded, decoded.length);
        long bit = (long) in.at() * Byte.SIZE;
        if (width > Long.SIZE || bit + (long) limit * width > (long) end * Byte.SIZE) {
            throw in.cutOff();
        }
        in.step(Math.min(in.left(), ((long) decoded.length * width + Byte.SIZE - 1) / Byte.SIZE));
        if (width == 0) {
            Arrays.fill(decoded, 0, limit, 0);
        } else {
            unpack(words, bit, width, decoded, limit);
        }
        last = sums(decoded, limit, least, last);
        for (int i = 0; !isWide && i < limit; i++) {
            decoded[i] = (int) decoded[i];
        }
        undecoded -= limit;
        at = 0;
    }

    private static void unpack(long[] words, long bit, int width, long[] into, int n) {
        long mask = -1L >>> Long.SIZE - width;
        long at = bit;
        for (int i = 0; i < n; i++) {
            int w = (int) (at >>> 6);
            // The shift is done in two steps, because Java treats a shift by 64 as a shift by 0.
            into[i] = (words[w] >>> at | words[w + 1] << 1 << ~at) & mask;
            at += width;
        }
    }

    /** Replaces differences by numbers. Returns the last one. */
    private static long sums(long[] differences, int n, long least, long before) {
        long sum = before;
        for (int i = 0; i < n; i++) {
            sum += differences[i] + least;
            differences[i] = sum;
        }
        return sum;
    }
}
