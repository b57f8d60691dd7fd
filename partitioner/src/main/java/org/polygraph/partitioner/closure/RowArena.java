package org.polygraph.partitioner.closure;

import java.util.Arrays;
import org.polygraph.storage.model.BudgetException;

/**
 * Rows of a few ints, one after another in blocks. The place of a row is that of its length; place 0 is the empty row.
 * 4 bytes an int and a row.
 */
final class RowArena {
    private static final int LEAST_BLOCK_BITS = 8;
    private static final int BLOCK_BITS = 14;

    private final int bits;
    private final int mask;
    private int[][] blocks = new int[8][];
    private int used;
    /** The last block, its first place, and where the next row begins in it. Rows do not cross blocks. */
    private int[] block = new int[0];

    private int start;
    private int next;

    /**
     * An arena without rows.
     *
     * @param longest the most ints of a row
     * @param rows about how many rows there will be
     */
    RowArena(int longest, int rows) {
        int wanted = Math.max(LEAST_BLOCK_BITS, Math.min(BLOCK_BITS, 34 - Integer.numberOfLeadingZeros(rows)));
        bits = Math.max(wanted, 33 - Integer.numberOfLeadingZeros(longest + 2));
        mask = (1 << bits) - 1;
        next = mask + 1;
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

    /** The first number of an ascending row that is not below a bound, or -1. */
    int firstNotBelow(int row, int bound) {
        if (row == 0) {
            return -1;
        }
        int[] block = blocks[row >>> bits];
        int from = (row & mask) + 1;
        int found = Arrays.binarySearch(block, from, from + block[from - 1], bound);
        int at = found < 0 ? -found - 1 : found;
        return at < from + block[from - 1] ? block[at] : -1;
    }

    private int claim() {
        if (used >= 1 << (31 - bits)) {
            throw new BudgetException("rows of reachability need more than " + bytes() + " bytes, more than can be"
                    + " numbered; too many transactions overlap");
        }
        if (used == blocks.length) {
            blocks = Arrays.copyOf(blocks, 2 * used);
        }
        blocks[used] = block;
        return used++;
    }

    /** Adds a row that is not empty. @return its place */
    int add(int[] row, int length) {
        if (next + length > mask) {
            block = new int[mask + 1];
            int number = claim();
            start = number << bits;
            next = number == 0 ? 1 : 0;
        }
        block[next] = length;
        System.arraycopy(row, 0, block, next + 1, length);
        int place = start + next;
        next += length + 1;
        return place;
    }

    boolean equals(int row, RowArena other, int otherRow) {
        int length = length(row);
        if (length == 0 || length != other.length(otherRow)) {
            return length == other.length(otherRow);
        }
        int from = row & mask;
        int otherFrom = otherRow & other.mask;
        return Arrays.equals(
                blocks[row >>> bits],
                from,
                from + length + 1,
                other.blocks[otherRow >>> other.bits],
                otherFrom,
                otherFrom + length + 1);
    }
}
