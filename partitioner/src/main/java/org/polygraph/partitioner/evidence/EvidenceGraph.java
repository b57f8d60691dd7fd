package org.polygraph.partitioner.evidence;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.storage.model.StoppedException;

/**
 * The known graph for searches of explanations. It has all observed edges: the closure drops redundant ones, but these
 * may explain most clearly. Session steps have length 0, other edges length 1.
 */
final class EvidenceGraph {
    /** Edges of any round. */
    static final int ALL_ROUNDS = Integer.MAX_VALUE;

    private static final int NONE = -1;
    /** The edge number of a real-time step, which is no edge of the graph. */
    private static final int BY_TIME = -2;
    /** In place of a target event: any event will do. */
    private static final int ANYWHERE = -1;
    /** The work between two looks at the stop, less than a millisecond. */
    private static final long WORK_PER_LOOK = 1 << 14;
    /** As many edges take about as long as the visit of an event. */
    private static final int EDGES_OF_VISIT = 8;

    /**
     * One step of a path that is not within a session.
     *
     * @param edge its number, by which reasons are kept; negative for real time, which is no edge of the graph
     */
    record Step(int from, int to, int round, int edge) {}

    private final KnownGraph known;
    private final Events events;
    private final IntArrayList sources = new IntArrayList();
    private final IntArrayList targets = new IntArrayList();
    private final IntArrayList rounds = new IntArrayList();
    private final int[] starts;
    private final int[] order;
    /** The same by target, created when first needed. */
    private int @Nullable [] backwardStarts;

    private int @Nullable [] backwardOrder;

    // The last search: events with the current stamp were reached, by an edge or by a session step.
    private final int[] stamps;
    private final int[] parent;
    private int stamp;
    private long work;
    private IntArrayList level = new IntArrayList();
    private IntArrayList nextLevel = new IntArrayList();
    private final IntArrayList pending = new IntArrayList();
    private final @Nullable RealTimeSteps time;
    private final BooleanSupplier stop;
    /** The {@link #work} at which the next look at {@link #stop} is due. */
    private long nextLook;

    private final Repeated fromOne = new Repeated(this::reachedFrom);
    private final Repeated toOne = new Repeated(this::reaching);

    /**
     * @param branch the assumptions, which are edges of round 1 in this graph
     * @param stop ends the construction and each search with a {@link StoppedException}
     */
    EvidenceGraph(KnownGraph graph, VersionIndex versions, WriterLookup writers, Branch branch, BooleanSupplier stop) {
        this(graph, stop, made -> {
            for (int key = 0; key < versions.keys(); key++) {
                made.look(made.sources.size());
                made.addReads(key, versions, writers);
                made.addLostUpdates(key, versions, writers);
            }
            made.addKnown(1);
            // The closure may have dropped them from the graph as implied by others.
            branch.edges().keySet().forEach((long pair) -> made.add((int) (pair >>> 32), (int) pair, 1));
        });
    }

    /** For a graph that has all its edges. @param stop as above */
    EvidenceGraph(KnownGraph graph, BooleanSupplier stop) {
        this(graph, stop, made -> made.addKnown(0));
    }

    private EvidenceGraph(KnownGraph graph, BooleanSupplier stop, Consumer<EvidenceGraph> edges) {
        this.stop = stop;
        known = graph;
        events = graph.events();
        time = RealTimeSteps.of(graph);
        stamps = new int[events.count()];
        parent = new int[events.count()];
        edges.accept(this);
        nextLook = 0;
        starts = starts(sources);
        order = byEnd(sources, starts);
    }

    private void addKnown(int firstRound) {
        for (int e = 0; e < known.edges(); e++) {
            if (known.round(e) >= firstRound) {
                add(known.from(e), known.to(e), known.round(e));
            }
        }
    }

    private void addReads(int key, VersionIndex versions, WriterLookup writers) {
        int first = versions.writerStarts()[key];
        for (int w = first; w < versions.writerStarts()[key + 1]; w++) {
            int slot = versions.slot(key) + 1 + w - first;
            for (int r = versions.slotStarts()[slot]; r < versions.slotStarts()[slot + 1]; r++) {
                int reader = versions.readerTransactions()[r];
                if (!writers.isChoice(key, versions.readerClasses()[r], reader)) {
                    add(events.commit(versions.writerTransactions()[w]), events.begin(reader), 0);
                }
            }
        }
    }

    /** Polls the stop now and then. @param done the work so far */
    private void look(long done) {
        if (done >= nextLook) {
            nextLook = done + WORK_PER_LOOK;
            StoppedException.check(stop);
        }
    }

    /**
     * Adds the edges of each lost update of a key: two transactions read one version and both overwrite it, so each
     * missed the other's write. Saturation omits such an edge if longer paths imply it. Of several transactions that
     * read a version, the first is paired with each other one.
     */
    private void addLostUpdates(int key, VersionIndex versions, WriterLookup writers) {
        int missed = roundAfter(0);
        int ordered = roundAfter(missed);
        int firstWriter = versions.writerStarts()[key];
        int writersEnd = versions.writerStarts()[key + 1];
        int[] writerTransactions = versions.writerTransactions();
        for (int slot = versions.slot(key); slot < versions.ambiguousSlot(key); slot++) {
            int first = NONE;
            for (int r = versions.slotStarts()[slot]; r < versions.slotStarts()[slot + 1]; r++) {
                int reader = versions.readerTransactions()[r];
                if (Arrays.binarySearch(writerTransactions, firstWriter, writersEnd, reader) < 0
                        || !writers.isCounted(reader)
                        || writers.isChoice(key, versions.readerClasses()[r], reader)) {
                    continue;
                }
                if (first == NONE) {
                    first = reader;
                } else {
                    add(events.begin(first), events.commit(reader), missed);
                    add(events.begin(reader), events.commit(first), missed);
                    if (events.perTransaction() == 2 && !events.mayOverlap() && !writers.isRow(key)) {
                        add(events.commit(first), events.begin(reader), ordered);
                    }
                }
            }
        }
    }

    private int roundAfter(int round) {
        return known.isRealTime(round + 1) ? round + 2 : round + 1;
    }

    /** Returns by event where its edges begin if edges are sorted by one of their ends; and the number of edges. */
    private int[] starts(IntArrayList ends) {
        int[] counts = new int[events.count() + 1];
        for (int e = 0; e < ends.size(); e++) {
            counts[ends.getInt(e) + 1]++;
        }
        for (int v = 0; v < events.count(); v++) {
            counts[v + 1] += counts[v];
        }
        return counts;
    }

    /** Returns the edges sorted by one of their ends, and else in their order. */
    private int[] byEnd(IntArrayList ends, int[] startsOfEnds) {
        int[] byEnd = new int[ends.size()];
        int[] next = Arrays.copyOf(startsOfEnds, events.count());
        for (int e = 0; e < byEnd.length; e++) {
            byEnd[next[ends.getInt(e)]++] = e;
        }
        return byEnd;
    }

    boolean isRealTime(Step step) {
        return known.isRealTime(step.round());
    }

    private void add(int from, int to, int round) {
        sources.add(from);
        targets.add(to);
        rounds.add(round);
    }

    Events events() {
        return events;
    }

    Step step(int edge) {
        return new Step(source(edge), target(edge), rounds.getInt(edge), edge);
    }

    /** Edges by source: those of event v are {@code edgesFrom()[firstEdges()[v] .. firstEdges()[v + 1])}. */
    int[] edgesFrom() {
        return order;
    }

    /** See {@link #edgesFrom}. */
    int[] firstEdges() {
        return starts;
    }

    int target(int edge) {
        return targets.getInt(edge);
    }

    int source(int edge) {
        return sources.getInt(edge);
    }

    /** The events that an event reaches over edges of earlier rounds than {@code below}, itself among them. */
    BitSet reachedFrom(int event, int below) {
        return reached(event, below, 1, starts, order, targets);
    }

    /** The events that reach an event over edges of earlier rounds than {@code below}, itself among them. */
    BitSet reaching(int event, int below) {
        int[] groups = backwardStarts;
        int[] byTarget = backwardOrder;
        if (groups == null || byTarget == null) {
            groups = starts(targets);
            byTarget = byEnd(targets, groups);
            backwardStarts = groups;
            backwardOrder = byTarget;
        }
        return reached(event, below, -1, groups, byTarget, sources);
    }

    /**
     * Searches in one direction.
     *
     * @param step 1 along session steps, -1 against them
     * @param groups by event: where its edges begin in {@code grouped}
     * @param ends by edge: the event to which it leads
     */
    private BitSet reached(int event, int below, int step, int[] groups, int[] grouped, IntArrayList ends) {
        BitSet reached = new BitSet(events.count());
        IntArrayList open = new IntArrayList();
        put(event, reached, open);
        RealTimeSteps inTime = time != null && time.start(below) ? time : null;
        while (!open.isEmpty()) {
            look(work);
            int v = open.popInt();
            if (inTime != null && step > 0) {
                inTime.collect(v);
                inTime.reached(w -> put(w, reached, open));
            } else if (inTime != null) {
                inTime.preceding(v, u -> put(u, reached, open));
            }
            int next = v + step;
            if (next >= 0 && next < events.count() && events.chain(next) == events.chain(v)) {
                put(next, reached, open);
            }
            for (int i = groups[v]; i < groups[v + 1]; i++) {
                if (rounds.getInt(grouped[i]) < below) {
                    put(ends.getInt(grouped[i]), reached, open);
                }
            }
        }
        return reached;
    }

    private void put(int event, BitSet reached, IntArrayList open) {
        if (!reached.get(event)) {
            reached.set(event);
            open.add(event);
            work++;
        }
    }

    /** The work of all searches so far: visited events, and {@link #EDGES_OF_VISIT} edges for one of them. */
    long work() {
        return work;
    }

    /**
     * The path between two events over edges of earlier rounds than {@code below}; null if there is none. Most of
     * several searches from one event, or to one, find no path. So the second one computes all events that it reaches,
     * or that reach it.
     */
    @Nullable
    List<Step> path(int from, int to, int below) {
        BitSet reached = fromOne.set(from, below);
        if (reached != null && !reached.get(to)) {
            return null;
        }
        BitSet reaching = toOne.set(to, below);
        return reaching != null && !reaching.get(from) ? null : path(from, to, below, reaching, Integer.MAX_VALUE - 1);
    }

    /**
     * The events that one event reaches, or that reach it. The second request in turn for the same event computes them.
     */
    private static final class Repeated {
        /** Finds the events. */
        @FunctionalInterface
        interface Search {
            BitSet of(int event, int below);
        }

        private final Search search;
        private int event = NONE;
        private int below;
        private @Nullable BitSet events;

        Repeated(Search search) {
            this.search = search;
        }

        @Nullable
        BitSet set(int ofEvent, int ofBelow) {
            boolean isSame = event == ofEvent && below == ofBelow;
            events = !isSame ? null : events == null ? search.of(event, below) : events;
            event = ofEvent;
            below = ofBelow;
            return events;
        }
    }

    /**
     * The path between two events with the fewest edges outside sessions, by a breadth-first search whose levels are
     * such edges.
     *
     * @param below only edges of earlier rounds than this
     * @param within only over these events; null for no limit
     * @param most gives up beyond this many edges outside sessions
     * @return those edges in order; null if there is no such path; empty if it is within a session
     */
    @Nullable
    List<Step> path(int from, int to, int below, @Nullable BitSet within, int most) {
        stamp++;
        level.clear();
        nextLevel.clear();
        pending.clear();
        RealTimeSteps inTime = time != null && time.start(below) ? time : null;
        visit(from, NONE, level);
        for (int depth = 0; !level.isEmpty(); depth++) {
            if (endsWithin(to, within)) {
                return trace(from, to);
            }
            if (depth == most) {
                return null;
            }
            // Only session steps may follow the last edge.
            int target = depth < most - 1 ? ANYWHERE : to;
            while (!level.isEmpty()) {
                look(work);
                int v = level.popInt();
                int next = v + 1;
                if (next < events.count()
                        && events.chain(next) == events.chain(v)
                        && (within == null || within.get(next))) {
                    visit(next, NONE, level);
                }
                if (inTime != null) {
                    inTime.collect(v);
                }
                collect(v, below, within, target);
            }
            for (int i = 0; i < pending.size(); i++) {
                int e = pending.getInt(i);
                visit(target(e), e, nextLevel);
            }
            pending.clear();
            if (inTime != null) {
                inTime.reached(w -> {
                    if (mayLead(w, target) && (within == null || within.get(w))) {
                        visit(w, BY_TIME, nextLevel);
                    }
                });
            }
            IntArrayList swap = level;
            level = nextLevel;
            nextLevel = swap;
        }
        return null;
    }

    /** Whether session steps lead from an event of the level to another event; visits those from the nearest one. */
    private boolean endsWithin(int to, @Nullable BitSet within) {
        int nearest = NONE;
        for (int i = 0; i < level.size(); i++) {
            int v = level.getInt(i);
            nearest = v > nearest && mayLead(v, to) ? v : nearest;
        }
        if (nearest == NONE || (within != null && within.nextClearBit(nearest + 1) <= to)) {
            return false;
        }
        for (int v = nearest + 1; v <= to; v++) {
            visit(v, NONE, level);
        }
        return true;
    }

    /** Adds to the pending edges those from an event whose targets were not reached and may lead to the target. */
    private void collect(int event, int below, @Nullable BitSet within, int target) {
        work += (starts[event + 1] - starts[event]) / EDGES_OF_VISIT;
        for (int i = starts[event]; i < starts[event + 1]; i++) {
            int e = order[i];
            int next = target(e);
            if (stamps[next] != stamp
                    && rounds.getInt(e) < below
                    && mayLead(next, target)
                    && (within == null || within.get(next))) {
                pending.add(e);
            }
        }
    }

    /** Whether session steps may lead from an event to another, or the other may be anywhere. */
    private boolean mayLead(int event, int target) {
        return target == ANYWHERE || (event <= target && events.chain(event) == events.chain(target));
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
            } else if (e == BY_TIME) {
                Step step = Objects.requireNonNull(time).stepTo(v);
                steps.add(step);
                v = step.from();
            } else {
                steps.add(step(e));
                v = source(e);
            }
        }
        Collections.reverse(steps);
        return steps;
    }
}
