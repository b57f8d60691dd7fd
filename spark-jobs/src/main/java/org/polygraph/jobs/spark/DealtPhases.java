package org.polygraph.jobs.spark;

import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.partitioner.axiom.Axiom;
import org.polygraph.partitioner.axiom.ReadWindows;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.ReadsFrom;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.linear.KeyOrders;
import org.polygraph.partitioner.linear.LinearSlices;
import org.polygraph.partitioner.sliced.KeySlices;
import org.polygraph.partitioner.sliced.SourceSlices;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.HistoryTable;

/**
 * Phases that work key by key and visit each key once. The driver writes the operations of each slice of keys into a
 * file, so that no shuffle and no cache is needed.
 */
final class DealtPhases {
    private final SparkSession spark;
    private final Jobs jobs;
    private final Path folder;
    private final HistoryTable table;
    private final KeySlices wholes;
    private final KeySlices slices;

    /**
     * Runs no job yet.
     *
     * @param folder the folder for scratch files, which the driver and all executors see
     * @param wholes slices in which no key is split, for phases that order all operations of a key
     * @param slices slices in which keys may be split by value
     */
    DealtPhases(SparkSession spark, Jobs jobs, Path folder, HistoryTable table, KeySlices wholes, KeySlices slices) {
        this.spark = spark;
        this.jobs = jobs;
        this.folder = folder;
        this.table = table;
        this.wholes = wholes;
        this.slices = slices;
    }

    /**
     * Orders keys one by one.
     *
     * @throws BudgetException if the budget ends
     */
    KeyOrders orderKeys(long skewNanos, boolean maybe) {
        LinearSlices work = new LinearSlices(table, skewNanos, maybe, wholes);
        try (SliceFiles files = files(wholes, LinearSlices.ROW_BYTES)) {
            files.write(() -> work.deal(files::row));
            return work.merge(Budget.unlessEnded(
                    jobs.run("order keys", () -> files.map(spark, new LinearTask(table.initialValue())))));
        } catch (IOException e) {
            throw ScratchFolder.failed(folder, e);
        }
    }

    /**
     * Finds the transaction that each read read from.
     *
     * @throws BudgetException if the budget ends
     */
    ReadsFrom readsFrom(IndexedHistory.Indeterminate indeterminate, IsolationLevel level) {
        SourceSlices work = new SourceSlices(table, indeterminate, level, slices);
        ReadsFrom known = work.known();
        if (known != null) {
            return known;
        }
        try (SliceFiles files = files(slices, SourceSlices.ROW_BYTES)) {
            files.write(() -> work.deal(files::row));
            return work.merge(Budget.unlessEnded(
                    jobs.run("find the writer of each read", () -> files.map(spark, new ReadSourceTask()))));
        } catch (IOException e) {
            throw ScratchFolder.failed(folder, e);
        }
    }

    /**
     * The commit-order edges that RC or RA demands, a task for each window of transactions. Executors get operations,
     * sources, outcomes and sessions: 8 bytes for each operation (12 if transactions are long) and 9 for each
     * transaction.
     */
    Axiom readAxiom(ReadsFrom reads, IsolationLevel level) {
        return new ReadWindows(reads, level, wholes.slices(), (arrays, bounds) -> {
            try (ReadWindowTask.Sent sent = new ReadWindowTask.Sent(spark, arrays)) {
                return Budget.unlessEnded(jobs.run(
                        "infer what the level demands", () -> spark.range(0, bounds.length - 1, 1, bounds.length - 1)
                                .as(Encoders.LONG())
                                .mapPartitions(new ReadWindowTask(sent, level, bounds), Encoders.BINARY())
                                .collectAsList()));
            }
        });
    }

    private SliceFiles files(KeySlices of, int rowBytes) throws IOException {
        return new SliceFiles(folder, spark.sparkContext().hadoopConfiguration(), of.slices(), of::keysOf, rowBytes);
    }
}
