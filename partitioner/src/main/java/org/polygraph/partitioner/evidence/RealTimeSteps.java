package org.polygraph.partitioner.evidence;

import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import java.util.Arrays;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.RealTime;

/**
 * The real-time steps of a search. Sorted by how many transactions had ended when they started, the transactions that
 * an event precedes are a suffix. So a search visits each transaction once, however many pairs are in real-time
 * order. 20 bytes per transaction.
 */
final class RealTimeSteps {
    private final Events events;
    private final RealTime time;
    private final int round;
    /** Transactions by the number of those that had ended when they started, ascending. */
    private final int[] byStart;
    /** Transactions by their place among the ends, ascending. */
    private final int[] byEnd;
    /** By transaction: the event from which it was reached. */
    private final int[] via;

    private final Long2IntOpenHashMap numbers = new Long2IntOpenHashMap();

    // The current search has reached byStart[reachedFrom ..) and byEnd[0 .. reachedTo).
    private int reachedFrom;
    private int reachedTo;
    private int levelEnd;

    private RealTimeSteps(KnownGraph graph, RealTime time) {
        this.events = graph.events();
        this.time = time;
        this.round = graph.realTimeRound();
        this.byStart = sorted(time.ended(), 1, Integer.MAX_VALUE);
        this.byEnd = sorted(time.places(), 0, RealTime.NEVER - 1);
        this.via = new int[time.ended().length];
    }

    /** Returns the steps of a graph; null if it has no real time. */
    static @Nullable RealTimeSteps of(KnownGraph graph) {
        RealTime time = graph.realTime();
        return time == null ? null : new RealTimeSteps(graph, time);
    }

    private static int[] sorted(int[] keys, int least, int most) {
        long[] items = new long[keys.length];
        int n = 0;
        for (int t = 0; t < keys.length; t++) {
            if (keys[t] >= least && keys[t] <= most) {
                items[n++] = (long) keys[t] << 32 | t;
            }
        }
        Arrays.sort(items, 0, n);
        int[] transactions = new int[n];
        for (int i = 0; i < n; i++) {
            transactions[i] = (int) items[i];
        }
        return transactions;
    }

    /** Begins a search over edges of earlier rounds. @return whether real time is among them */
    boolean start(int below) {
        reachedFrom = byStart.length;
        levelEnd = byStart.length;
        reachedTo = 0;
        return round < below;
    }

    /**
     * Collects for {@link #reached} the transactions that an event precedes and no earlier event of the search
     * precedes.
     */
    void collect(int event) {
        int t = events.transaction(event);
        if (event != events.commit(t)) {
            return;
        }
        while (reachedFrom > 0 && time.precedes(t, byStart[reachedFrom - 1])) {
            via[byStart[--reachedFrom]] = event;
        }
    }

    /** The events collected since the last call. */
    void reached(IntConsumer visitor) {
        int from = reachedFrom;
        int to = levelEnd;
        levelEnd = from;
        for (int i = from; i < to; i++) {
            visitor.accept(events.begin(byStart[i]));
        }
    }

    /** Visits the events that precede an event but no earlier event of the search. */
    void preceding(int event, IntConsumer visitor) {
        int t = events.transaction(event);
        if (event != events.begin(t)) {
            return;
        }
        while (reachedTo < byEnd.length && time.precedes(byEnd[reachedTo], t)) {
            visitor.accept(events.commit(byEnd[reachedTo++]));
        }
    }

    /** The step by which the last search reached the begin of a transaction. */
    EvidenceGraph.Step stepTo(int begin) {
        int from = via[events.transaction(begin)];
        long pair = (long) from << 32 | begin;
        int number = numbers.getOrDefault(pair, 0);
        if (number == 0) {
            number = -1 - numbers.size();
            numbers.put(pair, number);
        }
        return new EvidenceGraph.Step(from, begin, round, number);
    }
}
