package org.polygraph.jobs.job;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.storage.StorageLevel;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.pipeline.Budget;
import org.polygraph.jobs.pipeline.KeyStages;
import org.polygraph.jobs.pipeline.Progress;
import org.polygraph.jobs.pipeline.Rules;
import org.polygraph.jobs.pipeline.Tuning;
import org.polygraph.partitioner.axiom.Axiom;
import org.polygraph.partitioner.axiom.CausalAxiom;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.closure.WindowClosure;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.Counting;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.KeySlices;
import org.polygraph.partitioner.index.ReadsFrom;
import org.polygraph.partitioner.index.SliceMerge;
import org.polygraph.partitioner.index.SlicedIndexing;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.linear.KeyOrders;
import org.polygraph.partitioner.residual.ResidualCore;
import org.polygraph.storage.columnar.HistoryTable;

/**
 * The stages by key as Spark jobs, for one history. {@link #index}: files, ingest by split, shuffle of blocks by slice of
 * keys, index by slice; slices stay cached where they were made. {@link #check}: the order is broadcast, every slice
 * checks its keys. Closing drops slices and files.
 */
final class SparkStages implements KeyStages, AutoCloseable {
    /** Of a file of columns, about: half of what can be mapped at once. */
    private static final long COLUMN_FILE_BYTES = 1L << 30;

    /** Of slices of the index that come to the driver together, if there are several. */
    private static final long MERGE_BYTES = 32L << 20;

    private final SparkSession spark;
    private final JavaSparkContext context;
    private final Path folder;
    private final HistoryTable table;
    private final Budget budget;
    private final Jobs jobs;
    private final Layout layout;
    private final SparkChecker.Cut cut;
    private @Nullable KeySlices keySlices;
    /** An index that an earlier process made. */
    private @Nullable IndexedHistory restored;

    private @Nullable StageFiles files;
    private @Nullable IndexFiles indexFiles;
    private @Nullable Broadcast<byte[]> counted;
    private @Nullable Dataset<byte[]> slices;

    /** @param folder where stage files go: the driver and all executors see it */
    SparkStages(
            SparkSession spark,
            Path folder,
            HistoryTable table,
            Layout layout,
            SparkChecker.Cut cut,
            Budget budget,
            Progress progress) {
        this.cut = cut;
        this.spark = spark;
        this.context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        this.folder = folder;
        this.table = table;
        this.budget = budget;
        this.layout = layout;
        this.jobs = new Jobs(spark.sparkContext(), budget, progress);
    }

    @Override
    public @Nullable IndexedHistory index(IndexedHistory.Indeterminate indeterminate) {
        release();
        SlicedIndexing work = SlicedIndexing.of(table, indeterminate, layout.slices());
        keySlices = work.slices();
        IndexedHistory known = work.known();
        if (known != null) {
            return known;
        }
        Dataset<byte[]> made;
        try {
            StageFiles staged = new StageFiles(folder, context.hadoopConfiguration());
            files = staged;
            if (!staged.write(table, work.counting(), layout.perFile(), budget::exhausted)) {
                return null;
            }
            made = slices(work, staged);
            slices = made;
        } catch (IOException e) {
            throw StageFolder.failed(folder, e);
        }
        List<byte[]> sizes =
                jobs.run("index keys", made.mapPartitions(new SizesTask(), Encoders.BINARY())::collectAsList);
        return sizes == null ? null : merged(work.merge(sizes), made.javaRDD());
    }

    /**
     * Takes the slices a few at a time, so that the driver never has them beside the index.
     *
     * @param made slice s in partition s
     */
    private @Nullable IndexedHistory merged(SliceMerge merge, JavaRDD<byte[]> made) {
        IndexedHistory known = merge.known();
        if (known != null) {
            return known;
        }
        for (int s = 0; s < layout.slices(); ) {
            int from = s;
            long bytes = merge.bytesOf(s++);
            while (s < layout.slices() && bytes + merge.bytesOf(s) <= MERGE_BYTES) {
                bytes += merge.bytesOf(s++);
            }
            int[] partitions = IntStream.range(from, s).toArray();
            List<byte[]>[] rows = jobs.run("merge the index of keys", () -> made.collectPartitions(partitions));
            if (rows == null) {
                return null;
            }
            for (List<byte[]> each : rows) {
                each.forEach(merge::add);
            }
        }
        return merge.result();
    }

    @Override
    public void restore(IndexedHistory history) {
        if (slices != null) {
            slices.unpersist(true);
            slices = null;
        }
        restored = history;
    }

    /** Large closures go to files, whatever the heap has room for; but not where real time is in clocks of few sessions. */
    @Override
    public @Nullable Rules rules(IndexedHistory history, KnownGraph graph, long bytes, Tuning tuning) {
        long needed =
                graph.realTime() == null ? ChainClocks.bytes(graph.events()) : WindowClosure.bytes(graph.events());
        if (needed <= cut.heapClocks() || Rules.goBySession(history, graph, bytes, tuning)) {
            return Rules.inMemory(history, graph, bytes, tuning);
        }
        Dataset<byte[]> indexes = slices();
        return new SparkRules(
                spark,
                jobs,
                folder,
                history,
                graph,
                Objects.requireNonNull(keySlices),
                indexes,
                COLUMN_FILE_BYTES,
                cut);
    }

    /** The slices that {@link #index} made, or those of an index that was restored. */
    private Dataset<byte[]> slices() {
        Dataset<byte[]> made = slices;
        IndexedHistory history = restored;
        if (made == null && history != null) {
            KeySlices keys = new KeySlices(table.keys().size(), layout.slices());
            keySlices = keys;
            try {
                IndexFiles written = new IndexFiles(folder, context.hadoopConfiguration());
                indexFiles = written;
                written.write(keys, history.versions());
                made = written.rows(spark).repartition(layout.slices()).persist(StorageLevel.DISK_ONLY());
            } catch (IOException e) {
                throw StageFolder.failed(folder, e);
            }
            slices = made;
        }
        if (made == null) {
            throw new IllegalStateException("no slices before the index");
        }
        return made;
    }

    /** One row a slice of keys. Cached, not kept: a slice that is lost with its executor is made again from the files. */
    private Dataset<byte[]> slices(SlicedIndexing work, StageFiles staged) throws IOException {
        Broadcast<byte[]> states = context.broadcast(work.counting().states());
        counted = states;
        return staged.rows(spark)
                .as(Encoders.bean(StagedTransaction.class))
                .mapPartitions(new IngestTask(work.slices(), layout.perFile()), Encoders.row(IngestTask.BLOCKS))
                .repartitionById(layout.slices(), functions.col(IngestTask.SLICE))
                .sortWithinPartitions(IngestTask.SLICE, IngestTask.FIRST)
                .mapPartitions(
                        new IndexTask(work.slices(), table.sessionStarts(), states, table.initialValue()),
                        Encoders.BINARY())
                .persist(StorageLevel.DISK_ONLY());
    }

    @Override
    public @Nullable ResidualCore check(IndexedHistory history, KnownGraph graph, Counting counting, int[] position) {
        return check("check keys against the first order", graph, counting, position);
    }

    @Override
    public @Nullable ResidualCore recheck(IndexedHistory history, KnownGraph graph, Counting counting, int[] position) {
        return check("check keys against the solver's order", graph, counting, position);
    }

    private @Nullable ResidualCore check(String description, KnownGraph graph, Counting counting, int[] position) {
        Dataset<byte[]> cached = slices();
        Broadcast<byte[]> states = context.broadcast(counting.states());
        Broadcast<int[]> places = context.broadcast(position);
        try {
            Callable<List<byte[]>> action = cached.mapPartitions(
                    new CheckTask(
                            Objects.requireNonNull(keySlices), graph.events().perTransaction(), states, places),
                    Encoders.BINARY())::collectAsList;
            List<byte[]> rows = jobs.run(description, action);
            return rows == null ? null : core(rows);
        } finally {
            places.destroy();
            states.destroy();
        }
    }

    private static ResidualCore core(List<byte[]> rows) {
        long violated = 0;
        int total = 0;
        for (byte[] row : rows) {
            total += (row.length - Long.BYTES) / Integer.BYTES;
        }
        int[] keys = new int[total];
        int at = 0;
        for (byte[] row : rows) {
            ByteBuffer in = ByteBuffer.wrap(row);
            violated += in.getLong();
            int count = in.remaining() / Integer.BYTES;
            in.asIntBuffer().get(keys, at, count);
            at += count;
        }
        Arrays.sort(keys);
        return ResidualCore.of(keys, violated);
    }

    @Override
    public @Nullable KeyOrders orderKeys(long skewNanos, boolean maybe) {
        return dealt().orderKeys(skewNanos, maybe);
    }

    @Override
    public @Nullable ReadsFrom readsFrom(IndexedHistory.Indeterminate indeterminate, IsolationLevel level) {
        return dealt().readsFrom(indeterminate, level);
    }

    /** CC: the closure and what goes by key over it are the driver's. */
    @Override
    public @Nullable Axiom axiom(ReadsFrom reads, IndexedHistory.Indeterminate indeterminate, IsolationLevel level) {
        if (level != IsolationLevel.CC) {
            return dealt().readAxiom(reads, level);
        }
        IndexedHistory history = index(indeterminate);
        return history == null ? null : new CausalAxiom(history);
    }

    private DealtStages dealt() {
        return new DealtStages(spark, jobs, folder, table, layout.slices());
    }

    /** What an index has left: the level that is tried after CC makes another one. */
    private void release() {
        if (!spark.sparkContext().isStopped()) {
            if (slices != null) {
                slices.unpersist(true);
            }
            if (counted != null) {
                counted.destroy();
            }
        }
        if (files != null) {
            files.close();
        }
        if (indexFiles != null) {
            indexFiles.close();
        }
        slices = null;
        counted = null;
        files = null;
        indexFiles = null;
    }

    @Override
    public void close() {
        release();
    }

    /**
     * How a history is cut.
     *
     * @param slices of keys
     * @param perFile transactions in a stage file
     */
    record Layout(int slices, int perFile) {
        /**
         * @param operationsPerSlice about how many, where there are keys enough
         * @param mostSlices the shuffle's partitions
         */
        static Layout of(HistoryTable table, int operationsPerSlice, int mostSlices) {
            int wanted = (table.operations() - 1) / operationsPerSlice + 1;
            int slices = Math.max(
                    1, Math.min(Math.min(wanted, mostSlices), table.keys().size()));
            return new Layout(slices, Math.max(1, (table.transactions() - 1) / slices + 1));
        }
    }
}
