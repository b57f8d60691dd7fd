package org.polygraph.jobs.certificate.replay;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Checks real time in an order of events: if a committed transaction had ended before another one started, its commit
 * comes before the other one's snapshot. Events come in the order of their places, and no transaction ends before it
 * starts. Windows of the order are checked one by one, and joined by their latest starts and earliest ends. Memory: a few
 * numbers.
 */
public final class PlacedTimes implements Serializable {
    private static final long serialVersionUID = 1L;

    /** The latest start so far; {@link HistoryTable#NO_TIME}, the smallest long, if there is none. */
    private long latestStart = HistoryTable.NO_TIME;

    private long earliestEnd = Long.MAX_VALUE;
    /** The places of their events. */
    private long latest = PlacedFault.NONE;

    private long earliest = PlacedFault.NONE;
    private @Nullable PlacedFault discrepancy;

    /**
     * Takes the next event.
     *
     * @param at its place
     * @param status the code of its transaction
     * @param start with {@code end} of its transaction; {@link HistoryTable#NO_TIME} if unknown
     */
    public void event(Terms terms, long at, PlacedSessions.Event event, byte status, long start, long end) {
        if (event != PlacedSessions.Event.SNAPSHOT
                && status == TransactionStatus.COMMITTED.code()
                && end != HistoryTable.NO_TIME) {
            ends(terms, at, end);
        }
        if (event != PlacedSessions.Event.COMMIT) {
            starts(at, start);
        }
    }

    private void ends(Terms terms, long at, long end) {
        if (discrepancy == null && terms.precedes(end, latestStart)) {
            discrepancy = new PlacedFault("", latest, Placement.EARLIER, at, Placement.HAD_ENDED);
        }
        if (end < earliestEnd) {
            earliestEnd = end;
            earliest = at;
        }
    }

    private void starts(long at, long start) {
        if (start > latestStart) {
            latestStart = start;
            latest = at;
        }
    }

    /** Adds the window of the order that follows. */
    public void then(Terms terms, PlacedTimes next) {
        if (next.earliestEnd != Long.MAX_VALUE) {
            ends(terms, next.earliest, next.earliestEnd);
        }
        discrepancy = discrepancy == null ? next.discrepancy : discrepancy;
        starts(next.latest, next.latestStart);
    }

    /** Returns what contradicts real time; null if nothing does. */
    public @Nullable PlacedFault discrepancy() {
        return discrepancy;
    }
}
