package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.polygraph.jobs.decision.Budget;

/**
 * Finds who reads what transactions of unknown outcome wrote, in a slice. Result: for each such read the place of the reader, whether it
 * counts, the place of a writer, and whether it is the only one that may have written the value.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record UnknownTask(SliceRows.Slice slice, byte[] initial) implements Task {
    private static final long serialVersionUID = 1L;

    @Override
    public byte[] run(Budget budget) throws IOException {
        KeyValues written = new KeyValues();
        List<LongArrayList> writers = new ArrayList<>();
        SliceRows rows = slice.rows();
        while (rows.next()) {
            if (rows.isWrite() && rows.state() == SliceRows.OPEN) {
                int pair = written.add(rows.key(), rows.code());
                if (pair == writers.size()) {
                    writers.add(new LongArrayList());
                }
                writers.get(pair).add(rows.place());
            }
        }
        BlockWriter out = new BlockWriter();
        if (written.size() == 0) {
            return out.toBytes();
        }
        long initialCode = new BlockReader(initial).value(rows.values());
        boolean[] hasOthers = new boolean[written.size()];
        for (int pair = 0; pair < hasOthers.length; pair++) {
            hasOthers[pair] = written.value(pair) == initialCode;
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
            int pair = again.isWrite() || again.state() == SliceRows.INACTIVE
                    ? -1
                    : written.find(again.key(), again.code());
            if (pair < 0) {
                continue;
            }
            LongArrayList all = writers.get(pair);
            for (long writer : all) {
                if (writer != again.place()) {
                    boolean isOnly = !hasOthers[pair] && all.getLong(0) == all.getLong(all.size() - 1);
                    out.unsigned(again.place()).unsigned(again.state() == SliceRows.COUNTED ? 1 : 0);
                    out.unsigned(writer).unsigned(isOnly ? 1 : 0);
                }
            }
        }
        return out.toBytes();
    }
}
