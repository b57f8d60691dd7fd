package org.polygraph.jobs.job;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.pipeline.Budget;
import org.polygraph.jobs.pipeline.CheckRequest;
import org.polygraph.jobs.pipeline.Checker;
import org.polygraph.jobs.pipeline.Decision;
import org.polygraph.jobs.pipeline.EngineException;
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
    /** Where stage files go on a cluster, any Hadoop path that driver and executors see. */
    static final String STAGE_FOLDER = "spark.polygraph.stage.dir";

    /** A task of some 100 ms: below, starting it costs more than it does. */
    private static final int OPERATIONS_PER_SLICE = 100_000;

    /** Spark does not start with less: one and a half times what it reserves. */
    private static final long LEAST_HEAP = 450L << 20;

    private final String master;
    private final int operationsPerSlice;
    private @Nullable SparkSession session;

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
        Sessions.quiet();
        Sessions.profile(master);
        this.master = master;
        this.operationsPerSlice = operationsPerSlice;
    }

    @Override
    public Verdict check(HistoryTable table, CheckRequest request, Progress progress, Budget budget) {
        if (Runtime.getRuntime().maxMemory() < LEAST_HEAP) {
            return Verdict.of(Verdict.Status.UNKNOWN, request.level())
                    .reason(budget.shortage("a Spark session", LEAST_HEAP))
                    .build();
        }
        SparkSession spark = session();
        try {
            return check(spark, table, request, progress, budget);
        } catch (IllegalStateException | EngineException e) {
            // A master that cannot be reached, or is lost, stops the context; whoever uses it then gets pages of text.
            if (spark.sparkContext().isStopped()) {
                throw new EngineException(
                        "Spark has stopped: there is no cluster at " + master + ", or it is gone; check --master", e);
            }
            throw e;
        }
    }

    private Verdict check(
            SparkSession spark, HistoryTable table, CheckRequest request, Progress progress, Budget budget) {
        int partitions = Integer.parseInt(spark.conf().get("spark.sql.shuffle.partitions"));
        SparkStages.Layout layout = SparkStages.Layout.of(table, operationsPerSlice, partitions);
        try (SparkStages stages = new SparkStages(spark, stageFolder(spark), table, layout, budget)) {
            return new Decision(table, request, progress, budget).make(stages);
        }
    }

    /** The session, started if there is none, or none that lives. */
    synchronized SparkSession session() {
        SparkSession running = session;
        if (running == null || running.sparkContext().isStopped()) {
            SparkConf conf = Sessions.configuration(master);
            try {
                running = Sessions.start(conf);
            } catch (RuntimeException e) {
                throw new EngineException("Spark does not start on " + conf.get("spark.master") + ": " + e, e);
            }
            session = running;
        }
        return running;
    }

    /** The configured folder; else the user's home in the default file system, or this machine's temporary folder. */
    private static Path stageFolder(SparkSession spark) {
        String configured = spark.sparkContext().getConf().get(STAGE_FOLDER, "");
        if (!configured.isEmpty()) {
            return new Path(configured);
        }
        Configuration hadoop = spark.sparkContext().hadoopConfiguration();
        if ("file".equals(FileSystem.getDefaultUri(hadoop).getScheme())) {
            return new Path("file://" + System.getProperty("java.io.tmpdir"));
        }
        try {
            return FileSystem.get(hadoop).getHomeDirectory();
        } catch (IOException e) {
            throw new EngineException("no file system for stage files: " + e.getMessage(), e);
        }
    }

    /** Stops the session. */
    @Override
    public synchronized void close() {
        SparkSession running = session;
        if (running != null) {
            running.stop();
            session = null;
        }
    }
}
