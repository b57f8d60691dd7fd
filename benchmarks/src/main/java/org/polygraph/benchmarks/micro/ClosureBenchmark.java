package org.polygraph.benchmarks.micro;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.graph.KnownGraph;

/**
 * Computes chain clocks from nothing. The closure drops redundant edges, so each invocation gets a fresh graph, which
 * is not measured.
 */
public class ClosureBenchmark extends Kernel {
    /** SER has one event a transaction, SI two. */
    @Param({"SER", "SI"})
    public String level = "";

    @SuppressWarnings("NullAway.Init")
    private Prepared prepared;

    @SuppressWarnings("NullAway.Init")
    private KnownGraph graph;

    /** Generates the history. */
    @Setup
    public void prepare() {
        prepared = Prepared.of(transactions, keys, level);
    }

    /** A graph that no closure has touched. */
    @Setup(Level.Invocation)
    public void freshGraph() {
        graph = prepared.graph();
    }

    /** Allocation and first update. */
    @Benchmark
    public ChainClocks closure() {
        return Prepared.closure(graph);
    }
}
