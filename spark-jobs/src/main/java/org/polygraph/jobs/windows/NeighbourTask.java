package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.polygraph.jobs.decision.Budget;

/**
 * Finds how far some transactions may move without passing others of their sessions, in some cells. The others count or may count,
 * and are not among those that are asked about.
 *
 * @param names those of a session by index
 */
record NeighbourTask(Cells cells, ArrayList<UnknownOutcomes.Name> names) implements Task<NeighbourTask.Bounds> {
    /**
     * The bounds by transaction.
     *
     * @param low the place behind the last event of an earlier transaction of its session
     * @param high the place of the first event of a later one
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Bounds(long[] low, long[] high) implements Serializable {}

    /** The transactions of a session that are asked about. */
    private static final class Asked {
        final IntArrayList numbers = new IntArrayList();
        final LongArrayList indexes = new LongArrayList();

        /** How many of them have a lower index. */
        int before(long index) {
            int at = Arrays.binarySearch(indexes.elements(), 0, indexes.size(), index);
            return at < 0 ? -at - 1 : at;
        }
    }

    @Override
    public Bounds run(Budget budget) throws IOException {
        Int2ObjectOpenHashMap<Asked> ofSession = new Int2ObjectOpenHashMap<>();
        for (int i = 0; i < names.size(); i++) {
            Asked asked = ofSession.computeIfAbsent(names.get(i).session(), session -> new Asked());
            asked.numbers.add(i);
            asked.indexes.add(names.get(i).index());
        }
        Set<UnknownOutcomes.Name> named = new HashSet<>(names);
        long[] low = new long[names.size()];
        long[] high = new long[names.size()];
        Arrays.fill(high, Long.MAX_VALUE);
        for (int c = cells.from(); c < cells.to(); c++) {
            budget.require();
            EventReader events = cells.events(c);
            for (long place = cells.first(c); events.next(); place++) {
                Asked asked = ofSession.get(events.session());
                if (asked == null
                        || !events.mayCount()
                        || named.contains(new UnknownOutcomes.Name(events.session(), events.index()))) {
                    continue;
                }
                // This event bounds the nearest transaction of its session, and with it all those beyond.
                int next = asked.before(events.index());
                if (next < asked.numbers.size()) {
                    int i = asked.numbers.getInt(next);
                    low[i] = Math.max(low[i], place + 1);
                }
                if (next > 0) {
                    int i = asked.numbers.getInt(next - 1);
                    high[i] = Math.min(high[i], place);
                }
            }
        }
        for (Asked asked : ofSession.values()) {
            for (int j = 1; j < asked.numbers.size(); j++) {
                int i = asked.numbers.getInt(j);
                low[i] = Math.max(low[i], low[asked.numbers.getInt(j - 1)]);
            }
            for (int j = asked.numbers.size() - 2; j >= 0; j--) {
                int i = asked.numbers.getInt(j);
                high[i] = Math.min(high[i], high[asked.numbers.getInt(j + 1)]);
            }
        }
        return new Bounds(low, high);
    }
}
