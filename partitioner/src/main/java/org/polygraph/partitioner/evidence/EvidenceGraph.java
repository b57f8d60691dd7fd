package org.polygraph.partitioner.evidence;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.VersionIndex;

/**
 * The known graph with all its observed edges back (the closure drops redundant ones, which may be the clearest), for
 * searches: session steps are free, other edges cost one. Made only when a violation is to be explained.
 */
final class EvidenceGraph {
    /** Edges of any round. */
    static final int ALL_ROUNDS = Integer.MAX_VALUE;

    private static final int NONE = -1;

    /** One step of a path that is not within a session. */
    record Step(int from, int to, int round) {}

    private final Events events;
    private int[] sources = new int[1024];
    private int[] targets = new int[1024];
    private byte[] rounds = new byte[1024];
    private int edges;
    private final int[] starts;
    private final int[] order;

    // The last search: events with the current stamp were reached, by an edge or by a session step.
    private final int[] stamps;
    private final int[] parent;
    private int stamp;
    private long work;
    private IntArrayList level = new IntArrayList();
    private IntArrayList nextLevel = new IntArrayList();
    private final IntArrayList pending = new IntArrayList();

    EvidenceGraph(KnownGraph graph, VersionIndex versions, WriterLookup writers) {
        events = graph.events();
        for (int key = 0; key < versions.keys(); key++) {
            int first = versions.writerStarts()[key];
            int base = versions.slot(key) + 1;
            for (int w = first; w < versions.writerStarts()[key + 1]; w++) {
                int commit = events.commit(versions.writerTransactions()[w]);
                int slot = base + w - first;
                for (int r = versions.slotStarts()[slot]; r < versions.slotStarts()[slot + 1]; r++) {
                    int reader = versions.readerTransactions()[r];
                    if (!writers.isChoice(key, versions.readerClasses()[r], reader)) {
                        add(commit, events.begin(reader), 0);
                    }
                }
            }
        }
        for (int e = 0; e < graph.edges(); e++) {
            if (graph.round(e) > 0) {
                add(graph.from(e), graph.to(e), graph.round(e));
            }
        }
        starts = new int[events.count() + 1];
        for (int e = 0; e < edges; e++) {
            starts[sources[e] + 1]++;
        }
        for (int v = 0; v < events.count(); v++) {
            starts[v + 1] += starts[v];
        }
        order = new int[edges];
        int[] next = Arrays.copyOf(starts, events.count());
        for (int e = 0; e < edges; e++) {
            order[next[sources[e]]++] = e;
        }
        stamps = new int[events.count()];
        parent = new int[events.count()];
    }

    void add(int from, int to, int round) {
        if (edges == sources.length) {
            int capacity = edges + (edges >> 1);
            sources = Arrays.copyOf(sources, capacity);
            targets = Arrays.copyOf(targets, capacity);
            rounds = Arrays.copyOf(rounds, capacity);
        }
        sources[edges] = from;
        targets[edges] = to;
        rounds[edges++] = (byte) round;
    }

    Events events() {
        return events;
    }

    /** How many edges there are outside sessions. */
    int edges() {
        return edges;
    }

    Step step(int edge) {
        return new Step(sources[edge], targets[edge], rounds[edge]);
    }

    /** Whether both ends of an edge are at or beyond the positions {@code done} of their chains. */
    boolean isBeyond(int edge, int[] done) {
        return isEventBeyond(sources[edge], done) && isEventBeyond(targets[edge], done);
    }

    private boolean isEventBeyond(int event, int[] done) {
        int chain = events.chain(event);
        return event - events.chainStart(chain) >= done[chain];
    }

    /**
     * Some cycle, in linear time: every chain that stopped waits for an event at or beyond another chain's stop, so
     * following who waits for whom comes back.
     *
     * @param done where each chain stopped
     * @return the edges outside sessions in order, or null if nothing waits
     */
    @Nullable
    List<Step> anyCycle(int[] done) {
        int[] waitsBy = new int[events.chains()];
        Arrays.fill(waitsBy, NONE);
        for (int e = 0; e < edges; e++) {
            int chain = events.chain(targets[e]);
            if (targets[e] - events.chainStart(chain) == done[chain] && isEventBeyond(sources[e], done)) {
                waitsBy[chain] = e;
            }
        }
        int[] visitedAt = new int[events.chains()];
        for (int chain = 0; chain < waitsBy.length; chain++) {
            List<Step> steps = new ArrayList<>();
            Arrays.fill(visitedAt, NONE);
            int at = chain;
            while (waitsBy[at] != NONE && visitedAt[at] == NONE) {
                visitedAt[at] = steps.size();
                steps.add(step(waitsBy[at]));
                at = events.chain(sources[waitsBy[at]]);
            }
            if (waitsBy[at] != NONE) {
                List<Step> cycle = new ArrayList<>(steps.subList(visitedAt[at], steps.size()));
                Collections.reverse(cycle);
                return cycle;
            }
        }
        return null;
    }

    /** Events visited by all searches so far, for work limits. */
    long work() {
        return work;
    }

    /**
     * The path between two events with the fewest edges outside sessions, by a breadth-first search whose levels are
     * such edges.
     *
     * @param below only edges of earlier rounds than this
     * @param done only events at or beyond these positions of their chains; all zeros for no limit
     * @param most gives up beyond so many edges outside sessions
     * @return those edges in order; null if there is no such path; empty if it is within a session
     */
    @Nullable
    List<Step> path(int from, int to, int below, int[] done, int most) {
        stamp++;
        level.clear();
        nextLevel.clear();
        pending.clear();
        visit(from, NONE, level);
        for (int depth = 0; depth <= most; depth++) {
            while (!level.isEmpty()) {
                int v = level.popInt();
                if (v == to) {
                    return trace(from, to);
                }
                int next = v + 1;
                if (next < events.count() && events.chain(next) == events.chain(v)) {
                    visit(next, NONE, level);
                }
                for (int i = starts[v]; i < starts[v + 1]; i++) {
                    int e = order[i];
                    if (rounds[e] < below && isEventBeyond(targets[e], done)) {
                        pending.add(e);
                    }
                }
            }
            for (int i = 0; i < pending.size(); i++) {
                int e = pending.getInt(i);
                visit(targets[e], e, nextLevel);
            }
            pending.clear();
            IntArrayList swap = level;
            level = nextLevel;
            nextLevel = swap;
            if (level.isEmpty()) {
                return null;
            }
        }
        return null;
    }

    private void visit(int event, int by, IntArrayList list) {
        if (stamps[event] != stamp) {
            stamps[event] = stamp;
            parent[event] = by;
            list.add(event);
            work++;
        }
    }

    private List<Step> trace(int from, int to) {
        List<Step> steps = new ArrayList<>();
        int v = to;
        while (v != from) {
            int e = parent[v];
            if (e == NONE) {
                v--;
            } else {
                steps.add(step(e));
                v = sources[e];
            }
        }
        Collections.reverse(steps);
        return steps;
    }
}
