package org.polygraph.partitioner.closure;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;

/**
 * Exact reachability where real time is part of the graph: a threshold and exceptions. Event a reaches v iff
 * {@code earliestEnd(a) < latestStart(v)} (see {@link TimeBounds}), or it does over the graph's own edges alone. Of the
 * latter, row(v) holds those that the threshold does not cover: by chain, the last event that reaches v over these
 * edges and whose earliest end is not below {@code latestStart(v)}. Such events overlap v or what reaches v, so rows
 * are short, however many sessions there are; a long transaction is only in the rows of events that it reaches.
 *
 * <p>An update passes over all events again, in {@link Window}s of time: rows of predecessors are merged, and events
 * that the row's own threshold covers are left out. Windows are pure functions of their input and run in parallel; rows
 * and edges do not depend on the borders between windows.
 *
 * <p>Time: O(events + edges) merges of short rows. Memory: 12 bytes an event of {@link TimeBounds}, 4 for the place of
 * its row, 4 an exception and 4 a row that has any (twice while an update runs), and real time itself; while an update
 * runs 12 an event more, and a {@link Window} for each worker. A row has an exception for each chain if everything
 * overlaps everything; then {@link #update} gives up at the given limit.
 */
public final class WindowClosure implements Closure {
    /** The words of {@link #changed} that one task compares, for 65,536 events. */
    private static final int COMPARED_WORDS = 1 << 10;

    private final KnownGraph graph;
    private final Events events;
    private final long mostBytes;
    private final long[] changed;
    private final WindowPlan.Granularity granularity;
    private final WorkerThreads workers;

    private @Nullable TimeBounds bounds;
    private int[] earliestEnd = new int[0];
    private int[] latestStart = new int[0];
    /** By event: the place of its row, 0 for none. */
    private int[] places = new int[0];

    private RowArena rows = new RowArena(0, 0);

    /** @param granularity see {@link WindowPlan} */
    WindowClosure(KnownGraph graph, long mostBytes, WindowPlan.Granularity granularity, WorkerThreads workers) {
        this.graph = graph;
        this.events = graph.events();
        this.mostBytes = mostBytes;
        this.granularity = granularity;
        this.workers = workers;
        this.changed = new long[(events.count() + 63) >> 6];
    }

    /**
     * A closure of a graph that real time is bound to; {@link #update} computes it.
     *
     * @param mostBytes the most bytes of its rows
     */
    public static WindowClosure of(KnownGraph graph, long mostBytes, WorkerThreads workers) {
        return new WindowClosure(graph, mostBytes, WindowPlan.Granularity.DEFAULT, workers);
    }

    /** The bytes that it takes while it is updated, without exceptions. */
    public static long bytes(Events events) {
        return 33L * events.count();
    }

    @Override
    public long bytes() {
        return 21L * events.count() + rows.bytes();
    }

    @Override
    public boolean update(BooleanSupplier stop) {
        int known = bounds == null ? 0 : graph.indexedEdges();
        WindowPlan plan = WindowPlan.of(graph, known, granularity);
        long[] keep = plan.isCyclic() ? new long[0] : plan.keep();
        boolean exact = make(plan, keep, stop);
        if (exact) {
            graph.retain(keep);
        }
        return exact;
    }

    /** Computes all rows; {@code keep} gets a bit an edge that is judged and stays. */
    private boolean make(WindowPlan plan, long[] keep, BooleanSupplier stop) {
        if (plan.isCyclic()) {
            return false;
        }
        RowArena made = new RowArena(events.chains(), events.count());
        int[] madePlaces = new int[events.count()];
        workers.run(plan.count(), () -> worker(plan, made, madePlaces, keep), stop);
        Arrays.fill(changed, 0);
        TimeBounds before = bounds;
        if (before != null) {
            plan.markGrown(before, changed);
            compare(made, madePlaces);
        }
        bounds = plan.bounds();
        earliestEnd = plan.bounds().earliestEnd();
        latestStart = plan.bounds().latestStart();
        places = madePlaces;
        rows = made;
        return true;
    }

    private WorkerThreads.Worker worker(WindowPlan plan, RowArena made, int[] madePlaces, long[] keep) {
        RowArena.Writer writer = made.writer();
        return (number, stop) -> {
            Window window = plan.window(number);
            window.close(mostBytes - rows.bytes(), stop);
            window.moveTo(writer, madePlaces);
            int[] kept = window.kept();
            synchronized (keep) {
                for (int e : kept) {
                    keep[e >> 6] |= 1L << e;
                }
            }
            if (made.bytes() + rows.bytes() > mostBytes) {
                throw new OutgrownException(mostBytes);
            }
        };
    }

    private void compare(RowArena made, int[] madePlaces) {
        int tasks = (changed.length + COMPARED_WORDS - 1) / COMPARED_WORDS;
        workers.run(
                tasks,
                () -> (task, stop) -> {
                    int from = task * COMPARED_WORDS << 6;
                    int to = Math.min(events.count(), (task + 1) * COMPARED_WORDS << 6);
                    for (int v = from; v < to; v++) {
                        if (!made.equals(madePlaces[v], rows, places[v])) {
                            changed[v >> 6] |= 1L << v;
                        }
                    }
                },
                () -> false);
    }

    @Override
    public boolean reaches(int a, int b) {
        if (earliestEnd[a] < latestStart[b]) {
            return true;
        }
        int chain = events.chain(a);
        if (chain == events.chain(b)) {
            return a < b;
        }
        int last = rows.firstNotBelow(places[b], a);
        return last >= 0 && events.chain(last) == chain;
    }

    @Override
    public int[] order() {
        return EventOrder.byTime(graph, Objects.requireNonNull(graph.realTime()), bounds());
    }

    @Override
    public <R> R with(Function<ChainClocks, R> clocks, Function<WindowClosure, R> window) {
        return window.apply(this);
    }

    @Override
    public long[] changed() {
        return changed;
    }

    /** See {@link TimeBounds#earliestEnd}. */
    public int[] earliestEnd() {
        return earliestEnd;
    }

    /** See {@link TimeBounds#latestStart}. */
    public int[] latestStart() {
        return latestStart;
    }

    /** The bounds of the last update. */
    public TimeBounds bounds() {
        return Objects.requireNonNull(bounds, "not computed yet");
    }

    /** The number of exceptions in the row of an event. */
    public int exceptions(int event) {
        return rows.length(places[event]);
    }

    /**
     * Exception i of an event's row: the last event of its chain that reaches the event. Exceptions ascend by chain.
     */
    public int exception(int event, int i) {
        return rows.get(places[event], i);
    }
}
