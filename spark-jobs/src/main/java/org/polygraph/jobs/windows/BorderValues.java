package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.Arrays;
import org.polygraph.storage.dictionary.ValueDictionary;

/** The values at the borders of a window that {@link BorderTask} found in the slices: each has a key and a kind. */
final class BorderValues {
    private final Cell cell;
    /** The key and the kind. */
    private final LongArrayList items = new LongArrayList();

    private final LongArrayList values = new LongArrayList();
    private final ValueDictionary dictionary = new ValueDictionary();

    /** @param cell has the window, so it gives the keys and values their codes */
    BorderValues(Cell cell) {
        this.cell = cell;
    }

    /** Adds the values that were found in a slice. */
    void add(byte[] block) {
        for (BlockReader in = new BlockReader(block); in.hasMore(); ) {
            int kind = in.count();
            items.add((long) in.key(cell.keys()) << BorderTask.KIND_BITS | kind);
            values.add(in.value(dictionary));
        }
    }

    boolean hasViolated() {
        for (int i = 0; i < items.size(); i++) {
            if (kind(i) == BorderTask.VIOLATED) {
                return true;
            }
        }
        return false;
    }

    /** Returns the items sorted by key and kind, because codes must not depend on the slices of keys. */
    int[] byKey() {
        long[] sorted = new long[items.size()];
        for (int i = 0; i < sorted.length; i++) {
            sorted[i] = items.getLong(i) << Integer.SIZE - 1 | i;
        }
        Arrays.sort(sorted);
        int[] order = new int[sorted.length];
        for (int i = 0; i < order.length; i++) {
            order[i] = (int) sorted[i] & Integer.MAX_VALUE;
        }
        return order;
    }

    int key(int item) {
        return (int) (items.getLong(item) >> BorderTask.KIND_BITS);
    }

    int kind(int item) {
        return (int) items.getLong(item) & (1 << BorderTask.KIND_BITS) - 1;
    }

    /** Returns the code of the value in the cell. */
    long code(int item) {
        return cell.values().code(dictionary, values.getLong(item));
    }
}
