package org.polygraph.jobs.watch;

import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import org.polygraph.storage.table.HistoryTable;

/**
 * Decides which transactions are settled: those that nothing that is still to come may have been read by. A transaction
 * is settled if each session that is not silent has begun another one after its end, or if its line is older than the
 * horizon.
 *
 * <p>This decides only when a transaction is judged. A transaction that reads from one whose line comes later is UNKNOWN
 * until then, as in each chain.
 */
final class Horizon {
    private final long millis;
    /** By session: the start of its last transaction, and when its line arrived. */
    private final Long2LongOpenHashMap starts = new Long2LongOpenHashMap();

    private final Long2LongOpenHashMap arrivals = new Long2LongOpenHashMap();
    /** By session: the last index that is settled. */
    private final Long2LongOpenHashMap settled = new Long2LongOpenHashMap();

    private long begun = HistoryTable.NO_TIME;
    private long now;
    private boolean hasEnded;

    Horizon(long millis) {
        this.millis = millis;
    }

    /** A line was read. */
    void add(Line line) {
        if (!line.isHeader()) {
            starts.put(line.session(), line.start());
            arrivals.put(line.session(), line.arrivedMillis());
        }
    }

    /** A transaction is settled. @return whether it is late: a later one of its session was settled before */
    boolean isLate(Line line) {
        boolean isLate = settled.containsKey(line.session()) && settled.get(line.session()) >= line.index();
        if (!isLate) {
            settled.put(line.session(), line.index());
        }
        return isLate;
    }

    /** Nothing follows, so everything is settled. */
    void end() {
        hasEnded = true;
    }

    /** Time has passed. */
    void at(long nowMillis) {
        now = nowMillis;
        begun = Long.MAX_VALUE;
        for (var each : starts.long2LongEntrySet()) {
            if (nowMillis - arrivals.get(each.getLongKey()) < millis) {
                begun = Math.min(
                        begun, each.getLongValue() == HistoryTable.NO_TIME ? Long.MIN_VALUE : each.getLongValue());
            }
        }
    }

    boolean isSettled(Line line) {
        return hasEnded
                || line.isHeader()
                || now - line.arrivedMillis() >= millis
                || (line.end() != HistoryTable.NO_TIME && line.end() < begun);
    }
}
