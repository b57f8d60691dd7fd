package org.polygraph.benchmarks.micro;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.IndexedHistory;

/** From a table to the version index, and from that to the known graph. Neither changes its input. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class IndexBenchmark {
    /** Transactions of 8 operations over as many keys. */
    @Param("100000")
    public int transactions;

    /** Key distribution. */
    @Param({"uniform", "zipf"})
    public String keys = "";

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
