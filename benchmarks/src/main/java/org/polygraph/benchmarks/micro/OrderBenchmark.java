package org.polygraph.benchmarks.micro;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.infra.Blackhole;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.Problem;
import org.polygraph.partitioner.residual.ResidualCore;

/** Measures the order after closure, one round and closure again, and the check of every key against it. */
public class OrderBenchmark extends Kernel {
    /** SER has one event a transaction, SI two. */
    @Param({"SER", "SI"})
    public String level = "";

    @SuppressWarnings("NullAway.Init")
    private Prepared prepared;

    @SuppressWarnings("NullAway.Init")
    private KnownGraph graph;

    @SuppressWarnings("NullAway.Init")
    private ChainClocks clocks;

    @SuppressWarnings("NullAway.Init")
    private int[] position;

    /** Does everything before the order. The measured phases do not change it. */
    @Setup
    public void prepare() {
        prepared = Prepared.of(transactions, keys, level);
        graph = prepared.graph();
        clocks = Prepared.closure(graph);
        prepared.saturate(graph, clocks);
        Prepared.require(clocks.update(() -> false));
        position = clocks.order();
    }

    /** The order in which chains advance in turn. */
    @Benchmark
    public int[] order() {
        return clocks.order();
    }

    /** Checks every key against that order. */
    @Benchmark
    public void check(Blackhole blackhole) {
        blackhole.consume(ResidualCore.of(new Problem(prepared.history(), graph), position, () -> false));
    }
}
