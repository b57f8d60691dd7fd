package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.ints.IntArrays;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import org.polygraph.storage.table.HistoryRows;

/**
 * The rows of a certificate, by piece of the input: what {@link RankPlaceTask}s dealt, in the order of the parts. A piece takes its places
 * and the transactions that count from them.
 */
record PlacedRows(ArrayList<Section> sections) implements Serializable {
    /** What a piece has that no task replays. */
    static final String UNSUPPORTED = "it has lists or versions";

    /**
     * The transactions of a piece in the order.
     *
     * @param snapshots by transaction: the place or the clock of its snapshot; of one that does not count, the place of the commit
     *     before it in its session
     * @param commits by transaction: the same of its commit
     * @param counted by transaction: whether it counts
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Placed(long[] snapshots, long[] commits, boolean[] counted) {}

    /** Whether operations of a piece depend on other pieces. */
    static boolean isUnsupported(HistoryRows rows) {
        return rows.lists() != null || rows.values().hasOpaque();
    }

    /** Returns the places of the transactions of a piece. Rows of other transactions are left out. */
    Placed of(PieceRows in, int piece, int events) throws IOException {
        int[] bySession = new int[in.sessions()];
        Arrays.setAll(bySession, s -> s);
        long[] labels = in.rows().sessionLabels();
        IntArrays.mergeSort(bySession, (a, b) -> Long.compare(labels[a], labels[b]));
        long[] indexes = in.rows().transactions().indexes();
        long[] commits = new long[indexes.length];
        long[] snapshots = events == 2 ? new long[indexes.length] : commits;
        boolean[] counted = new boolean[indexes.length];
        // The next transaction: its session in that order, and its number there.
        int s = 0;
        int j = 0;
        for (Section section : sections) {
            BlockReader rows = new BlockReader(section.block(piece));
            while (rows.hasMore()) {
                long session = rows.signed();
                long index = rows.signed();
                long first = rows.signed();
                long last = events == 2 ? rows.signed() : first;
                while (s < bySession.length && labels[bySession[s]] < session) {
                    s++;
                    j = 0;
                }
                if (s == bySession.length || labels[bySession[s]] != session) {
                    continue;
                }
                while (j < in.count(bySession[s]) && indexes[in.transaction(bySession[s], j)] < index) {
                    j++;
                }
                if (j < in.count(bySession[s]) && indexes[in.transaction(bySession[s], j)] == index) {
                    int t = in.transaction(bySession[s], j);
                    counted[t] = true;
                    snapshots[t] = first;
                    commits[t] = last;
                }
            }
        }
        for (int each = 0; each < in.sessions(); each++) {
            long before = 0;
            for (int i = 0; i < in.count(each); i++) {
                int t = in.transaction(each, i);
                if (!counted[t]) {
                    snapshots[t] = before;
                    commits[t] = before;
                }
                before = commits[t];
            }
        }
        return new Placed(snapshots, commits, counted);
    }
}
