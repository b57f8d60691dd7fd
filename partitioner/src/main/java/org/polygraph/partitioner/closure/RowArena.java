package org.polygraph.partitioner.closure;

import java.util.Arrays;
import org.polygraph.storage.model.BudgetException;

/**
 * Rows of a few ints, one after another in blocks; a row is where its length is, and place 0 is the empty row. Several threads
 * may add rows, each by a {@link Writer} of its own, to be read when all have ended.
 */
final class RowArena {
    private static final int SMALLEST_BLOCK_BITS = 8;
    private static final int USUAL_BLOCK_BITS = 14;

    private final int bits;
    private final int mask;
    private int[][] blocks = new int[8][];
    private int used;

    /**
     * Empty.
     *
     * @param longest row there may be
     * @param rows about how many there will be
     */
    RowArena(int longest, int rows) {
        int wanted = Math.max(SMALLEST_BLOCK_BITS, Math.min(USUAL_BLOCK_BITS, 34 - Integer.numberOfLeadingZeros(rows)));
        bits = Math.max(wanted, 33 - Integer.numberOfLeadingZeros(longest + 2));
        mask = (1 << bits) - 1;
    }

    synchronized long bytes() {
        return 4L * used << bits;
    }

    int length(int row) {
        return row == 0 ? 0 : blocks[row >>> bits][row & mask];
    }

    int get(int row, int i) {
        return blocks[row >>> bits][(row & mask) + 1 + i];
    }

    private synchronized int claim(int[] block) {
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

    Writer writer() {
        return new Writer();
    }

    /** Adds rows; one thread. */
    final class Writer {
        private int[] block = new int[0];
        private int start;
        /** Rows do not cross blocks. */
        private int next = mask + 1;

        /** Adds a row that is not empty. @return its place */
        int add(int[] row, int length) {
            if (next + length > mask) {
                block = new int[mask + 1];
                int number = claim(block);
                start = number << bits;
                next = number == 0 ? 1 : 0;
            }
            block[next] = length;
            System.arraycopy(row, 0, block, next + 1, length);
            int place = start + next;
            next += length + 1;
            return place;
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
