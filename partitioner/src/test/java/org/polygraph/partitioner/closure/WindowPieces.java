package org.polygraph.partitioner.closure;

import java.nio.IntBuffer;
import java.util.Arrays;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.sliced.WindowedRows;

/** The window closure by windows that are computed separately, as an engine does, but without an engine. */
public final class WindowPieces {
    private final KnownGraph graph;
    private final WindowPlan.Granularity granularity;
    private final int[] chainStarts;
    private TimeBounds bounds;
    private WindowedRows rows;
    private long[] changed;
    private int windows;

    public WindowPieces(KnownGraph graph, WindowPlan.Granularity granularity) {
        this.graph = graph;
        this.granularity = granularity;
        Events events = graph.events();
        chainStarts = new int[events.chains() + 1];
        Arrays.setAll(chainStarts, s -> s < events.chains() ? events.chainStart(s) : events.count());
        changed = new long[(events.count() + 63) >> 6];
    }

    public boolean close() {
        WindowPlan plan = WindowPlan.of(graph, bounds == null ? 0 : graph.indexedEdges(), granularity);
        if (plan.isCyclic()) {
            return false;
        }
        changed = new long[changed.length];
        if (bounds != null) {
            plan.markGrown(bounds, changed);
        }
        long[] keep = plan.keep();
        windows = plan.count();
        IntBuffer[] made = new IntBuffer[windows];
        // Any order is right.
        for (int w = windows - 1; w >= 0; w--) {
            Window window = Window.of(IntBuffer.wrap(plan.window(w).toInts()), chainStarts);
            window.close(Long.MAX_VALUE, () -> false);
            for (int e : window.kept()) {
                keep[e >> 6] |= 1L << e;
            }
            made[w] = IntBuffer.wrap(window.rows());
            if (rows != null) {
                for (int v : rows.differing(made[w])) {
                    changed[v >> 6] |= 1L << v;
                }
            }
        }
        bounds = plan.bounds();
        rows = new WindowedRows(
                chainStarts,
                plan.borders(),
                IntBuffer.wrap(bounds.earliestEnd()),
                IntBuffer.wrap(bounds.latestStart()),
                made);
        plan.retain(keep);
        return true;
    }

    public WindowedRows rows() {
        return rows;
    }

    public TimeBounds bounds() {
        return bounds;
    }

    public long[] changed() {
        return changed;
    }

    public int windows() {
        return windows;
    }
}
