package org.polygraph.jobs.certificate.replay;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Checks real time in an order of events: if a committed transaction had ended before another one started, its commit
 * comes before the other one's snapshot. Events come in the order of their places, and no transaction ends before it
 * starts. Windows of the order are checked one by one, and joined by their latest starts and earliest ends. Memory: two
 * numbers.
 */
public final class PlacedTimes {
    /** The latest start so far; {@link HistoryTable#NO_TIME}, the smallest long, if there is none. */
    private long latestStart = HistoryTable.NO_TIME;

    private long earliestEnd = Long.MAX_VALUE;
    private boolean isWrong;

    /**
     * Takes the next event.
     *
     * @param status the code of its transaction
     * @param start with {@code end} of its transaction; {@link HistoryTable#NO_TIME} if unknown
     */
    public void event(Terms terms, PlacedSessions.Event event, byte status, long start, long end) {
        if (event != PlacedSessions.Event.SNAPSHOT
                && status == TransactionStatus.COMMITTED.code()
                && end != HistoryTable.NO_TIME) {
            isWrong |= terms.precedes(end, latestStart);
            earliestEnd = Math.min(earliestEnd, end);
        }
        if (event != PlacedSessions.Event.COMMIT) {
            latestStart = Math.max(latestStart, start);
        }
    }

    /** Adds the window of the order that follows. */
    public void then(Terms terms, PlacedTimes next) {
        isWrong |=
                next.isWrong || (next.earliestEnd != Long.MAX_VALUE && terms.precedes(next.earliestEnd, latestStart));
        latestStart = Math.max(latestStart, next.latestStart);
        earliestEnd = Math.min(earliestEnd, next.earliestEnd);
    }

    /** For {@link #ofBytes} in another process. */
    public byte[] toBytes() {
        return ByteBuffer.allocate(2 * Long.BYTES + 1)
                .putLong(latestStart)
                .putLong(earliestEnd)
                .put((byte) (isWrong ? 1 : 0))
                .array();
    }

    /** The inverse of {@link #toBytes}. */
    public static PlacedTimes ofBytes(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        PlacedTimes times = new PlacedTimes();
        times.latestStart = in.getLong();
        times.earliestEnd = in.getLong();
        times.isWrong = in.get() == 1;
        return times;
    }

    /** Returns what contradicts real time, as one sentence; null if nothing does. */
    public @Nullable String discrepancy() {
        return isWrong ? "a transaction is ordered before one that had ended before it started" : null;
    }
}
