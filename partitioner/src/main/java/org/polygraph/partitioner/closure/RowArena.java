package org.polygraph.partitioner.closure;

import java.util.Arrays;

/** Rows of a few ints, one after another in blocks; a row is where its length is, and place 0 is the empty row. */
final class RowArena {
    private static final int SMALLEST_BLOCK_BITS = 14;

    private final int bits;
    private final int mask;
    private int[][] blocks = new int[8][];
    private int used;
    /** Rows do not cross blocks. */
    private int next = 1;

    /** @param longest row there may be */
    RowArena(int longest) {
        bits = Math.max(SMALLEST_BLOCK_BITS, 33 - Integer.numberOfLeadingZeros(longest + 2));
        mask = (1 << bits) - 1;
    }

    long bytes() {
        return 4L * used << bits;
    }

    int length(int row) {
        return row == 0 ? 0 : blocks[row >>> bits][row & mask];
    }

    int get(int row, int i) {
        return blocks[row >>> bits][(row & mask) + 1 + i];
    }

    /**
     * Adds a row, ascending.
     *
     * @param slots which of the values are in it, in any order; sorted by this
     */
    int add(int[] slots, int length, int[] values) {
        if ((next & mask) + length >= mask + 1) {
            next = ((next >>> bits) + 1) << bits;
        }
        int block = next >>> bits;
        if (block >= used) {
            if (block >= 1 << (31 - bits)) {
                throw new IllegalStateException("rows of more than " + bytes() + " bytes");
            }
            if (block == blocks.length) {
                blocks = Arrays.copyOf(blocks, 2 * block);
            }
            blocks[block] = new int[mask + 1];
            used = block + 1;
        }
        int[] to = blocks[block];
        int at = next & mask;
        to[at] = length;
        for (int i = 0; i < length; i++) {
            to[at + 1 + i] = values[slots[i]];
        }
        sort(to, at + 1, at + 1 + length);
        int row = next;
        next += length + 1;
        return row;
    }

    private static void sort(int[] values, int from, int to) {
        if (to - from > 40) {
            Arrays.sort(values, from, to);
            return;
        }
        for (int i = from + 1; i < to; i++) {
            int value = values[i];
            int j = i - 1;
            while (j >= from && values[j] > value) {
                values[j + 1] = values[j];
                j--;
            }
            values[j + 1] = value;
        }
    }

    boolean equals(int row, RowArena other, int otherRow) {
        int length = length(row);
        if (length != other.length(otherRow)) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (get(row, i) != other.get(otherRow, i)) {
                return false;
            }
        }
        return true;
    }
}
