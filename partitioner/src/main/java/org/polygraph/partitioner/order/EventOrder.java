package org.polygraph.partitioner.order;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;

/**
 * Total orders of events that extend the known graph, as {@code position} of each event.
 *
 * <p>{@link #byRank}: rank = #ancestors - #descendants, both from the clocks. If a reaches b then a has fewer ancestors
 * and more descendants, so ascending rank is topological. Ranking by ancestors alone leaves far more reads violated.
 */
public final class EventOrder {
    private EventOrder() {}

    /** Order by rank; the clocks must be exact. O(events x chains) sequential reads, 12 bytes an event. */
    public static int[] byRank(Events events, ChainClocks clocks) {
        int n = events.count();
        int k = events.chains();
        int[] rank = new int[n];
        int[] seen = new int[k];
        for (int s = 0; s < k; s++) {
            int[] rows = clocks.rows(s);
            int length = events.chainLength(s);
            int start = events.chainStart(s);
            Arrays.fill(seen, 0);
            for (int p = 0; p < length; p++) {
                int base = p * k;
                int ancestors = 0;
                for (int c = 0; c < k; c++) {
                    int bound = rows[base + c];
                    ancestors += bound;
                    if (bound > seen[c]) {
                        if (c != s) {
                            // From here on, chain s descends from these events of chain c.
                            int first = events.chainStart(c);
                            for (int q = seen[c]; q < bound; q++) {
                                rank[first + q] -= length - p;
                            }
                        }
                        seen[c] = bound;
                    }
                }
                rank[start + p] += ancestors - (length - 1 - p);
            }
        }
        return positions(rank, n);
    }

    /**
     * Order by ranks that were added up elsewhere.
     *
     * @param rank by event, from -events to events; overwritten
     */
    public static int[] byRank(int[] rank) {
        return positions(rank, rank.length);
    }

    /** Positions of events sorted by rank, ties by event: radix sort, three passes of 11 bits. */
    private static int[] positions(int[] rank, int n) {
        int[] from = new int[n];
        int[] to = new int[n];
        for (int v = 0; v < n; v++) {
            from[v] = v;
            rank[v] += n;
        }
        int[] counts = new int[(1 << 11) + 1];
        for (int shift = 0; shift < 33 && (shift == 0 || (2L * n) >>> shift != 0); shift += 11) {
            Arrays.fill(counts, 0);
            for (int v = 0; v < n; v++) {
                counts[((rank[v] >>> shift) & 2047) + 1]++;
            }
            for (int b = 0; b < 2048; b++) {
                counts[b + 1] += counts[b];
            }
            for (int i = 0; i < n; i++) {
                int v = from[i];
                to[counts[(rank[v] >>> shift) & 2047]++] = v;
            }
            int[] swap = from;
            from = to;
            to = swap;
        }
        for (int i = 0; i < n; i++) {
            to[from[i]] = i;
        }
        return to;
    }

    /**
     * Some topological order, for histories whose clocks do not fit the memory budget: chains advance in turn, one event
     * each; one that must wait stands aside until the chain it waits for has got there. Linear in events and edges.
     *
     * @param done filled with how many events of each chain were placed: all of them, or what precedes the cycles
     * @return positions, or null if the graph has a cycle
     */
    public static int @Nullable [] byTurns(KnownGraph graph, int[] done) {
        Events events = graph.events();
        graph.indexPredecessors();
        int n = events.count();
        int k = events.chains();
        int[] position = new int[n];
        int[] queue = new int[k];
        int[] waiterHead = new int[k];
        int[] waiterNext = new int[k];
        int[] waitPosition = new int[k];
        Arrays.fill(done, 0);
        Arrays.fill(waiterHead, -1);
        int size = 0;
        for (int s = 0; s < k; s++) {
            if (events.chainLength(s) > 0) {
                queue[size++] = s;
            }
        }
        int placed = 0;
        for (int head = 0; size > 0; ) {
            int s = queue[head];
            head = head + 1 == k ? 0 : head + 1;
            size--;
            int event = events.chainStart(s) + done[s];
            int blocking = blocking(graph, event, done);
            if (blocking >= 0) {
                int chain = events.chain(blocking);
                waitPosition[s] = blocking - events.chainStart(chain);
                waiterNext[s] = waiterHead[chain];
                waiterHead[chain] = s;
                continue;
            }
            position[event] = placed++;
            done[s]++;
            if (done[s] < events.chainLength(s)) {
                queue[(head + size++) % k] = s;
            }
            int kept = -1;
            for (int w = waiterHead[s]; w >= 0; ) {
                int next = waiterNext[w];
                if (waitPosition[w] < done[s]) {
                    queue[(head + size++) % k] = w;
                } else {
                    waiterNext[w] = kept;
                    kept = w;
                }
                w = next;
            }
            waiterHead[s] = kept;
        }
        return placed == n ? position : null;
    }

    /** A predecessor of the event that is not yet placed, or -1. */
    private static int blocking(KnownGraph graph, int event, int[] done) {
        Events events = graph.events();
        int[] starts = graph.predecessorStarts();
        for (int i = starts[event]; i < starts[event + 1]; i++) {
            int p = graph.from(graph.predecessorEdges()[i]);
            int chain = events.chain(p);
            if (p - events.chainStart(chain) >= done[chain]) {
                return p;
            }
        }
        return -1;
    }
}
