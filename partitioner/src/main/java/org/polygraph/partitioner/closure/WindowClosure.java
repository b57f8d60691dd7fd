package org.polygraph.partitioner.closure;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;

/**
 * Exact reachability where real time is part of the graph: a threshold and exceptions. Event a reaches v iff {@code
 * earliestEnd(a) < latestStart(v)} (see {@link TimeBounds}), or it does over the graph's own edges alone. Of the latter, row(v)
 * holds what the threshold does not say: by chain, the last event that reaches v although nothing it reaches ended in time.
 * Such events overlap v or what reaches v, so rows are short, however many sessions there are; a long transaction is in
 * those rows only whose events it reaches.
 *
 * <p>An update goes through all events once more, in {@link Window}s of time: rows of predecessors are merged, and what a
 * row's own threshold covers is left out. Windows are pure functions of what they are made from, and so run in parallel; rows
 * and edges do not depend on where they are cut.
 *
 * <p>Memory: 12 bytes an event of {@link TimeBounds}, 4 for where its row is, 4 an exception and a row that has any (twice
 * while an update runs), and real time itself; while an update runs 12 an event more, and {@link Window} for each core. Up to
 * chains exceptions a row if everything overlaps everything: then {@link #update} gives up at the limit given.
 */
public final class WindowClosure implements Closure {
    /** Of {@link #changed}, in one piece: 65,536 events. */
    private static final int COMPARED_WORDS = 1 << 10;

    private final KnownGraph graph;
    private final Events events;
    private final long mostBytes;
    private final long[] changed;
    private final WindowPlan.Cut cut;
    private final Cores cores;
    private volatile boolean outgrown;

    private @Nullable TimeBounds bounds;
    private int[] earliestEnd = new int[0];
    private int[] latestStart = new int[0];
    /** By event: where its row is, 0 for none. */
    private int[] places = new int[0];

    private RowArena rows = new RowArena(0, 0);

    private WindowClosure(KnownGraph graph, long mostBytes, WindowPlan.Cut cut, Cores cores) {
        this.graph = graph;
        this.events = graph.events();
        this.mostBytes = mostBytes;
        this.cut = cut;
        this.cores = cores;
        this.changed = new long[(events.count() + 63) >> 6];
    }

    /**
     * A closure of a graph that real time is bound to; {@link #update} computes it.
     *
     * @param mostBytes what its rows may take
     */
    public static WindowClosure of(KnownGraph graph, long mostBytes, Cores cores) {
        return of(graph, mostBytes, WindowPlan.Cut.USUAL, cores);
    }

    /**
     * For tests.
     *
     * @param cut see {@link WindowPlan}
     */
    static WindowClosure of(KnownGraph graph, long mostBytes, WindowPlan.Cut cut, Cores cores) {
        return new WindowClosure(graph, mostBytes, cut, cores);
    }

    /**
     * Some events of a closure that was computed elsewhere, as one of their own; not to be updated.
     *
     * @param of the whole
     * @param numbers by event: its number there
     * @param renumbered by number there, how many of the events of its chain here are not after it
     * @param changed see {@link #changed}
     */
    public static WindowClosure part(
            KnownGraph graph, WindowedRows of, IntUnaryOperator numbers, IntUnaryOperator renumbered, long[] changed) {
        WindowClosure part = new WindowClosure(graph, Long.MAX_VALUE, WindowPlan.Cut.USUAL, Cores.of(1));
        System.arraycopy(changed, 0, part.changed, 0, changed.length);
        int n = part.events.count();
        part.earliestEnd = new int[n];
        part.latestStart = new int[n];
        part.places = new int[n];
        part.rows = new RowArena(of.chains(), n);
        RowArena.Writer writer = part.rows.writer();
        int[] row = new int[of.chains()];
        for (int v = 0; v < n; v++) {
            int event = numbers.applyAsInt(v);
            part.earliestEnd[v] = of.earliestEnd(event);
            part.latestStart[v] = of.latestStart(event);
            int length = of.row(event, row);
            int count = 0;
            for (int i = 0; i < length; i++) {
                int upTo = renumbered.applyAsInt(row[i]);
                if (upTo > 0) {
                    row[count++] = part.events.chainStart(Events.chainOf(of.chainStarts(), row[i])) + upTo - 1;
                }
            }
            part.places[v] = count == 0 ? 0 : writer.add(row, count);
        }
        return part;
    }

    /** Bytes that it takes without exceptions, while it is updated. */
    public static long bytes(Events events) {
        return 33L * events.count();
    }

    @Override
    public long bytes() {
        return 21L * events.count() + rows.bytes();
    }

    @Override
    public Result update(BooleanSupplier stop) {
        int known = bounds == null ? 0 : graph.indexedEdges();
        WindowPlan plan = WindowPlan.of(graph, known, cut);
        long[] keep = plan.isCyclic() ? new long[0] : plan.keep();
        Result result = make(plan, keep, stop);
        if (result == Result.EXACT) {
            plan.retain(keep);
        }
        return result;
    }

    @Override
    public Result restore(long[] changedThen, BooleanSupplier stop) {
        int indexed = graph.indexedEdges();
        WindowPlan plan = WindowPlan.of(graph, graph.edges(), cut);
        Result result = make(plan, new long[(graph.edges() + 63) >> 6], stop);
        graph.restoreIndexed(indexed);
        System.arraycopy(changedThen, 0, changed, 0, changed.length);
        return result;
    }

    /** Makes all rows. @param keep gets the edges that are judged and stay */
    private Result make(WindowPlan plan, long[] keep, BooleanSupplier stop) {
        if (plan.isCyclic()) {
            return Result.CYCLIC;
        }
        RowArena made = new RowArena(events.chains(), events.count());
        int[] madePlaces = new int[events.count()];
        if (!cores.run(
                plan.count(), () -> worker(plan, made, madePlaces, keep), () -> outgrown || stop.getAsBoolean())) {
            return Result.STOPPED;
        }
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
        return Result.EXACT;
    }

    private Cores.Worker worker(WindowPlan plan, RowArena made, int[] madePlaces, long[] keep) {
        RowArena.Writer writer = made.writer();
        return (number, stop) -> {
            Window window = plan.window(number);
            if (!window.close(mostBytes - rows.bytes(), stop)) {
                if (window.isOutgrown()) {
                    outgrown = true;
                }
                return;
            }
            window.moveTo(writer, madePlaces);
            int[] kept = window.kept();
            synchronized (keep) {
                for (int e : kept) {
                    keep[e >> 6] |= 1L << e;
                }
            }
            if (made.bytes() + rows.bytes() > mostBytes) {
                outgrown = true;
            }
        };
    }

    private void compare(RowArena made, int[] madePlaces) {
        int words = changed.length;
        int pieces = (words + COMPARED_WORDS - 1) / COMPARED_WORDS;
        cores.run(
                pieces,
                () -> (piece, stop) -> {
                    int from = piece * COMPARED_WORDS << 6;
                    int to = Math.min(events.count(), (piece + 1) * COMPARED_WORDS << 6);
                    for (int v = from; v < to; v++) {
                        if (!made.equals(madePlaces[v], rows, places[v])) {
                            changed[v >> 6] |= 1L << v;
                        }
                    }
                },
                () -> false);
    }

    /** Whether the last update ended because its rows outgrew their limit. */
    public boolean isOutgrown() {
        return outgrown;
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
        int place = places[b];
        int low = 0;
        int high = rows.length(place);
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (rows.get(place, middle) < a) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low < rows.length(place) && events.chain(rows.get(place, low)) == chain;
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

    /** How many exceptions the row of an event has. */
    public int exceptions(int event) {
        return rows.length(places[event]);
    }

    /** Exception i of an event's row: it and what precedes it in its chain reach the event. Ascending by chain. */
    public int exception(int event, int i) {
        return rows.get(places[event], i);
    }
}
