package org.polygraph.jobs.windows;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.polygraph.jobs.decision.Budget;

/**
 * Finds the values that the transactions of some sets read and that some transaction outside the set may have written, in a slice.
 * Result: for each set a block with items of key and value.
 *
 * @param sets in any order; they may overlap
 */
record OutsideTask(SliceRows.Slice slice, ArrayList<PlaceSet> sets) implements Task<byte[][]> {
    @Override
    public byte[][] run(Budget budget) throws IOException {
        List<KeyValues> read = new ArrayList<>();
        sets.forEach(set -> read.add(new KeyValues()));
        SliceRows rows = slice.rows();
        while (rows.next()) {
            for (int w = 0; rows.isRead() && rows.state() != SliceRows.INACTIVE && w < sets.size(); w++) {
                if (sets.get(w).has(rows.place())) {
                    read.get(w).add(rows.key(), rows.code());
                }
            }
        }
        List<BitSet> outside = new ArrayList<>();
        sets.forEach(set -> outside.add(new BitSet()));
        for (SliceRows again = slice.rows(); again.next(); ) {
            // No other transaction reads a write that its transaction replaces later, but leaving out more reads is
            // harmless.
            for (int w = 0; again.isWrite() && again.state() != SliceRows.INACTIVE && w < sets.size(); w++) {
                int pair = sets.get(w).has(again.place()) ? -1 : read.get(w).find(again.key(), again.code());
                if (pair >= 0) {
                    outside.get(w).set(pair);
                }
            }
        }
        byte[][] blocks = new byte[sets.size()][];
        for (int w = 0; w < sets.size(); w++) {
            BlockWriter items = new BlockWriter();
            KeyValues pairs = read.get(w);
            outside.get(w).stream()
                    .forEach(pair -> items.key(rows.keys(), pairs.key(pair)).value(rows.values(), pairs.value(pair)));
            blocks[w] = items.toBytes();
        }
        return blocks;
    }
}
