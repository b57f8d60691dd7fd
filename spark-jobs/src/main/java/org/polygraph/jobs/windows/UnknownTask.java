package org.polygraph.jobs.windows;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.polygraph.jobs.decision.Budget;

/**
 * Finds the reads of what transactions of unknown outcome wrote, in a slice. Result: each such read with each possible writer.
 */
record UnknownTask(SliceRows.Slice slice) implements Task<ArrayList<UnknownOutcomes.Read>> {
    @Override
    public ArrayList<UnknownOutcomes.Read> run(Budget budget) throws IOException {
        KeyValues written = new KeyValues();
        List<List<UnknownOutcomes.Name>> writers = new ArrayList<>();
        SliceRows rows = slice.rows();
        while (rows.next()) {
            if (rows.isWrite() && rows.state() == SliceRows.OPEN) {
                int pair = written.add(rows.key(), rows.code());
                if (pair == writers.size()) {
                    writers.add(new ArrayList<>());
                }
                writers.get(pair).add(UnknownOutcomes.Name.of(rows));
            }
        }
        ArrayList<UnknownOutcomes.Read> out = new ArrayList<>();
        if (written.size() == 0) {
            return out;
        }
        boolean[] hasOthers = new boolean[written.size()];
        for (int pair = 0; pair < hasOthers.length; pair++) {
            hasOthers[pair] = written.value(pair) == rows.initial(written.key(pair));
        }
        // Ids of keys and codes of values are the same in each scan.
        for (SliceRows again = slice.rows(); again.next(); ) {
            int pair = again.isWrite() && again.state() == SliceRows.COUNTED
                    ? written.find(again.key(), again.code())
                    : -1;
            if (pair >= 0) {
                hasOthers[pair] = true;
            }
        }
        for (SliceRows again = slice.rows(); again.next(); ) {
            int pair = again.isRead() && again.state() != SliceRows.INACTIVE
                    ? written.find(again.key(), again.code())
                    : -1;
            if (pair < 0) {
                continue;
            }
            boolean counts = again.state() == SliceRows.COUNTED;
            UnknownOutcomes.Name reader = UnknownOutcomes.Name.of(again);
            List<UnknownOutcomes.Name> all = writers.get(pair);
            boolean isOnly = !hasOthers[pair] && all.get(0).equals(all.get(all.size() - 1));
            for (UnknownOutcomes.Name writer : all) {
                if (counts || !writer.equals(reader)) {
                    out.add(new UnknownOutcomes.Read(counts ? null : reader, writer, isOnly));
                }
            }
        }
        return out;
    }
}
