package org.polygraph.jobs.spark;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.StorageLevel;
import org.jspecify.annotations.Nullable;
import org.polygraph.cluster.OwnSetting;
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
 * Reads large inputs by tasks, a piece of the {@link ReadPlan} each. Their rows wait on the executors' disks, come to the driver a
 * few pieces at a time, and become its table.
 *
 * <p>On the driver: the table and {@value #AT_ONCE_BYTES} bytes of rows, or those of one task if that is more: of a piece, or where
 * there are more than {@value #MOST_TASKS} pieces of several.
 */
final class SparkReading {
    /** Bytes of text in a piece, about; an input of less than four is read by the driver. */
    static final String PIECE_BYTES = OwnSetting.PIECE_BYTES.key();

    private static final int LEAST_PIECES = 4;
    /** Plans of folders may have hundreds of thousands of pieces. */
    private static final int MOST_TASKS = 10_000;

    private static final long AT_ONCE_BYTES = 32L << 20;
    /** How often the driver has the rows that come at once: as what came, as bytes, as arrays. */
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

    /** The sizes of pieces. @param pieceBytes of text, about */
    static ReadPlan.Sizes sizes(long pieceBytes) {
        return new ReadPlan.Sizes(LEAST_PIECES * Math.min(pieceBytes, Long.MAX_VALUE / LEAST_PIECES), pieceBytes);
    }

    /**
     * Reads.
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

    /** @param bytes by partition */
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
