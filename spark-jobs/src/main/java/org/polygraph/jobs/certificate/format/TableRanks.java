package org.polygraph.jobs.certificate.format;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.table.HistoryTable;

/**
 * The rows of a certificate by the transactions of a table. Places become ranks, because replays of a table order its
 * events by a counting sort. Equal places become equal ranks.
 *
 * <p>Memory: 12 bytes per event; time: linear if places are below the number of events, else that of sorting them.
 */
final class TableRanks implements RankReader.Sink {
    private static final int NONE = -1;

    private final HistoryTable table;
    private final boolean[] counted;
    private @Nullable String mismatch;
    /** By transaction: the place of its commit, and of its snapshot. */
    private final long[] commits;

    private long[] snapshots = new long[0];
    private final TransactionCursor cursor;

    TableRanks(HistoryTable table) {
        this.table = table;
        cursor = new TransactionCursor(table);
        counted = new boolean[table.transactions()];
        commits = new long[table.transactions()];
    }

    @Override
    public void row(long label, long index, long snapshot, long commit) {
        if (mismatch != null) {
            return;
        }
        int t = cursor.find(label, index);
        if (t < 0) {
            mismatch =
                    "the certificate orders " + Names.transaction(label, index) + ", which the history does not have";
            return;
        }
        if (snapshot < 0 || commit < 0) {
            mismatch =
                    Names.transaction(table, t) + " has place " + Math.min(snapshot, commit) + "; places are 0 or more";
            return;
        }
        counted[t] = true;
        commits[t] = commit;
        if (snapshot != commit && snapshots.length == 0) {
            snapshots = commits.clone();
        }
        if (snapshots.length > 0) {
            snapshots[t] = snapshot;
        }
    }

    RankFile.Content content(RankHeader header) {
        int events = header.terms().guarantee().events();
        // Fails if one array cannot hold all events, because a witness needs such an array.
        int[] position = new int[Math.multiplyExact(events, counted.length)];
        Arrays.fill(position, NONE);
        long[] places = events == 1 || snapshots.length == 0 ? commits : snapshots;
        long[] sorted = sorted(events, places, position.length);
        for (int t = 0; t < counted.length; t++) {
            if (counted[t]) {
                position[events * t] = rank(sorted, places[t]);
                position[events * t + events - 1] = rank(sorted, commits[t]);
            }
        }
        return new RankFile.Content(header, mismatch, counted, position, null);
    }

    /** All places, ascending; empty if places are below the number of events, because they are then used as ranks. */
    private long[] sorted(int events, long[] places, int most) {
        int n = 0;
        boolean areRanks = true;
        for (int t = 0; t < counted.length; t++) {
            n += counted[t] ? events : 0;
            areRanks &= commits[t] < most && places[t] < most;
        }
        if (areRanks) {
            return new long[0];
        }
        long[] all = new long[n];
        n = 0;
        for (int t = 0; t < counted.length; t++) {
            if (counted[t]) {
                all[n++] = commits[t];
                if (events == 2) {
                    all[n++] = places[t];
                }
            }
        }
        Arrays.parallelSort(all);
        return all;
    }

    private static int rank(long[] sorted, long place) {
        if (sorted.length == 0) {
            return (int) place;
        }
        // The first of equal places, so that they have one rank.
        int from = 0;
        int to = sorted.length - 1;
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (sorted[middle] < place) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from;
    }
}
