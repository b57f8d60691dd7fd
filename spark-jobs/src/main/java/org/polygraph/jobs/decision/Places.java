package org.polygraph.jobs.decision;

import it.unimi.dsi.fastutil.longs.LongArrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * The order of events that is tried first: by the middle between start and end of their transactions. Without times, or
 * if they are not used, it is the order in which the transactions were recorded ({@link RecordedPlaces}). If that order
 * is not known either, all sessions run at an even pace. Places ascend along each session; snapshot and commit of a
 * transaction are neighbours.
 */
final class Places {
    private static final long PACE = 1L << 40;

    private Places() {}

    /**
     * All events in the order of their places; ties by session and index.
     *
     * @param request its time decides whether times are used; where real time is part of the level, the order respects
     *     it
     * @return null if real time is part of the level and contradicts the order of sessions, or may do so
     */
    static int @Nullable [] of(HistoryTable table, CheckRequest request) {
        long[] places = request.time() == TimeMode.NONE || table.starts() == null || table.ends() == null
                ? recorded(table)
                : middles(table);
        if (request.level().realTime() && !bound(table, places, Intervals.of(table, request.clockSkewNanos()))) {
            return null;
        }
        return sorted(table, places, request.level().eventsPerTransaction());
    }

    /** Makes places ascend along each session, and sorts all events by them. */
    private static int[] sorted(HistoryTable table, long[] places, int eventsPerTransaction) {
        long[] keys = new long[places.length * eventsPerTransaction];
        for (int s = 0; s < table.sessions(); s++) {
            long last = Long.MIN_VALUE;
            for (int t = table.firstTransaction(s); t < table.transactionsEnd(s); t++) {
                last = Math.max(places[t], last);
                for (int i = 0; i < eventsPerTransaction; i++) {
                    keys[t * eventsPerTransaction + i] = last;
                }
            }
        }
        int[] order = new int[keys.length];
        for (int event = 0; event < order.length; event++) {
            order[event] = event;
        }
        LongArrays.radixSortIndirect(order, keys, true);
        return order;
    }

    private static long[] recorded(HistoryTable table) {
        long[] recorded = RecordedPlaces.of(table, false);
        if (recorded != null) {
            return recorded;
        }
        long[] places = new long[table.transactions()];
        for (int s = 0; s < table.sessions(); s++) {
            int first = table.firstTransaction(s);
            int end = table.transactionsEnd(s);
            for (int t = first; t < end; t++) {
                places[t] = (2L * (t - first) + 1) * (PACE / (end - first));
            }
        }
        return places;
    }

    /** The smallest long where a transaction has no time. */
    private static long[] middles(HistoryTable table) {
        long[] starts = table.starts();
        long[] ends = table.ends();
        long[] places = new long[table.transactions()];
        for (int t = 0; t < places.length; t++) {
            places[t] = starts == null || ends == null ? HistoryTable.NO_TIME : middle(starts[t], ends[t]);
        }
        return places;
    }

    private static long middle(long start, long end) {
        if (start == HistoryTable.NO_TIME) {
            return end;
        }
        return end == HistoryTable.NO_TIME ? start : (start >> 1) + (end >> 1) + (start & end & 1);
    }

    /**
     * Moves places so that, sorted, they respect real time: none is before the start of its transaction, and none is
     * behind the end of its transaction, or of a later one of its session, by more than the clock skew.
     *
     * @return whether it succeeded; if it did, every transaction of unknown outcome may be bound by its start, because
     *     the later ones of its session start no earlier
     */
    private static boolean bound(HistoryTable table, long[] places, @Nullable Intervals time) {
        if (time == null) {
            return true;
        }
        for (int s = 0; s < table.sessions(); s++) {
            int first = table.firstTransaction(s);
            int end = table.transactionsEnd(s);
            long latest = Long.MAX_VALUE;
            long earliest = Long.MAX_VALUE;
            for (int t = end - 1; t >= first; t--) {
                if (table.status(t) == TransactionStatus.ABORTED) {
                    continue;
                }
                long start = time.starts()[t];
                if (table.status(t) == TransactionStatus.INDETERMINATE
                        && start != HistoryTable.NO_TIME
                        && earliest < start) {
                    return false;
                }
                // A missing start is the smallest long.
                earliest = Math.min(earliest, start);
                long bound = time.end(t);
                if (bound < start) {
                    return false;
                }
                latest = Math.min(
                        latest, bound > Long.MAX_VALUE - time.skewNanos() ? Long.MAX_VALUE : bound + time.skewNanos());
                places[t] = Math.min(Math.max(places[t], start), latest);
            }
            long last = Long.MIN_VALUE;
            for (int t = first; t < end; t++) {
                if (table.status(t) == TransactionStatus.ABORTED) {
                    places[t] = last;
                    continue;
                }
                last = Math.max(last, places[t]);
                places[t] = last;
                if (last < time.starts()[t]) {
                    return false;
                }
            }
        }
        return true;
    }
}
