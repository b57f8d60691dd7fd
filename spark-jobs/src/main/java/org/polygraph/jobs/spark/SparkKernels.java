package org.polygraph.jobs.spark;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
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
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Kernels;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.decision.Rules;
import org.polygraph.jobs.decision.Tuning;
import org.polygraph.partitioner.axiom.Axiom;
import org.polygraph.partitioner.axiom.CausalAxiom;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.closure.WindowClosure;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.ReadsFrom;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.linear.KeyOrders;
import org.polygraph.partitioner.order.KeyCheck;
import org.polygraph.partitioner.residual.ResidualCore;
import org.polygraph.partitioner.sliced.KeySlices;
import org.polygraph.partitioner.sliced.SliceMerge;
import org.polygraph.partitioner.sliced.SlicedIndexing;
import org.polygraph.storage.table.HistoryTable;

/**
 * The kernels that work by key, as Spark jobs for one history. {@link #index} writes the history to scratch files,
 * shuffles its operations as blocks to slices of keys, and indexes each slice; the slices stay cached on their
 * executors. {@link #check} broadcasts an order, and each slice checks its keys. Closing drops slices and files.
 */
final class SparkKernels implements Kernels, AutoCloseable {
    /** The approximate bytes of a file of columns: half of what can be mapped at once. */
    private static final long COLUMN_FILE_BYTES = 1L << 30;

    /** The most bytes of several slices of the index that come to the driver together. */
    private static final long MERGE_BYTES = 32L << 20;

    private final SparkSession spark;
    private final JavaSparkContext context;
    private final Path folder;
    private final HistoryTable table;
    private final Budget budget;
    private final Jobs jobs;
    private final Layout layout;
    private final SparkChecker.TaskSizes sizes;
    /** The index that an earlier process made. */
    private @Nullable IndexedHistory restored;

    private @Nullable ScratchFiles files;
    private @Nullable IndexFiles indexFiles;
    private @Nullable Broadcast<byte[]> counted;
    private @Nullable Dataset<byte[]> slices;

    /** @param folder the folder for scratch files, which the driver and all executors see */
    SparkKernels(
            SparkSession spark,
            Path folder,
            HistoryTable table,
            Layout layout,
            SparkChecker.TaskSizes sizes,
            Budget budget,
            Progress progress) {
        this.sizes = sizes;
        this.spark = spark;
        this.context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        this.folder = folder;
        this.table = table;
        this.budget = budget;
        this.layout = layout;
        this.jobs = new Jobs(spark.sparkContext(), budget, progress);
    }

    @Override
    public IndexedHistory index(IndexedHistory.Indeterminate indeterminate) {
        release();
        SlicedIndexing work = SlicedIndexing.of(table, indeterminate, layout.slices());
        IndexedHistory known = work.known();
        if (known != null) {
            return known;
        }
        Dataset<byte[]> made;
        try {
            ScratchFiles scratch = new ScratchFiles(folder, context.hadoopConfiguration());
            files = scratch;
            scratch.write(table, work.commitStatus(), layout.perFile(), budget::exhausted);
            made = slices(work, scratch);
            slices = made;
        } catch (IOException e) {
            throw ScratchFolder.failed(folder, e);
        }
        List<byte[]> sizes = Budget.unlessEnded(
                jobs.run("index keys", made.mapPartitions(new SizesTask(), Encoders.BINARY())::collectAsList));
        return merged(work.merge(sizes), made.javaRDD());
    }

    /**
     * Merges the slices a few at a time, so that the driver never has all of them beside the index.
     *
     * @param made the slices, slice s in partition s
     */
    private IndexedHistory merged(SliceMerge merge, JavaRDD<byte[]> made) {
        IndexedHistory known = merge.known();
        if (known != null) {
            return known;
        }
        int count = layout.slices().slices();
        int[] full = IntStream.range(0, count).filter(s -> merge.bytesOf(s) > 0).toArray();
        // If no slice has operations, Spark may have left out the partitions.
        for (int i = 0; i < full.length; ) {
            int from = i;
            long bytes = merge.bytesOf(full[i++]);
            while (i < full.length && bytes + merge.bytesOf(full[i]) <= MERGE_BYTES) {
                bytes += merge.bytesOf(full[i++]);
            }
            int[] partitions = Arrays.copyOfRange(full, from, i);
            List<byte[]>[] rows =
                    Budget.unlessEnded(jobs.run("merge the index of keys", () -> made.collectPartitions(partitions)));
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
        if (indexFiles != null) {
            indexFiles.close();
            indexFiles = null;
        }
        restored = history;
    }

    /**
     * Whether the closure is computed by jobs: if it is large, even if the heap has space; never for real time in
     * clocks of few sessions.
     */
    @Override
    public @Nullable Rules rules(IndexedHistory history, KnownGraph graph, long bytes, Tuning tuning) {
        if (graph.realTime() == null
                && !ChainClocks.pay(graph.events().count(), graph.events().chains())) {
            return null;
        }
        long needed =
                graph.realTime() == null ? ChainClocks.bytes(graph.events()) : WindowClosure.bytes(graph.events());
        if (needed <= sizes.heapClocks() || Rules.goBySession(history, graph, bytes, tuning)) {
            return Rules.inMemory(history, graph, bytes, tuning);
        }
        Dataset<byte[]> indexes = slices();
        return new SparkRules(spark, jobs, folder, history, graph, layout.slices(), indexes, COLUMN_FILE_BYTES, sizes);
    }

    /** Returns the slices that {@link #index} made, or those of an index that was restored. */
    private Dataset<byte[]> slices() {
        Dataset<byte[]> made = slices;
        IndexedHistory history = restored;
        if (made == null && history != null) {
            try {
                IndexFiles written = new IndexFiles(folder, context.hadoopConfiguration());
                indexFiles = written;
                written.write(layout.slices(), history.versions(), jobs::isOver);
                made = written.rows(spark).repartition(layout.slices().slices()).persist(StorageLevel.DISK_ONLY());
            } catch (IOException e) {
                throw ScratchFolder.failed(folder, e);
            }
            slices = made;
        }
        if (made == null) {
            throw new IllegalStateException("no slices before the index");
        }
        return made;
    }

    /**
     * Returns a row for each slice of keys. They are cached; a slice that is lost with its executor is made again from
     * the files.
     */
    private Dataset<byte[]> slices(SlicedIndexing work, ScratchFiles scratch) throws IOException {
        Broadcast<byte[]> states = context.broadcast(work.commitStatus().states());
        counted = states;
        return scratch.rows(spark)
                .as(Encoders.bean(ScratchTransaction.class))
                .mapPartitions(new SliceDealTask(work.slices(), layout.perFile()), Encoders.row(SliceDealTask.BLOCKS))
                .repartitionById(layout.slices().slices(), functions.col(SliceDealTask.SLICE))
                .sortWithinPartitions(SliceDealTask.SLICE, SliceDealTask.FIRST)
                .mapPartitions(
                        new IndexTask(work.slices(), table.sessionStarts(), states, table.initialValue()),
                        Encoders.BINARY())
                .persist(StorageLevel.DISK_ONLY());
    }

    @Override
    public ResidualCore check(IndexedHistory history, KnownGraph graph, CommitStatus commitStatus, int[] position) {
        return check("check keys against the first order", history, graph, commitStatus, position);
    }

    @Override
    public ResidualCore recheck(IndexedHistory history, KnownGraph graph, CommitStatus commitStatus, int[] position) {
        return check("check keys against the solver's order", history, graph, commitStatus, position);
    }

    private ResidualCore check(
            String description, IndexedHistory history, KnownGraph graph, CommitStatus commitStatus, int[] position) {
        Dataset<byte[]> cached = slices();
        try (Broadcasts sent = new Broadcasts(context)) {
            Broadcast<byte[]> states = sent.of(commitStatus.states());
            Broadcast<int[]> places = sent.of(position);
            Broadcast<int[]> commits = sent.of(
                    commits(new KeyCheck(graph.events(), history.versions(), commitStatus, position), layout.slices()));
            Callable<List<byte[]>> action = cached.mapPartitions(
                    new KeyCheckTask(layout.slices(), graph.events().perTransaction(), states, places, commits),
                    Encoders.BINARY())::collectAsList;
            return core(Budget.unlessEnded(jobs.run(description, action)));
        }
    }

    /**
     * Returns for split keys the start of each key's commits in this array, and the end of the last one; then the
     * commits.
     */
    private static int[] commits(KeyCheck check, KeySlices slices) {
        int[] splitKeys = slices.splitKeys();
        IntArrayList all = new IntArrayList(new int[splitKeys.length + 1]);
        for (int place = 0; place < splitKeys.length; place++) {
            all.set(place, all.size());
            all.addElements(all.size(), check.commits(splitKeys[place]));
        }
        all.set(splitKeys.length, all.size());
        return all.toIntArray();
    }

    /** Returns the violated keys, each once, even if several of its slices are violated. */
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
        return ResidualCore.of(IntStream.of(keys).sorted().distinct().toArray(), violated);
    }

    @Override
    public KeyOrders orderKeys(long skewNanos, boolean maybe) {
        return dealt().orderKeys(skewNanos, maybe);
    }

    @Override
    public ReadsFrom readsFrom(IndexedHistory.Indeterminate indeterminate, IsolationLevel level) {
        return dealt().readsFrom(indeterminate, level);
    }

    /** Returns the axiom. At CC the driver computes the closure and applies the axiom. */
    @Override
    public Axiom axiom(
            ReadsFrom reads, IndexedHistory.Indeterminate indeterminate, IsolationLevel level, long mostBytes) {
        if (level != IsolationLevel.CC) {
            return dealt().readAxiom(reads, level);
        }
        return new CausalAxiom(index(indeterminate), mostBytes);
    }

    private DealtPhases dealt() {
        return new DealtPhases(spark, jobs, folder, table, layout.wholes(), layout.slices());
    }

    /** Drops the index, because the level that is tried after CC makes another one. */
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
     * The distribution of a history to tasks.
     *
     * @param slices slices of keys, of which some may be split
     * @param wholes slices of keys without split keys
     * @param perFile the number of transactions in a scratch file
     */
    record Layout(KeySlices slices, KeySlices wholes, int perFile) {
        /**
         * @param operationsPerSlice the approximate operations of a slice, if there are enough keys
         * @param mostSlices the partitions of the shuffle; split keys have further slices, at most half as many more
         * @param slicesOfKey a key is split if it has more operations than so many slices
         */
        static Layout of(HistoryTable table, int operationsPerSlice, int mostSlices, int slicesOfKey) {
            int wanted = Math.max(1, Math.min((table.operations() - 1) / operationsPerSlice + 1, mostSlices));
            int keys = table.keys().size();
            int count = Math.max(1, Math.min(wanted, keys));
            int perSlice = Math.max(1, (table.operations() - 1) / wanted + 1);
            return new Layout(
                    KeySlices.of(table, count, (long) slicesOfKey * perSlice, perSlice),
                    new KeySlices(keys, count),
                    Math.max(1, (table.transactions() - 1) / count + 1));
        }
    }
}
