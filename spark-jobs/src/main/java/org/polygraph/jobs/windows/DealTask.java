package org.polygraph.jobs.windows;

import java.io.IOException;
import java.util.Arrays;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.model.TransactionStatus;

/**
 * Deals the operations of some cells to slices of keys, in the order of places, as {@link SliceRows} reads them. Result: the section
 * with a block for each slice.
 *
 * @param ignoresUnknown whether transactions of unknown outcome count as aborted
 */
record DealTask(Cells cells, int slices, boolean ignoresUnknown, String folder, String name) implements Task {
    private static final long serialVersionUID = 1L;

    @Override
    public byte[] run(Budget budget) throws IOException {
        Section.Output out = new Section.Output(0, slices);
        long[] places = new long[slices];
        int[] keysOfSlice = new int[slices];
        // Several cells share a block of a slice, so they share ids of keys.
        KeyDictionary all = new KeyDictionary();
        // By key: its slice, and its id there plus one; 0 before it has one.
        int[] sliceOf = new int[0];
        int[] ids = new int[0];
        for (int c = cells.from(); c < cells.to(); c++) {
            budget.require();
            Cell cell = cells.read(c);
            int[] keys = all.addAll(cell.keys().labels());
            int known = sliceOf.length;
            sliceOf = Arrays.copyOf(sliceOf, all.size());
            ids = Arrays.copyOf(ids, all.size());
            for (int key = known; key < sliceOf.length; key++) {
                sliceOf[key] = slice(all, key, slices);
            }
            for (int t = 0; t < cell.size(); t++) {
                long place = cells.first(c) + t;
                int state = state(cell, t);
                for (int o = cell.firstOperation(t); o < cell.operationsEnd(t); o++) {
                    int key = keys[cell.key(o)];
                    int slice = sliceOf[key];
                    BlockWriter block = out.block(slice);
                    block.unsigned(place - places[slice]);
                    places[slice] = place;
                    int kind = cell.kind(o);
                    block.unsigned((long) (o - cell.firstOperation(t)) << SliceRows.NUMBER_SHIFT
                            | (long) state << SliceRows.STATE_SHIFT
                            | kind);
                    if (kind >= Cell.INTENT || state == SliceRows.OPEN) {
                        block.unsigned(cell.session(t));
                    }
                    if (state == SliceRows.OPEN) {
                        block.signed(cell.index(t));
                    }
                    if (ids[key] == 0) {
                        block.unsigned(keysOfSlice[slice]).key(all, key);
                        ids[key] = ++keysOfSlice[slice];
                    } else {
                        block.unsigned(ids[key] - 1);
                    }
                    if (kind != Cell.INTENT) {
                        block.value(cell.values(), cell.code(o));
                    }
                }
            }
        }
        BlockWriter result = new BlockWriter();
        Section.write(result, out.write(folder, name, cells.from()));
        return result.toBytes();
    }

    private int state(Cell cell, int t) {
        if (cell.isCounted(t)) {
            return SliceRows.COUNTED;
        }
        return cell.status(t) == TransactionStatus.INDETERMINATE && !ignoresUnknown
                ? SliceRows.OPEN
                : SliceRows.INACTIVE;
    }

    /** The slice of a key, by its label. */
    static int slice(KeyDictionary keys, int id, int slices) {
        long hash = keys.isString(id) ? keys.string(id).hashCode() : keys.integer(id);
        hash = (hash ^ hash >>> 32) * 0x9E3779B97F4A7C15L;
        return (int) ((hash >>> 33) % slices);
    }

    /** The first place of each cell. @param counts by cell: its transactions */
    static long[] firsts(long[] counts) {
        long[] firsts = new long[counts.length + 1];
        for (int c = 0; c < counts.length; c++) {
            firsts[c + 1] = firsts[c] + counts[c];
        }
        return firsts;
    }

    /** The cell of a place. @param firsts by cell: its first place; and the place behind the last */
    static int cellOf(long[] firsts, long place) {
        int at = Arrays.binarySearch(firsts, place);
        if (at < 0) {
            return -at - 2;
        }
        // Of cells that begin at one place, all but the last are empty.
        while (at + 1 < firsts.length && firsts[at + 1] == place) {
            at++;
        }
        return at;
    }
}
