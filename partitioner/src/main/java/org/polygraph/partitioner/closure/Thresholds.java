package org.polygraph.partitioner.closure;

import org.polygraph.partitioner.graph.Events;

/**
 * Real time as cells of chain clocks: by chain, how many of its events lead to an event by real time. These events are
 * a prefix of the chain, because earliest ends ascend along it, and along the chain of the target event the prefix only
 * grows. So one place moves forward for every pair of chains. O(events x chains) in all, 4 bytes a pair of chains.
 */
final class Thresholds {
    private final Events events;
    private final int chains;
    private final int[] earliestEnd;
    private final int[] latestStart;
    /** By chain and other chain: how many events of the other chain precede the last event that was raised. */
    private final int[] passed;

    Thresholds(Events events, TimeBounds bounds) {
        this.events = events;
        this.chains = events.chains();
        this.earliestEnd = bounds.earliestEnd();
        this.latestStart = bounds.latestStart();
        this.passed = new int[chains * chains];
    }

    /**
     * Raises the row of an event, which contains the row of the event before it in its chain. Called along the chain.
     */
    boolean raise(int chain, int event, boolean isFirst, ClockRows rows, int base) {
        int threshold = latestStart[event];
        if (!isFirst && latestStart[event - 1] == threshold) {
            return false;
        }
        int at = chain * chains;
        boolean grew = false;
        for (int c = 0; c < chains; c++) {
            if (c == chain) {
                continue;
            }
            int start = events.chainStart(c);
            int from = start + passed[at + c];
            int next = from;
            int end = start + events.chainLength(c);
            while (next < end && earliestEnd[next] < threshold) {
                next++;
            }
            if (next > from) {
                passed[at + c] = next - start;
                if (rows.get(chain, base + c) < next - start) {
                    rows.put(chain, base + c, next - start);
                    grew = true;
                }
            }
        }
        return grew;
    }
}
