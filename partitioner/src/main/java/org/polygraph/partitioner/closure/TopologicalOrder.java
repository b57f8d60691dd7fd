package org.polygraph.partitioner.closure;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;

/**
 * Topological orders of a graph's edges by a walk along its chains (Kahn's algorithm with a queue of chains): chains
 * advance in turn, and a chain whose next event has an unplaced predecessor waits until the predecessor's chain has
 * placed it. Real-time order that is bound to the graph is not considered. Time: linear in events and edges. Memory: 4
 * bytes an event, 20 a chain.
 */
public final class TopologicalOrder {
    private final Events events;
    private final int[] starts;
    private final int[] edges;
    private final int[] sources;
    private final int[] done;
    /** Chains that may advance: a ring of {@link #waiting} chains from {@link #head} on. */
    private final int[] queue;

    private int head;
    private int waiting;
    /**
     * By chain: the first chain that waits for one of its events; by waiting chain: the next one, and the position
     * waited for.
     */
    private final int[] waiterHead;

    private final int[] waiterNext;
    private final int[] waitPosition;
    private final int[] sequence;
    private int placed;

    private TopologicalOrder(KnownGraph graph) {
        this.events = graph.events();
        this.starts = graph.predecessorStarts();
        this.edges = graph.predecessorEdges();
        this.sources = graph.sources();
        int chains = events.chains();
        this.done = new int[chains];
        this.queue = new int[chains];
        this.waiterHead = new int[chains];
        this.waiterNext = new int[chains];
        this.waitPosition = new int[chains];
        this.sequence = new int[events.count()];
        Arrays.fill(waiterHead, -1);
    }

    /**
     * An order in which chains advance by one event at a time.
     *
     * @param graph with its predecessors indexed
     * @return all events, or null if the edges have a cycle
     */
    public static int @Nullable [] fair(KnownGraph graph) {
        return new TopologicalOrder(graph).walk(1);
    }

    /**
     * An order in which chains advance as far as they can, so that neighbours in a chain are mostly neighbours in the
     * order.
     */
    public static int @Nullable [] byChain(KnownGraph graph) {
        return new TopologicalOrder(graph).walk(Integer.MAX_VALUE);
    }

    /** @param most events that a chain places in one turn */
    private int @Nullable [] walk(int most) {
        for (int s = 0; s < events.chains(); s++) {
            if (events.chainLength(s) > 0) {
                enqueue(s);
            }
        }
        while (waiting > 0) {
            int s = queue[head];
            head = head + 1 == queue.length ? 0 : head + 1;
            waiting--;
            int before = placed;
            boolean blocked = advance(s, most);
            if (!blocked && done[s] < events.chainLength(s)) {
                enqueue(s);
            }
            if (placed > before) {
                wake(s);
            }
        }
        return placed == sequence.length ? sequence : null;
    }

    private void enqueue(int s) {
        int end = head + waiting++;
        queue[end < queue.length ? end : end - queue.length] = s;
    }

    /** Places events of a chain. @return whether it has to wait */
    private boolean advance(int s, int most) {
        int start = events.chainStart(s);
        int length = events.chainLength(s);
        for (int i = 0; i < most && done[s] < length; i++) {
            int event = start + done[s];
            if (waits(s, event)) {
                return true;
            }
            sequence[placed++] = event;
            done[s]++;
        }
        return false;
    }

    /**
     * Whether the event has a predecessor that is not placed; then its chain waits for the predecessor's chain.
     */
    private boolean waits(int s, int event) {
        for (int i = starts[event]; i < starts[event + 1]; i++) {
            int p = sources[edges[i]];
            int chain = events.chain(p);
            int position = p - events.chainStart(chain);
            if (position >= done[chain]) {
                waitPosition[s] = position;
                waiterNext[s] = waiterHead[chain];
                waiterHead[chain] = s;
                return true;
            }
        }
        return false;
    }

    private void wake(int s) {
        int kept = -1;
        for (int w = waiterHead[s]; w >= 0; ) {
            int next = waiterNext[w];
            if (waitPosition[w] < done[s]) {
                enqueue(w);
            } else {
                waiterNext[w] = kept;
                kept = w;
            }
            w = next;
        }
        waiterHead[s] = kept;
    }
}
