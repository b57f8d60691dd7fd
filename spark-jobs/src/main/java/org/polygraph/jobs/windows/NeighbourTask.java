package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.polygraph.jobs.decision.Budget;

/**
 * Finds how far some transactions may move without passing others of their sessions. Result: for each the place behind the last
 * event of an earlier transaction of its session, and the place of the first event of a later one, in these cells. Others are those without a name here.
 *
 * @param names those of a session in its order, which is that of places
 */
record NeighbourTask(Cells cells, ArrayList<UnknownOutcomes.Name> names) implements Task {
    private static final long serialVersionUID = 1L;

    /** The transactions of a session that are asked about, in its order. */
    private static final class Asked {
        final IntArrayList numbers = new IntArrayList();
        /** How many of them precede the last other event of the session; and the place behind that. */
        int passed;

        long end;
    }

    @Override
    public byte[] run(Budget budget) throws IOException {
        Int2ObjectOpenHashMap<Asked> ofSession = new Int2ObjectOpenHashMap<>();
        for (int i = 0; i < names.size(); i++) {
            ofSession
                    .computeIfAbsent(names.get(i).session(), session -> new Asked())
                    .numbers
                    .add(i);
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
                if (asked == null || named.contains(new UnknownOutcomes.Name(events.session(), events.index()))) {
                    continue;
                }
                for (; asked.passed < asked.numbers.size(); asked.passed++) {
                    int i = asked.numbers.getInt(asked.passed);
                    if (names.get(i).index() > events.index()) {
                        break;
                    }
                    low[i] = asked.end;
                    high[i] = place;
                }
                asked.end = place + 1;
            }
        }
        for (Asked asked : ofSession.values()) {
            for (; asked.passed < asked.numbers.size(); asked.passed++) {
                low[asked.numbers.getInt(asked.passed)] = asked.end;
            }
        }
        BlockWriter out = new BlockWriter();
        for (int i = 0; i < low.length; i++) {
            out.unsigned(low[i]).unsigned(high[i]);
        }
        return out.toBytes();
    }
}
