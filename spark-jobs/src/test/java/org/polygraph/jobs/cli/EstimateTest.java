package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.application.SparkSettings;
import org.polygraph.jobs.estimate.Estimate;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistorySize;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Workloads;

/** What an estimate follows from; the files estimates*.case compare estimates with histories. */
class EstimateTest {
    private static final HistorySize TEN_MILLION = size(1_250_000, 10_000_000, 5_000_000, 50, 1_000_000, true);

    /** The size of a history, whatever its format is. */
    private static HistorySize size(
            long transactions, long operations, long writes, long sessions, long keys, boolean isTimed) {
        HistorySize.Counts counts = new HistorySize.Counts(transactions, operations, writes, sessions, keys);
        return new HistorySize(
                HistorySize.Source.ALL, HistoryFormat.PARQUET, -1, counts, isTimed, HistorySize.Whole.NEVER);
    }

    /** The memory of windows does not grow with the history, and auto takes them for what does not fit. */
    @Test
    void windowsTakeWhatDoesNotFit() {
        HistorySize ten = TEN_MILLION;
        HistorySize thousand = size(125_000_000, 1_000_000_000, 500_000_000, 50, 10_000_000, true);
        Estimate small = Estimate.of(Estimate.Engine.SPARK, ten, IsolationLevel.SER);
        Estimate large = Estimate.of(Estimate.Engine.SPARK, thousand, IsolationLevel.SER);
        assertThat(large.taskBytes()).isLessThan(small.taskBytes() * 5 / 4);
        assertThat(large.memoryBytes()).isLessThan(2L << 30);
        for (IsolationLevel level :
                List.of(IsolationLevel.SER, IsolationLevel.SI, IsolationLevel.RC, IsolationLevel.LIN)) {
            assertThat(Estimate.auto(ten, level, 8L << 30)).isEqualTo(Estimate.Engine.EMBEDDED);
            assertThat(Estimate.auto(thousand, level, 4L << 30)).isEqualTo(Estimate.Engine.WINDOWS);
            assertThat(Estimate.auto(thousand, level, 64L << 20)).isEqualTo(Estimate.Engine.EMBEDDED);
        }
    }

    /** Tasks of a local master share the heap of the driver; those of a cluster do not. */
    @Test
    void tasksOfALocalMasterAreInTheMemoryOfTheDriver() {
        Estimate cluster = Estimate.of(Estimate.Engine.SPARK, TEN_MILLION, IsolationLevel.SER);
        for (int threads : new int[] {1, 2, 7}) {
            Estimate local = Estimate.of(Estimate.Engine.SPARK, TEN_MILLION, IsolationLevel.SER, threads);
            assertThat(local.memoryBytes() - cluster.memoryBytes()).isEqualTo((threads - 1) * cluster.taskBytes());
        }
        // No more tasks than there are.
        assertThat(Estimate.of(Estimate.Engine.SPARK, TEN_MILLION, IsolationLevel.SER, 1_000)
                        .memoryBytes())
                .isEqualTo(Estimate.of(Estimate.Engine.SPARK, TEN_MILLION, IsolationLevel.SER, 77)
                        .memoryBytes());
        assertThat(new SparkSettings("local[5]").threadsOfDriver()).isEqualTo(5);
        assertThat(new SparkSettings("spark://host:7077").threadsOfDriver()).isZero();
    }

    /** A check holds all of these arrays, so the estimate is never less. */
    @Test
    void arraysAreNoLargerThanTheEstimate() {
        for (double reads : List.of(0.0, 0.5, 1.0)) {
            HistoryTable table = Workloads.of(0xe57, "timed false sessions 10 transactions 5000 operations 8 keys 4000")
                    .reads(reads)
                    .table();
            IndexedHistory history = IndexedHistory.of(table, IndexedHistory.Indeterminate.MAYBE);
            Events events = new Events(1, table.sessionStarts(), history.sessionOf());
            KnownGraph graph = KnownGraph.of(events, history.versions());
            long held = table.arrayBytes() + history.versions().bytes() + 13L * graph.edges() + 12L * events.count();
            Estimate estimate = Estimate.of(Estimate.Engine.EMBEDDED, HistorySize.of(table), IsolationLevel.SER);
            assertThat(estimate.leastBytes() - (64L << 20)).as(reads + " reads").isGreaterThanOrEqualTo(held);
        }
    }

    /** The start is not divided. What tasks do is divided by the cores, of which at most one for each task is used. */
    @Test
    void coresShareWhatTasksDo() {
        Estimate embedded = Estimate.of(Estimate.Engine.EMBEDDED, TEN_MILLION, IsolationLevel.SER);
        assertThat(embedded.seconds(64)).isEqualTo(embedded.cpuSeconds());
        Estimate spark = Estimate.of(Estimate.Engine.SPARK, TEN_MILLION, IsolationLevel.SER);
        assertThat(spark.seconds(1)).isCloseTo(spark.cpuSeconds(), within(1e-9));
        double tasks = spark.cpuSeconds() - spark.driverSeconds();
        assertThat(tasks).isPositive();
        assertThat(spark.seconds(4)).isCloseTo(spark.driverSeconds() + tasks / 4, within(1e-9));
        assertThat(spark.seconds(1000)).isEqualTo(spark.seconds(77));
        assertThat(new SparkSettings("local[5]").cores()).isEqualTo(5);
        assertThat(new SparkSettings("local").cores()).isEqualTo(1);
    }

    @Test
    void realTimeNeedsNoColumnASession() {
        for (long sessions : List.of(2L, 5_000L)) {
            HistorySize large = size(20_000_000, 160_000_000, 80_000_000, sessions, 1_000_000, true);
            Estimate embedded = Estimate.of(Estimate.Engine.EMBEDDED, large, IsolationLevel.SSER);
            assertThat(embedded.memoryBytes() - embedded.leastBytes()).isEqualTo(33L * 20_000_000);
        }
    }

    /** Without times no level needs memory or CPU for each pair of a transaction and a session. */
    @Test
    void manyShortSessionsNeedNoClocks() {
        HistorySize short70k = size(70_000, 140_000, 70_000, 70_000, 1_000, false);
        for (IsolationLevel level : IsolationLevel.values()) {
            Estimate embedded = Estimate.of(Estimate.Engine.EMBEDDED, short70k, level);
            assertThat(embedded.memoryBytes()).as("%s", level).isLessThan(200L << 20);
            assertThat(embedded.cpuSeconds()).as("%s", level).isBetween(0.5, 3.0);
            assertThat(Estimate.auto(short70k, level, 1L << 30)).isEqualTo(Estimate.Engine.EMBEDDED);
        }
    }

    /** Footers may state any numbers. */
    @Test
    void sizesDoNotOverflow() {
        HistorySize part = new HistorySize(
                HistorySize.Source.METADATA,
                HistoryFormat.PARQUET,
                1,
                new HistorySize.Counts(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE),
                true,
                HistorySize.Whole.NEVER);
        HistorySize both = part.after(part);
        assertThat(both.counts().operations()).isPositive();
        for (IsolationLevel level : IsolationLevel.values()) {
            for (Estimate.Engine engine : Estimate.Engine.values()) {
                Estimate estimate = Estimate.of(engine, both, level, 4);
                assertThat(List.of(estimate.memoryBytes(), estimate.leastBytes(), estimate.diskBytes()))
                        .as("%s %s", engine, level)
                        .allMatch(bytes -> bytes >= 0);
                assertThat(estimate.cpuSeconds()).isPositive();
                assertThat(estimate.fit(1L << 40)).isEqualTo(Estimate.Fit.NO);
            }
        }
    }
}
