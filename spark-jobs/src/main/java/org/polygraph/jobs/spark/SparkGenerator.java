package org.polygraph.jobs.spark;

import java.util.List;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.generate.GenerationTarget;
import org.polygraph.jobs.generate.Generator;
import org.polygraph.storage.generate.TransactionPlan;
import org.polygraph.storage.model.BudgetException;

/**
 * Generates histories on Spark. A task for each range of transactions deals their operations to slices of keys; a task
 * for each slice runs them against its keys of the simulated store and deals the results of reads to output files; a
 * task for each output file writes it. The two shuffles move packed blocks, 8 bytes for each operation and 12 for each
 * read before compression; only the few blocks of a slice are sorted. The driver receives nothing but counts.
 */
public final class SparkGenerator implements Generator, AutoCloseable {
    private static final int OPERATIONS_PER_RANGE = 1 << 20;
    private static final int OPERATIONS_PER_SLICE = 1 << 21;

    private final LazySession session;
    private final int operationsPerSlice;

    /**
     * Starts no session yet.
     *
     * @throws IllegalArgumentException if it is not a master URL
     */
    public SparkGenerator(String master) {
        this(master, OPERATIONS_PER_SLICE);
    }

    /**
     * Creates a generator for tests.
     *
     * @param operationsPerSlice few, so that even small histories have several slices and ranges
     */
    SparkGenerator(String master, int operationsPerSlice) {
        this.session = new LazySession(master);
        this.operationsPerSlice = operationsPerSlice;
    }

    @Override
    public void generate(TransactionPlan plan, GenerationTarget target, Progress progress) {
        if (Runtime.getRuntime().maxMemory() < LazySession.LEAST_HEAP) {
            throw new BudgetException(Budget.unlimited().shortage("a Spark session", LazySession.LEAST_HEAP));
        }
        progress.phase("start of Spark");
        long written = session.use(Budget.unlimited(), spark -> {
            progress.phase("generate");
            return generate(spark, plan, target, progress);
        });
        if (written != plan.transactions()) {
            throw new IllegalStateException(written + " rows were written of " + plan.transactions());
        }
    }

    private long generate(SparkSession spark, TransactionPlan plan, GenerationTarget target, Progress progress) {
        long operations = plan.transactions() * plan.operations();
        int slices =
                (int) Math.min(plan.workload().keys(), Math.min(1 << 16, (operations - 1) / operationsPerSlice + 1));
        long perRange = Math.max(1, Math.min(OPERATIONS_PER_RANGE, operationsPerSlice) / plan.operations());
        int ranges = Math.toIntExact((plan.transactions() - 1) / perRange + 1);
        int parts = target.parts();
        Dataset<Row> reads = spark.range(0, ranges, 1, ranges)
                .mapPartitions(new PlanTask(plan, slices, perRange), Encoders.row(PlanTask.BLOCKS))
                .repartitionById(slices, functions.col(PlanTask.SLICE))
                .sortWithinPartitions(PlanTask.SLICE, PlanTask.FIRST)
                .mapPartitions(new ResolveTask(plan, slices, target), Encoders.row(ResolveTask.BLOCKS));
        // A file is written even if it has no reads.
        MapFunction<Long, Row> nothing = part -> RowFactory.create(part.intValue(), new byte[0]);
        Dataset<Row> each = spark.range(parts).map(nothing, Encoders.row(ResolveTask.BLOCKS));
        Dataset<Long> written = reads.union(each)
                .repartitionById(parts, functions.col(ResolveTask.PART))
                .mapPartitions(new AssembleTask(plan, target), Encoders.LONG());
        List<Long> rows = new Jobs(spark.sparkContext(), Budget.unlimited(), progress, "")
                .run("generate " + plan.transactions() + " transactions", written::collectAsList);
        return rows.stream().mapToLong(Long::longValue).sum();
    }

    /** Stops the session. */
    @Override
    public void close() {
        session.close();
    }
}
