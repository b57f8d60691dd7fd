package org.polygraph.partitioner.graph;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.index.RowKeys;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.storage.model.BudgetException;

/**
 * The edges that every explanation of the history has: chains (implicit: an event follows the one before it in its
 * session), WR of decided reads, and edges that saturation forced. Each forced edge keeps the round that found it. The
 * reason of the edge can be found again from its round, because it follows from edges of earlier rounds.
 *
 * <p>Memory: 9 bytes an edge, and 4 an event and 4 an edge while predecessors are indexed.
 */
public final class KnownGraph {
    private static final int NO_ROUND = -1;

    private final Events events;
    private int[] from = new int[64];
    private int[] to = new int[64];
    private byte[] rounds = new byte[64];
    private int edges;
    private byte round;
    private int realTimeRound = NO_ROUND;
    private @Nullable RealTime realTime;

    private int[] predecessorStarts = new int[0];
    private int[] predecessorEdges = new int[0];
    private int indexed;

    public KnownGraph(Events events) {
        this.events = events;
    }

    /** The graph of sessions and of all decided reads: for a version, one WR edge to each session's first reader. */
    public static KnownGraph of(Events events, VersionIndex versions) {
        KnownGraph graph = new KnownGraph(events);
        graph.addReads(versions);
        return graph;
    }

    /** Adds the WR edges of all decided reads: for a version, one to each session's first reader. */
    public void addReads(VersionIndex versions) {
        int[] writers = versions.writerTransactions();
        int[] readers = versions.readerTransactions();
        int[] slots = versions.slotStarts();
        int[] sessionOf = events.chainsByTransaction();
        RowKeys rows = events.perTransaction() == 2 ? versions.rows() : null;
        for (int key = 0; key < versions.keys(); key++) {
            if (rows != null && rows.isExistence(key)) {
                // Existences are read at commits; the solver orders these reads.
                continue;
            }
            int slot = versions.slot(key) + 1;
            for (int w = versions.writerStarts()[key]; w < versions.writerStarts()[key + 1]; w++, slot++) {
                int commit = events.commit(writers[w]);
                int previous = -1;
                for (int r = slots[slot]; r < slots[slot + 1]; r++) {
                    int session = sessionOf[readers[r]];
                    if (session != previous) {
                        add(commit, events.begin(readers[r]));
                        previous = session;
                    }
                }
            }
        }
    }

    public Events events() {
        return events;
    }

    /** Adds a known edge between two events, marked with the current round. */
    public void add(int fromEvent, int toEvent) {
        add(fromEvent, toEvent, round);
    }

    /** Adds a known edge that belongs to another round than the current one. */
    public void add(int fromEvent, int toEvent, int ofRound) {
        if (edges == from.length) {
            int capacity = (int) Math.min(Integer.MAX_VALUE - 8L, Math.max(1024, edges + ((long) edges >> 1)));
            if (capacity == edges) {
                throw new BudgetException("more than " + edges + " known edges; check fewer transactions");
            }
            from = Arrays.copyOf(from, capacity);
            to = Arrays.copyOf(to, capacity);
            rounds = Arrays.copyOf(rounds, capacity);
        }
        from[edges] = fromEvent;
        to[edges] = toEvent;
        rounds[edges++] = (byte) ofRound;
    }

    public int edges() {
        return edges;
    }

    public int from(int edge) {
        return from[edge];
    }

    public int to(int edge) {
        return to[edge];
    }

    /** 0 for an observed WR edge; otherwise the number of calls of {@link #bind} and {@link #nextRound} before it. */
    public int round(int edge) {
        return rounds[edge];
    }

    /** Edges added from now on belong to the next round. */
    public void nextRound() {
        round++;
    }

    /**
     * Makes real-time order part of the graph, without edges: closures and orders of the graph then respect it. {@link
     * #addRealTime} adds edges that close a cycle through real time, in a round of their own.
     */
    public void bind(RealTime order) {
        realTimeRound = ++round;
        realTime = order;
    }

    /** The round of real time, if it is part of the graph. */
    public int realTimeRound() {
        return realTimeRound;
    }

    /** The real-time order that is part of the graph, or null. */
    public @Nullable RealTime realTime() {
        return realTime;
    }

    /** Adds an edge of the real-time order that is {@link #bind bound}, so that searches find cycles through it. */
    public void addRealTime(int fromEvent, int toEvent) {
        add(fromEvent, toEvent, realTimeRound);
    }

    /** Whether edges of the round are real time. */
    public boolean isRealTime(int ofRound) {
        return ofRound == realTimeRound;
    }

    public int currentRound() {
        return round;
    }

    /** Number of edges when predecessors were last indexed: edges from here on are new. */
    public int indexedEdges() {
        return indexed;
    }

    /** Indexes all present edges by target: {@link #predecessorStarts} and {@link #predecessorEdges}. Linear. */
    public void indexPredecessors() {
        int[] starts = new int[events.count() + 1];
        for (int e = 0; e < edges; e++) {
            starts[to[e]]++;
        }
        int sum = 0;
        for (int v = 0; v < starts.length; v++) {
            sum += starts[v];
            starts[v] = sum;
        }
        int[] places = new int[edges];
        for (int e = edges - 1; e >= 0; e--) {
            places[--starts[to[e]]] = e;
        }
        predecessorStarts = starts;
        predecessorEdges = places;
        indexed = edges;
    }

    /** Edges into event v: predecessorEdges[predecessorStarts[v] .. predecessorStarts[v + 1]). */
    public int[] predecessorStarts() {
        return predecessorStarts;
    }

    /** Edge numbers, see {@link #predecessorStarts}. */
    public int[] predecessorEdges() {
        return predecessorEdges;
    }

    /** The sources of edges, for inner loops. */
    public int[] sources() {
        return from;
    }

    /** Drops edges that others imply, so that reachability stays the same: those without a bit in {@code keep}. */
    public void retain(long[] keep) {
        int kept = 0;
        for (int e = 0; e < edges; e++) {
            if ((keep[e >> 6] & (1L << e)) != 0) {
                from[kept] = from[e];
                to[kept] = to[e];
                rounds[kept++] = rounds[e];
            }
        }
        edges = kept;
        indexed = Math.min(indexed, kept);
    }
}
