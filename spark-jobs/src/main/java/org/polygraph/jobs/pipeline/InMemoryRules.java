package org.polygraph.jobs.pipeline;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.closure.Closure;
import org.polygraph.partitioner.closure.WindowClosure;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.order.EventOrder;
import org.polygraph.partitioner.prune.Saturation;
import org.polygraph.storage.artifact.ArrayFile;

/** Rules over a closure on this JVM's heap: chain clocks, or the window closure where real time is part of the graph. */
final class InMemoryRules implements Rules {
    private final KnownGraph graph;
    private final Closure closure;
    private final Saturation saturation;

    private InMemoryRules(IndexedHistory history, KnownGraph graph, Closure closure) {
        this.graph = graph;
        this.closure = closure;
        this.saturation = new Saturation(graph, history.versions(), closure, history.counting());
    }

    /**
     * The rules of a graph.
     *
     * @param bytes that the closure may take
     * @return null if it does not fit
     */
    static @Nullable InMemoryRules of(IndexedHistory history, KnownGraph graph, long bytes) {
        Closure closure = closure(graph, bytes);
        return closure == null ? null : new InMemoryRules(history, graph, closure);
    }

    private static @Nullable Closure closure(KnownGraph graph, long most) {
        if (graph.realTime() == null) {
            return ChainClocks.bytes(graph.events()) <= most ? ChainClocks.of(graph) : null;
        }
        long fixed = WindowClosure.bytes(graph.events());
        return fixed <= most ? WindowClosure.of(graph, most - fixed) : null;
    }

    @Override
    public Closure.Result close(BooleanSupplier stop) {
        return closure.update(stop);
    }

    @Override
    public boolean isOutgrown() {
        return closure instanceof WindowClosure window && window.isOutgrown();
    }

    @Override
    public Saturation.Result round(BooleanSupplier stop) {
        return saturation.round(stop);
    }

    @Override
    public int impossibleKey() {
        return saturation.impossibleKey();
    }

    @Override
    public int impossibleReader() {
        return saturation.impossibleReader();
    }

    @Override
    public int[] order() {
        return EventOrder.of(graph, closure);
    }

    @Override
    public boolean reaches(int a, int b) {
        return closure.reaches(a, b);
    }

    @Override
    public long heapBytes() {
        return closure.bytes();
    }

    @Override
    public void saveTo(ArrayFile file) {
        file.put(CHANGED, closure.changed());
        if (saturation.hasBegun()) {
            file.put(DECIDED, saturation.decidedKeys());
        }
    }

    @Override
    public Closure.Result restore(ArrayFile file, BooleanSupplier stop) throws ArrayFile.DamagedException {
        if (!(closure instanceof ChainClocks clocks)) {
            throw new ArrayFile.DamagedException("found rules with real time, which are not kept");
        }
        if (file.has(DECIDED)) {
            saturation.resume(file.ints(DECIDED));
        }
        return clocks.restore(file.longs(CHANGED), stop);
    }

    @Override
    public void close() {
        // The collector's part.
    }
}
