package org.polygraph.partitioner.prune;

import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.closure.ClockRows;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.index.Counting;
import org.polygraph.partitioner.index.VersionIndex;

/**
 * Reads with several candidate writers. A candidate T of read r dies if b(r) reaches c(T), or if T reaches another writer
 * of the key that reaches r; the initial version dies if any writer reaches r. With one candidate left the read is
 * decided: a WR edge. By binary search a session, never candidates x writers.
 */
final class CandidateRules {
    private static final int CHECK_EVERY = 256;

    private final ForcedEdges forced;
    private final VersionIndex index;
    private final Events events;
    private final SessionKey writers;
    private final ClockRows rows;
    private final int stride;
    private final ChainClocks clocks;
    private int[] decided = new int[64];
    private boolean hasDecided;
    /** By group: the last writer that reaches the reader looked at, or -1; the next search begins there. */
    private int[] last = new int[64];
    /** By chain: how many of its events reach the begin of one of these. */
    private final int[] reached;

    CandidateRules(Events events, ForcedEdges forced, VersionIndex index, ChainClocks clocks, SessionKey writers) {
        this.forced = forced;
        this.index = index;
        this.events = events;
        this.clocks = clocks;
        this.writers = writers;
        this.rows = clocks.rows();
        this.stride = rows.stride();
        this.reached = new int[clocks.chains()];
    }

    /**
     * Judges the ambiguous reads of the key that was loaded.
     *
     * @param stop asked every few hundred reads
     * @return the transaction of a read that has no candidate left, {@link KeyRules#NONE} or {@link KeyRules#STOPPED}
     */
    int apply(int key, byte[] states, BooleanSupplier stop) {
        int slot = index.ambiguousSlot(key);
        int from = index.slotStarts()[slot];
        int to = index.slotStarts()[slot + 1];
        if (to - from > decided.length) {
            decided = new int[Math.max(to - from, 2 * decided.length)];
        }
        if (writers.groups > last.length) {
            last = new int[2 * writers.groups];
        }
        Arrays.fill(last, 0, writers.groups, -1);
        int first = index.writerStarts()[key];
        boolean any = false;
        hasDecided = false;
        for (int r = from; r < to; r++) {
            decided[r - from] = -1;
            if ((r - from & CHECK_EVERY - 1) == CHECK_EVERY - 1 && stop.getAsBoolean()) {
                return KeyRules.STOPPED;
            }
            int reader = index.readerTransactions()[r];
            if (states[reader] != Counting.COUNTED) {
                continue;
            }
            int begin = events.begin(reader);
            int chain = events.chain(begin);
            boolean written = lastReaching(chain, begin - events.chainStart(chain));
            int valueClass = index.readerClasses()[r];
            int alive = valueClass == VersionIndex.INITIAL && !written ? 1 : 0;
            int only = -1;
            for (int w = index.firstInClass(key, valueClass); w >= 0 && alive < 2; w = index.nextInClass(w)) {
                int t = index.writerTransactions()[w];
                if (t != reader
                        && states[t] != Counting.DROPPED
                        && !clocks.reaches(begin, events.commit(t))
                        && reached[events.chain(events.commit(t))] <= position(events.commit(t))) {
                    // An optional writer as the last one left would be decided to have committed: the solver's part.
                    alive += states[t] == Counting.OPTIONAL ? 2 : 1;
                    only = w;
                }
            }
            if (alive == 0) {
                return reader;
            }
            if (alive == 1) {
                any = true;
                decided[r - from] = only < 0 ? 0 : 1 + only - first;
                if (only >= 0) {
                    forced.add(events.commit(index.writerTransactions()[only]), begin);
                }
            }
        }
        hasDecided = any;
        return KeyRules.NONE;
    }

    /** See {@link KeyRules#decided}. */
    int[] decided(int reads) {
        return hasDecided ? Arrays.copyOf(decided, reads) : new int[0];
    }

    private int position(int event) {
        return event - events.chainStart(events.chain(event));
    }

    /** Finds the last writer of each session that reaches the event, and what reaches those. @return whether there is any */
    private boolean lastReaching(int chain, int position) {
        int cells = position * stride;
        boolean any = false;
        Arrays.fill(reached, 0);
        for (int g = 0; g < writers.groups; g++) {
            int bound = rows.get(chain, cells + writers.groupChains[g]);
            int low = last[g] >= 0 && writers.commit(last[g]) < bound ? last[g] : writers.groupStarts[g];
            int found = writers.firstNotBelow(low, writers.groupStarts[g + 1], bound) - 1;
            if (found < writers.groupStarts[g]) {
                last[g] = -1;
                continue;
            }
            last[g] = found;
            any = true;
            rows.raise(reached, writers.groupChains[g], writers.begins[found] * stride);
        }
        return any;
    }
}
