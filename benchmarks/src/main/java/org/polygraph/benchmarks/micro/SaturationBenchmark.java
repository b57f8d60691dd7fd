package org.polygraph.benchmarks.micro;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.prune.Saturation;

/**
 * Measures the first round of forced edges, over all keys. It adds edges, so each invocation gets a fresh graph, which
 * is not measured.
 */
public class SaturationBenchmark extends Kernel {
    /** SER has one event a transaction, SI two. */
    @Param({"SER", "SI"})
    public String level = "";

    @SuppressWarnings("NullAway.Init")
    private Prepared prepared;

    @SuppressWarnings("NullAway.Init")
    private KnownGraph graph;

    @SuppressWarnings("NullAway.Init")
    private ChainClocks clocks;

    /** Generates the history. */
    @Setup
    public void prepare() {
        prepared = Prepared.of(transactions, keys, level);
    }

    /** A graph and its closure that no round has touched. */
    @Setup(Level.Invocation)
    public void freshClosure() {
        graph = prepared.graph();
        clocks = Prepared.closure(graph);
    }

    /** One round. */
    @Benchmark
    public Saturation.RoundResult round() {
        return prepared.saturate(graph, clocks);
    }
}
