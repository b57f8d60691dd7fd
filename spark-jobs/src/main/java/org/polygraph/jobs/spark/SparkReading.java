package org.polygraph.jobs.spark;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.StorageLevel;
import org.jspecify.annotations.Nullable;
import org.polygraph.cluster.OwnSetting;
import org.polygraph.jobs.application.ConfigurationException;
import org.polygraph.jobs.application.EngineException;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.storage.artifact.ArrayFile;
import org.polygraph.storage.format.pieces.PieceMerge;
import org.polygraph.storage.format.pieces.ReadPlan;
import org.polygraph.storage.format.pieces.RowsFile;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/**
 * Reads large inputs by tasks, each of which reads a piece of the {@link ReadPlan}, or several if there are more than
 * {@value #MOST_TASKS}. The rows stay on the executors' disks until the driver takes them, a few pieces at a time, into
 * its table.
 *
 * <p>The driver holds the table and {@value #AT_ONCE_BYTES} bytes of rows, or the rows of one task if these are more.
 */
final class SparkReading {
    /** The approximate bytes of text in a piece; the driver reads an input of fewer than four pieces. */
    static final String PIECE_BYTES = OwnSetting.PIECE_BYTES.key();

    private static final int LEAST_PIECES = 4;
    /** Plans of folders may have hundreds of thousands of pieces. */
    private static final int MOST_TASKS = 10_000;

    private static final long AT_ONCE_BYTES = 32L << 20;
    /** The number of copies that the driver has of the rows that it takes at once: as received, as bytes, as arrays. */
    private static final int COPIES = 3;

    private final JavaSparkContext context;
    private final ReadPlan plan;
    private final Budget budget;
    private final Jobs jobs;

    SparkReading(SparkContext context, ReadPlan plan, Progress progress, Budget budget) {
        this.context = JavaSparkContext.fromSparkContext(context);
        this.plan = plan;
        this.budget = budget;
        this.jobs = new Jobs(context, budget, progress);
    }

    /** The sizes of pieces. @param pieceBytes the approximate bytes of text in a piece */
    static ReadPlan.Sizes sizes(long pieceBytes) {
        return new ReadPlan.Sizes(LEAST_PIECES * Math.min(pieceBytes, Long.MAX_VALUE / LEAST_PIECES), pieceBytes);
    }

    /** The approximate bytes of text in a piece, as set. */
    static long pieceBytes(SparkConf conf) {
        try {
            return Math.max(1, conf.getSizeAsBytes(PIECE_BYTES, ReadPlan.Sizes.DEFAULT.pieceBytes()));
        } catch (IllegalArgumentException e) {
            throw new ConfigurationException(
                    "found " + e.getMessage() + "; expected a size such as 16m in " + PIECE_BYTES);
        }
    }

    /**
     * Reads an input.
     *
     * @return null if a piece has an error or memory is short; the driver then reads the whole input
     * @throws BudgetException if time ran out
     * @throws HistoryException if two transactions share (session, index)
     * @throws EngineException if the cluster failed
     */
    @Nullable
    HistoryTable table() throws HistoryException {
        int pieces = plan.pieces().size();
        int tasks = Math.min(pieces, MOST_TASKS);
        List<Integer> numbers = IntStream.range(0, pieces).boxed().toList();
        JavaRDD<byte[]> rows = context.parallelize(numbers, tasks)
                .mapPartitions(new ReadTask(plan.pieces()))
                .persist(StorageLevel.DISK_ONLY());
        try {
            List<Long> bytes = inTime(jobs.run("read the input", () -> rows.mapPartitions(new ReadTask.Bytes())
                    .collect()));
            return bytes.stream().anyMatch(each -> each < 0) ? null : merged(rows, bytes);
        } catch (BudgetException e) {
            if (budget.exhausted()) {
                throw e;
            }
            return null;
        } catch (ArrayFile.DamagedException e) {
            throw new EngineException(
                    "Spark could not read the input: found rows that changed on their way (" + e.getMessage()
                            + "); expected what the tasks sent; check again",
                    e);
        } finally {
            if (!context.sc().isStopped()) {
                rows.unpersist();
            }
        }
    }

    /** @param bytes the bytes of the rows of each partition */
    private @Nullable HistoryTable merged(JavaRDD<byte[]> rows, List<Long> bytes)
            throws HistoryException, ArrayFile.DamagedException {
        long largest = bytes.stream().mapToLong(Long::longValue).max().orElse(0);
        long room = budget.bytes() - COPIES * Math.max(largest, AT_ONCE_BYTES);
        if (room <= 0) {
            return null;
        }
        PieceMerge merge = plan.merge(room);
        for (int p = 0; p < bytes.size(); ) {
            int from = p;
            long sum = bytes.get(p++);
            while (p < bytes.size() && sum + bytes.get(p) <= AT_ONCE_BYTES) {
                sum += bytes.get(p++);
            }
            int[] partitions = IntStream.range(from, p).toArray();
            for (List<byte[]> each : inTime(jobs.run("merge the input", () -> rows.collectPartitions(partitions)))) {
                for (byte[] piece : each) {
                    if (!merge.add(RowsFile.ofBytes(piece))) {
                        return null;
                    }
                }
            }
        }
        return merge.table();
    }

    private <T> T inTime(@Nullable T result) {
        if (result == null) {
            throw new BudgetException(plan.name() + ": reading stopped: time ran out or the run was cancelled");
        }
        return result;
    }
}
