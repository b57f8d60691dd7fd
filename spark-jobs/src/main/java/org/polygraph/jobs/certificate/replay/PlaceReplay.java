package org.polygraph.jobs.certificate.replay;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.storage.table.HistoryTable;

/**
 * Checks the events of a window of places: places are distinct, and real time is kept if it is part of the guarantee. A
 * row is: long place, flags, long start, long end, {@link Named}. The conditions and messages are those of {@link
 * Placement}.
 *
 * <p>Memory: the rows of the window and 24 bytes for each of them.
 */
public final class PlaceReplay {
    static final int ROW_BYTES = 3 * Long.BYTES + 1 + Named.BYTES;
    private static final int FLAGS = Long.BYTES;
    private static final int START = FLAGS + 1;
    private static final int END = START + Long.BYTES;
    private static final int NAME = END + Long.BYTES;

    private static final byte SNAPSHOT = 1;
    private static final byte COMMIT = 2;
    private static final byte BINDS = 4;

    private PlaceReplay() {}

    /** @param binds whether the end of the transaction binds others in real time */
    static byte flags(boolean isSnapshot, boolean isCommit, boolean binds) {
        return (byte) ((isSnapshot ? SNAPSHOT : 0) | (isCommit ? COMMIT : 0) | (binds ? BINDS : 0));
    }

    /**
     * The two transactions that started last among those before a place. Of transactions that started together the one
     * with the earlier event comes first.
     */
    record Latest(
            @Nullable Named first,
            long firstStart,
            @Nullable Named second,
            long secondStart) implements Serializable {
        static final Latest NONE = new Latest(null, HistoryTable.NO_TIME, null, HistoryTable.NO_TIME);

        Latest with(@Nullable Named name, long start) {
            if (name == null || start == HistoryTable.NO_TIME) {
                return this;
            }
            if (first == null || start > firstStart) {
                return new Latest(name, start, first, firstStart);
            }
            return second == null || start > secondStart ? new Latest(first, firstStart, name, start) : this;
        }

        Latest with(Latest later) {
            return with(later.first, later.firstStart).with(later.second, later.secondStart);
        }
    }

    /**
     * The findings of a window of places.
     *
     * @param repeated a message about the first event, by (session, index), that has the place of another event; null
     *     if there is none
     * @param repeatedBy that event; the window with the first one of all windows gives the message
     * @param latest the transactions of this window that started last
     * @param firstEnd the earliest end that binds; {@link HistoryTable#NO_TIME} if there is none
     * @param late the first transaction that comes before one that had ended, or null
     */
    record Finding(
            int range,
            long events,
            @Nullable Sentence repeated,
            @Nullable Event repeatedBy,
            Latest latest,
            long firstEnd,
            @Nullable Sentence late)
            implements Serializable {}

    /** An event of a transaction. */
    record Event(Named name, boolean isCommit) implements Serializable {
        boolean isBefore(Event other) {
            return name.isBefore(other.name) || (!other.name.isBefore(name) && !isCommit && other.isCommit);
        }
    }

    /**
     * Checks a window.
     *
     * @param before what {@link DealtReplay#carried} found in earlier windows; null in a first attempt
     */
    public static Serializable of(DealPlan plan, int range, List<byte[]> blocks, @Nullable Serializable before) {
        int n = 0;
        for (byte[] block : blocks) {
            n += block.length / ROW_BYTES;
        }
        ByteBuffer[] in = new ByteBuffer[n];
        int[] offset = new int[n];
        long[] places = new long[n];
        n = 0;
        for (byte[] block : blocks) {
            ByteBuffer rows = ByteBuffer.wrap(block);
            for (int at = 0; at < block.length; at += ROW_BYTES) {
                in[n] = rows;
                offset[n] = at;
                places[n++] = rows.getLong(at);
            }
        }
        int[] order = StableSort.order(places, places, n);
        Latest latest = before instanceof Latest carried ? carried : Latest.NONE;
        Latest own = Latest.NONE;
        long firstEnd = HistoryTable.NO_TIME;
        Sentence late = null;
        Sentence repeated = null;
        Event repeatedBy = null;
        Terms terms = plan.terms();
        boolean realTime = terms.guarantee().realTime();
        for (int i = 0; i < n; i++) {
            ByteBuffer row = in[order[i]];
            int at = offset[order[i]];
            boolean isFirst = i == 0 || places[order[i - 1]] != places[order[i]];
            boolean isAlone = isFirst && (i + 1 == n || places[order[i + 1]] != places[order[i]]);
            if (isAlone && !realTime) {
                continue;
            }
            if (isFirst && !isAlone) {
                Event[] two = firstTwo(in, offset, places, order, i);
                if (repeatedBy == null || two[1].isBefore(repeatedBy)) {
                    repeatedBy = two[1];
                    repeated = new Sentence(
                            prefix(terms, two[0]),
                            two[0].name,
                            " and " + prefix(terms, two[1]),
                            two[1].name,
                            Placement.SAME);
                }
            }
            byte flags = row.get(at + FLAGS);
            Named name = Named.of(row, at + NAME);
            long end = row.getLong(at + END);
            if (realTime && (flags & COMMIT) != 0 && (flags & BINDS) != 0 && end != HistoryTable.NO_TIME) {
                firstEnd = firstEnd == HistoryTable.NO_TIME ? end : Math.min(firstEnd, end);
                boolean isOwn = name.equals(latest.first);
                Named other = isOwn ? latest.second : latest.first;
                if (late == null
                        && other != null
                        && terms.precedes(end, isOwn ? latest.secondStart : latest.firstStart)) {
                    late = new Sentence("", other, Placement.EARLIER, name, Placement.HAD_ENDED);
                }
            }
            if (realTime && (flags & SNAPSHOT) != 0) {
                latest = latest.with(name, row.getLong(at + START));
                own = own.with(name, row.getLong(at + START));
            }
        }
        return new Finding(range, n, repeated, repeatedBy, own, firstEnd, late);
    }

    /** The first two events, by (session, index), of those with the place of the i-th. */
    private static Event[] firstTwo(ByteBuffer[] in, int[] offset, long[] places, int[] order, int i) {
        Event[] two = new Event[2];
        for (int j = i; j < order.length && places[order[j]] == places[order[i]]; j++) {
            ByteBuffer row = in[order[j]];
            int at = offset[order[j]];
            Event event = new Event(Named.of(row, at + NAME), (row.get(at + FLAGS) & SNAPSHOT) == 0);
            if (two[0] == null || event.isBefore(two[0])) {
                two[1] = two[0];
                two[0] = event;
            } else if (two[1] == null || event.isBefore(two[1])) {
                two[1] = event;
            }
        }
        return two;
    }

    private static String prefix(Terms terms, Event event) {
        return terms.guarantee().events() == 1 ? "" : event.isCommit ? Placement.COMMIT_OF : Placement.SNAPSHOT_OF;
    }
}
