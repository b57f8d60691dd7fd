package org.polygraph.benchmarks.micro;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.IndexedHistory;

/** Makes the version index of a table, and the known graph of that. Neither changes its input. */
public class IndexBenchmark extends Kernel {
    @SuppressWarnings("NullAway.Init")
    private Prepared prepared;

    /** Generates the history. */
    @Setup
    public void prepare() {
        prepared = Prepared.of(transactions, keys, "SER");
    }

    /** The version index. */
    @Benchmark
    public IndexedHistory index() {
        return Prepared.index(prepared.table());
    }

    /** The graph of sessions and reads. */
    @Benchmark
    public KnownGraph graph() {
        return prepared.graph();
    }
}
