package org.polygraph.jobs.windows;

import java.io.IOException;
import java.util.Arrays;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.storage.dictionary.KeyDictionary;

/**
 * Deals the operations of some cells to slices of keys. Result: the section with a block for each slice.
 *
 * @param ignoresUnknown see {@link Dealer}
 */
record DealTask(Cells cells, int slices, boolean ignoresUnknown, Section.Files files) implements Task<Section> {
    @Override
    public Section run(Budget budget) throws IOException {
        Dealer dealer = new Dealer(slices, ignoresUnknown);
        for (int c = cells.from(); c < cells.to(); c++) {
            budget.require();
            long place = cells.first(c);
            for (EventReader events = cells.events(c); events.next(); ) {
                dealer.deal(events, place++);
            }
        }
        return dealer.write(files, cells.from());
    }

    /** The slice of a key, by its label. */
    static int slice(KeyDictionary keys, int id, int slices) {
        return slice(keys.isString(id) ? keys.string(id).hashCode() : keys.integer(id), slices);
    }

    /** The slice of a key. @param label an integer, or the hash of a text */
    static int slice(long label, int slices) {
        long hash = (label ^ label >>> 32) * 0x9E3779B97F4A7C15L;
        return (int) ((hash >>> 33) % slices);
    }

    /** The first place of each cell. @param counts by cell: its events */
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
