package org.polygraph.jobs.pipeline;

import java.util.function.BooleanSupplier;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.order.EventOrder;
import org.polygraph.partitioner.prune.Saturation;
import org.polygraph.storage.artifact.ArrayFile;

/** Rules over clocks on this JVM's heap: {@link ChainClocks#bytes} of them. */
final class InMemoryRules implements Rules {
    private final Events events;
    private final ChainClocks clocks;
    private final Saturation saturation;

    InMemoryRules(IndexedHistory history, KnownGraph graph) {
        this.events = graph.events();
        this.clocks = ChainClocks.of(graph);
        this.saturation = new Saturation(graph, history.versions(), clocks, history.counting());
    }

    @Override
    public ChainClocks.Result close(BooleanSupplier stop) {
        return clocks.update(stop);
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
    public int[] byRank() {
        return EventOrder.byRank(events, clocks);
    }

    @Override
    public boolean reaches(int a, int b) {
        return clocks.reaches(a, b);
    }

    @Override
    public long heapBytes() {
        return ChainClocks.bytes(events);
    }

    @Override
    public void saveTo(ArrayFile file) {
        file.put(CHANGED, clocks.changed());
        if (saturation.hasBegun()) {
            file.put(DECIDED, saturation.decidedKeys());
        }
    }

    @Override
    public ChainClocks.Result restore(ArrayFile file, BooleanSupplier stop) throws ArrayFile.DamagedException {
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
