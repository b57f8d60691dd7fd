package org.polygraph.jobs.windows;

import java.io.IOException;
import org.polygraph.jobs.decision.Budget;

/**
 * Finds the values that a window's transactions read and that some transaction outside may have written, in a slice. Result: items of key
 * and value.
 *
 * @param from the first place of the window
 * @param to the place behind its last
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record OutsideTask(SliceRows.Slice slice, long from, long to) implements Task {
    private static final long serialVersionUID = 1L;

    @Override
    public byte[] run(Budget budget) throws IOException {
        KeyValues read = new KeyValues();
        SliceRows rows = slice.rows();
        while (rows.next()) {
            if (!rows.isWrite() && rows.state() != SliceRows.INACTIVE && isInside(rows.place())) {
                read.add(rows.key(), rows.code());
            }
        }
        boolean[] isOutside = new boolean[read.size()];
        for (SliceRows again = slice.rows(); again.next(); ) {
            // A write that its transaction replaces later is none that another one reads, but to leave out more is
            // harmless.
            if (again.isWrite() && again.state() != SliceRows.INACTIVE && !isInside(again.place())) {
                int pair = read.find(again.key(), again.code());
                if (pair >= 0) {
                    isOutside[pair] = true;
                }
            }
        }
        BlockWriter out = new BlockWriter();
        for (int pair = 0; pair < isOutside.length; pair++) {
            if (isOutside[pair]) {
                out.key(rows.keys(), read.key(pair)).value(rows.values(), read.value(pair));
            }
        }
        return out.toBytes();
    }

    private boolean isInside(long place) {
        return place >= from && place < to;
    }
}
