package org.polygraph.storage.format.edn;

import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.table.HistoryTable;

/**
 * Orders the beginnings and ends of transactions by time, those of each session one after the other. At equal times
 * beginnings come first. What has no time comes as early as its session permits if it is a beginning, and as late if it
 * is an end.
 */
final class CallOrder {
    private final HistoryTable table;
    private final PriorityQueue<Session> next = new PriorityQueue<>();

    /** A call of a session. */
    private static final class Session implements Comparable<Session> {
        final int number;
        int transaction;
        boolean isEnd;
        long time;

        Session(int number, int transaction) {
            this.number = number;
            this.transaction = transaction;
        }

        @Override
        public int compareTo(Session other) {
            int byTime = Long.compare(time, other.time);
            int byKind = byTime == 0 ? Boolean.compare(isEnd, other.isEnd) : byTime;
            return byKind == 0 ? Integer.compare(number, other.number) : byKind;
        }
    }

    /** Receives calls. */
    @FunctionalInterface
    interface Sink<E extends Exception> {
        void call(int transaction, boolean isEnd) throws E;
    }

    CallOrder(HistoryTable table) {
        this.table = table;
        for (int s = 0; s < table.sessions(); s++) {
            if (table.firstTransaction(s) < table.transactionsEnd(s)) {
                Session session = new Session(s, table.firstTransaction(s));
                session.time = time(table.starts(), session.transaction);
                next.add(session);
            }
        }
    }

    /** Passes on the calls in their order. */
    <E extends Exception> void forEach(Sink<E> sink) throws E {
        for (Session session; (session = next.poll()) != null; ) {
            sink.call(session.transaction, session.isEnd);
            if (session.isEnd) {
                session.transaction++;
            }
            session.isEnd = !session.isEnd;
            if (session.transaction < table.transactionsEnd(session.number)) {
                long time = time(session.isEnd ? table.ends() : table.starts(), session.transaction);
                session.time = time != HistoryTable.NO_TIME || !session.isEnd ? time : late(session);
                next.add(session);
            }
        }
    }

    /** Returns the next time of a session whose transaction has no end. */
    private long late(Session session) {
        for (int t = session.transaction + 1; t < table.transactionsEnd(session.number); t++) {
            long start = time(table.starts(), t);
            long known = start == HistoryTable.NO_TIME ? time(table.ends(), t) : start;
            if (known != HistoryTable.NO_TIME) {
                return known;
            }
        }
        return Long.MAX_VALUE;
    }

    /** Returns a time of a transaction; {@link HistoryTable#NO_TIME}, which is before all others, if it is not known. */
    static long time(long @Nullable [] times, int transaction) {
        return times == null ? HistoryTable.NO_TIME : times[transaction];
    }
}
