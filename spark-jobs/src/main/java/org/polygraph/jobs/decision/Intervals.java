package org.polygraph.jobs.decision;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Real time that is part of a level: u precedes v if u ended before v started by more than the clock skew. See
 * {@link org.polygraph.partitioner.graph.RealTime} for unknown outcomes and times.
 *
 * @param starts by transaction
 * @param ends by transaction; that of an unknown outcome bounds nothing
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Intervals(long[] starts, long[] ends, byte[] statuses, long skewNanos) {
    /** Returns the intervals of a history; null if it has no times. */
    static @Nullable Intervals of(HistoryTable table, long skewNanos) {
        long[] starts = table.starts();
        long[] ends = table.ends();
        return starts == null || ends == null ? null : new Intervals(starts, ends, table.statuses(), skewNanos);
    }

    /**
     * Returns a time: transactions that ended before it precede the transaction. The smallest long if there are none.
     */
    long bound(int transaction) {
        long start = starts[transaction];
        return start == HistoryTable.NO_TIME || start < Long.MIN_VALUE + skewNanos ? Long.MIN_VALUE : start - skewNanos;
    }

    /** The end of a transaction; the largest long if it bounds nothing. */
    long end(int transaction) {
        return statuses[transaction] == TransactionStatus.COMMITTED.code() && ends[transaction] != HistoryTable.NO_TIME
                ? ends[transaction]
                : Long.MAX_VALUE;
    }

    /**
     * By number of member: the transaction with the last commit, between two places, of those that precede the member;
     * -1 if none does.
     *
     * @param frozen other transactions
     */
    int[] lastBefore(PlacedHistory placed, int[] members, IntArrayList frozen, int from, int to) {
        IntArrayList byEnd = new IntArrayList(frozen);
        byEnd.removeIf(t -> placed.commitPlace(t) < from || placed.commitPlace(t) >= to);
        byEnd.sort((a, b) -> Long.compare(end(a), end(b)));
        int[] last = new int[members.length];
        int best = -1;
        int next = 0;
        for (int m : sorted(members, Comparator.comparingLong(m -> bound(members[m])))) {
            for (; next < byEnd.size() && end(byEnd.getInt(next)) < bound(members[m]); next++) {
                int t = byEnd.getInt(next);
                best = best < 0 || placed.commitPlace(t) > placed.commitPlace(best) ? t : best;
            }
            last[m] = best;
        }
        return last;
    }

    /**
     * By number of member: the transaction with the first snapshot, between two places, of those that the member
     * precedes, or -1.
     */
    int[] firstBehind(PlacedHistory placed, int[] members, IntArrayList frozen, int from, int to) {
        IntArrayList byStart = new IntArrayList(frozen);
        byStart.removeIf(t -> placed.beginPlace(t) < from || placed.beginPlace(t) >= to);
        byStart.sort((a, b) -> Long.compare(bound(b), bound(a)));
        int[] first = new int[members.length];
        int best = -1;
        int next = 0;
        for (int m : sorted(
                members,
                Comparator.comparingLong((Integer m) -> end(members[m])).reversed())) {
            for (; next < byStart.size() && bound(byStart.getInt(next)) > end(members[m]); next++) {
                int t = byStart.getInt(next);
                best = best < 0 || placed.beginPlace(t) < placed.beginPlace(best) ? t : best;
            }
            first[m] = best;
        }
        return first;
    }

    private static IntArrayList sorted(int[] members, Comparator<Integer> comparator) {
        IntArrayList numbers = new IntArrayList(members.length);
        for (int m = 0; m < members.length; m++) {
            numbers.add(m);
        }
        numbers.sort(comparator::compare);
        return numbers;
    }
}
