package org.polygraph.jobs.job;

import org.apache.spark.sql.SparkSession;
import org.polygraph.jobs.pipeline.Budget;
import org.polygraph.jobs.pipeline.CheckRequest;
import org.polygraph.jobs.pipeline.Checker;
import org.polygraph.jobs.pipeline.Decision;
import org.polygraph.jobs.pipeline.Progress;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.storage.columnar.HistoryTable;

/**
 * The Spark engine: what goes key by key runs in tasks, over the same kernels as in the embedded engine; graph, rules,
 * order, solver and replay stay on the driver. One session, started by the first check and kept until {@link #close} or
 * the end of the process.
 *
 * <p>On the driver, beside the table: twice the index (12 bytes a visible write, 8 an external read, 16 a key) while
 * slices are merged. In a task: 53 bytes an operation of its slice; between jobs 12 a write, 8 a read, 16 a key, cached.
 */
public final class SparkChecker implements Checker, AutoCloseable {
    /** A task of some 100 ms: below, starting it costs more than it does. */
    private static final int OPERATIONS_PER_SLICE = 100_000;

    private final LazySession session;
    private final int operationsPerSlice;

    /**
     * Starts nothing yet.
     *
     * @param master Spark master URL
     * @throws IllegalArgumentException if it is none
     */
    public SparkChecker(String master) {
        this(master, OPERATIONS_PER_SLICE);
    }

    /**
     * For tests.
     *
     * @param operationsPerSlice few: even small histories are cut into several slices
     */
    SparkChecker(String master, int operationsPerSlice) {
        this.session = new LazySession(master);
        this.operationsPerSlice = operationsPerSlice;
    }

    @Override
    public Verdict check(HistoryTable table, CheckRequest request, Progress progress, Budget budget) {
        if (Runtime.getRuntime().maxMemory() < LazySession.LEAST_HEAP) {
            return Verdict.of(Verdict.Status.UNKNOWN, request.level())
                    .reason(budget.shortage("a Spark session", LazySession.LEAST_HEAP))
                    .build();
        }
        HistoryTable judged = request.judged(table);
        return session.use(spark -> check(spark, judged, request, progress, budget));
    }

    private Verdict check(
            SparkSession spark, HistoryTable table, CheckRequest request, Progress progress, Budget budget) {
        int partitions = Integer.parseInt(spark.conf().get("spark.sql.shuffle.partitions"));
        SparkStages.Layout layout = SparkStages.Layout.of(table, operationsPerSlice, partitions);
        try (SparkStages stages = new SparkStages(spark, LazySession.stageFolder(spark), table, layout, budget)) {
            return new Decision(table, request, progress, budget).make(stages);
        }
    }

    /** The session, started if there is none, or none that lives. */
    SparkSession session() {
        return session.get();
    }

    /** Stops the session. */
    @Override
    public void close() {
        session.close();
    }
}
