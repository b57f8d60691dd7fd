package org.polygraph.partitioner.closure;

import org.polygraph.partitioner.graph.Events;

/**
 * Cells of 8 or 16 bits, several to a long. The highest bit of each is always 0, so that cells of two longs are
 * compared at once: with it set in the minuend no cell of a difference borrows from the next one, and it stays set
 * where the minuend is not the smaller (Lamport, "Multiple byte processing with full-word instructions", 1975). Rows
 * begin at a long of their own.
 */
final class PackedRows extends ClockRows {
    private final int bits;
    /** log2 of the cells of a long. */
    private final int shift;

    private final int chains;
    /** Longs of a row. */
    private final int width;

    /** The highest bit of each cell. */
    private final long high;
    /** All bits of every second cell. */
    private final long everySecond;

    private final int mask;
    /** By chain: its events' rows, one after another. */
    private final long[][] words;

    /** @param bits 8 or 16; see {@link #bits} */
    PackedRows(Events events, int bits) {
        this.bits = bits;
        this.shift = shift(bits);
        this.chains = events.chains();
        this.width = width(chains, bits);
        this.high = bits == 8 ? 0x8080808080808080L : 0x8000800080008000L;
        this.everySecond = bits == 8 ? 0x00FF00FF00FF00FFL : 0x0000FFFF0000FFFFL;
        this.mask = (1 << bits) - 1;
        this.words = new long[chains][];
        for (int s = 0; s < chains; s++) {
            words[s] = new long[events.chainLength(s) * width];
        }
    }

    /** Returns the bits of a cell for these events; 0 if an int for each cell is better. */
    static int bits(Events events) {
        if (events.chains() < MANY_CHAINS) {
            return 0;
        }
        int longest = 0;
        for (int s = 0; s < events.chains(); s++) {
            longest = Math.max(longest, events.chainLength(s));
        }
        return longest < 1 << 7 ? 8 : longest < 1 << 15 ? 16 : 0;
    }

    static long bytes(Events events, int bits) {
        int width = width(events.chains(), bits);
        for (int s = 0; s < events.chains(); s++) {
            if (((long) events.chainLength(s) * width) << shift(bits) > Integer.MAX_VALUE) {
                return Long.MAX_VALUE;
            }
        }
        return 8L * events.count() * width;
    }

    private static int shift(int bits) {
        return bits == 8 ? 3 : 2;
    }

    private static int width(int chains, int bits) {
        int cells = 1 << shift(bits);
        return (chains + cells - 1) / cells;
    }

    @Override
    public int stride() {
        return width << shift;
    }

    @Override
    public int get(int chain, int cell) {
        // A shift of a long by more than 63 is by its remainder.
        return (int) (words[chain][cell >> shift] >>> (cell * bits)) & mask;
    }

    @Override
    public void raise(int[] numbers, int chain, int cell) {
        long[] row = words[chain];
        int from = cell >> shift;
        int c = 0;
        for (int i = from; i < from + width; i++) {
            long word = row[i];
            for (int end = Math.min(c + (1 << shift), chains); c < end; c++, word >>>= bits) {
                numbers[c] = Math.max(numbers[c], (int) word & mask);
            }
        }
    }

    @Override
    public long touch(int chain, int cell) {
        long[] row = words[chain];
        int from = cell >> shift;
        long sum = row[from + width - 1];
        for (int i = from; i < from + width; i += 8) {
            sum += row[i];
        }
        return sum;
    }

    @Override
    void put(int chain, int cell, int number) {
        int by = cell * bits;
        long[] row = words[chain];
        row[cell >> shift] = (row[cell >> shift] & ~((long) mask << by)) | ((long) number << by);
    }

    @Override
    void copyFromPrevious(int chain, int cell) {
        int to = cell >> shift;
        System.arraycopy(words[chain], to - width, words[chain], to, width);
    }

    @Override
    void merge(int chain, int cell, int otherChain, int otherCell) {
        long[] row = words[chain];
        long[] other = words[otherChain];
        int to = cell >> shift;
        int from = otherCell >> shift;
        for (int i = 0; i < width; i++) {
            row[to + i] = maximum(row[to + i], other[from + i]);
        }
    }

    @Override
    boolean mergeGrows(int chain, int cell, int otherChain, int otherCell) {
        long[] row = words[chain];
        long[] other = words[otherChain];
        int to = cell >> shift;
        int from = otherCell >> shift;
        int own = get(chain, cell + chain);
        long grown = 0;
        for (int i = 0; i < width; i++) {
            long old = row[to + i];
            long merged = maximum(old, other[from + i]);
            grown |= merged ^ old;
            row[to + i] = merged;
        }
        put(chain, cell + chain, own);
        return grown != 0;
    }

    private long maximum(long a, long b) {
        long notLess = ((a | high) - b) & high;
        // All bits of a cell but the highest, which is 0 in both.
        long take = notLess - (notLess >>> (bits - 1));
        return b ^ ((a ^ b) & take);
    }

    @Override
    public int sum(int chain, int cell) {
        long[] row = words[chain];
        int from = cell >> shift;
        int sum = 0;
        for (int i = from; i < from + width; i++) {
            // Neighbours are added into cells of twice the bits, and these two or four sums by halves.
            long pairs = (row[i] & everySecond) + ((row[i] >>> bits) & everySecond);
            long halves = pairs + (pairs >>> 32);
            sum += bits == 8 ? (int) ((halves + (halves >>> 16)) & 0xFFFF) : (int) halves;
        }
        return sum;
    }
}
