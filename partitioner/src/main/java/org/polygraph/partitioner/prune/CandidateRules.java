package org.polygraph.partitioner.prune;

import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.closure.ClockRows;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.index.VersionIndex;

/** Reads with several candidate writers, by chain clocks: by binary search a session, never candidates x writers. */
final class CandidateRules extends CandidatePruning {
    private final Events events;
    private final SessionKey writers;
    private final ClockRows rows;
    private final int stride;
    private final ChainClocks clocks;
    /** By group: the last writer that reaches the reader looked at, or -1; the next search begins there. */
    private int[] last = new int[64];
    /** By chain: how many of its events reach the begin of one of these. */
    private final int[] reached;

    CandidateRules(Events events, ForcedEdges forced, VersionIndex index, ChainClocks clocks, SessionKey writers) {
        super(events, forced, index);
        this.events = events;
        this.clocks = clocks;
        this.writers = writers;
        this.rows = clocks.rows();
        this.stride = rows.stride();
        this.reached = new int[clocks.chains()];
    }

    /** Judges the ambiguous reads of the key that was loaded. See {@link #judge}. */
    int apply(int key, byte[] states, BooleanSupplier stop) {
        if (writers.groups > last.length) {
            last = new int[2 * writers.groups];
        }
        Arrays.fill(last, 0, writers.groups, -1);
        return judge(key, states, stop);
    }

    @Override
    boolean isCandidate(int commit, int begin) {
        return !clocks.reaches(begin, commit) && reached[events.chain(commit)] <= position(commit);
    }

    /** Finds the last writer of each session that reaches the event, and what reaches those. */
    @Override
    boolean findBefore(int begin) {
        int chain = events.chain(begin);
        return lastReaching(chain, begin - events.chainStart(chain));
    }

    private int position(int event) {
        return event - events.chainStart(events.chain(event));
    }

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
