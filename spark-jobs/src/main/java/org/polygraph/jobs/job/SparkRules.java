package org.polygraph.jobs.job;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.pipeline.Rules;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.closure.Closure;
import org.polygraph.partitioner.closure.ClosurePlan;
import org.polygraph.partitioner.closure.GroupedRows;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.KeySlices;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.partitioner.order.EventOrder;
import org.polygraph.partitioner.prune.Saturation;
import org.polygraph.storage.artifact.ArrayFile;

/**
 * Closure and rules as Spark jobs: columns of the closure by group of sessions, into mapped files; rules by slice of keys,
 * over these files; ranks by group. The driver holds the graph and puts together what comes back: redundant edges, a bit
 * each; forced edges; decisions about reads; never a row.
 */
final class SparkRules implements Rules {
    private final SparkSession spark;
    private final JavaSparkContext context;
    private final Jobs jobs;
    private final StageFolder folder;
    private final RuleFiles files;
    private final IndexedHistory history;
    private final KnownGraph graph;
    private final KeySlices slices;
    private final Dataset<byte[]> indexes;
    private final long hotKeyBytes;

    /** Of the rows that are exact; -1 before the first closure. */
    private int generation = -1;

    /** Of events of which the first reaches the second. */
    private long pairs;

    private boolean hasBegun;
    private long[] changed;
    private int[] decidedKeys = {};
    /** Decisions of all rounds, as {@link SliceSaturation} takes them. */
    private final IntArrayList decided = new IntArrayList();

    private int impossibleKey = -1;
    private int impossibleReader = -1;
    private @Nullable GroupedRows rows;

    /**
     * Prepares; nothing is run.
     *
     * @param parent of the folder for the files
     * @param indexes a row a slice: the index as it is now
     * @param groupBytes about what a file of columns may have
     * @param mostColumns in a file
     * @param hotKeyBytes of rows: a key with more is gone through by ranges
     */
    SparkRules(
            SparkSession spark,
            Jobs jobs,
            Path parent,
            IndexedHistory history,
            KnownGraph graph,
            KeySlices slices,
            Dataset<byte[]> indexes,
            long groupBytes,
            int mostColumns,
            long hotKeyBytes) {
        this.hotKeyBytes = hotKeyBytes;
        this.spark = spark;
        this.context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        this.jobs = jobs;
        this.history = history;
        this.graph = graph;
        this.slices = slices;
        this.indexes = indexes;
        try {
            this.folder = new StageFolder(parent, context.hadoopConfiguration());
        } catch (IOException e) {
            throw StageFolder.failed(parent, e);
        }
        Events events = graph.events();
        int[] chainStarts = new int[events.chains() + 1];
        for (int s = 0; s < events.chains(); s++) {
            chainStarts[s] = events.chainStart(s);
        }
        chainStarts[events.chains()] = events.count();
        this.files = new RuleFiles(
                folder.path().toString(), chainStarts, RuleFiles.groups(chainStarts, groupBytes, mostColumns));
        this.changed = new long[(events.count() + 63) >> 6];
    }

    @Override
    public Closure.Result close(BooleanSupplier stop) {
        int known = generation < 0 ? 0 : graph.indexedEdges();
        ClosurePlan plan = ClosurePlan.of(graph, known);
        if (plan.isCyclic()) {
            return Closure.Result.CYCLIC;
        }
        long[] kept = run(plan, generation);
        if (kept == null) {
            return Closure.Result.STOPPED;
        }
        plan.retain(kept);
        return Closure.Result.EXACT;
    }

    /** Makes the next generation. @return bits of edges that are not redundant; null if the budget ended */
    private long @Nullable [] run(ClosurePlan plan, int before) {
        int next = generation + 1;
        try {
            IntFiles own = files.open();
            int[] turns = plan.turns();
            int edges = plan.edges();
            int words = (edges + 31) >> 5;
            own.write(RuleFiles.plan(next), sink -> {
                sink.put(turns);
                sink.put(plan.starts());
                for (int i = 0; i < edges; i++) {
                    sink.put(plan.source(i));
                }
                for (int w = 0; w < words; w++) {
                    int bits = 0;
                    for (int i = w << 5; i < Math.min(edges, (w + 1) << 5); i++) {
                        bits |= plan.isFresh(i) ? 1 << i : 0;
                    }
                    sink.put(bits);
                }
            });
            long[] lengths = {turns.length, plan.starts().length, edges, words};
            List<byte[]> made = jobs.run(
                    "close the graph by columns",
                    groups().mapPartitions(new ClosureTask(files, next, before, lengths), Encoders.BINARY())
                            ::collectAsList);
            if (made == null) {
                return null;
            }
            long[] kept = new long[(edges + 63) >> 6];
            long[] grown = new long[changed.length];
            long known = 0;
            for (byte[] row : made) {
                ByteBuffer in = ByteBuffer.wrap(row).order(ByteOrder.LITTLE_ENDIAN);
                in.getInt();
                known += in.getLong();
                for (int i = 0; i < kept.length; i++) {
                    kept[i] |= in.getLong();
                }
                for (int i = 0; i < grown.length; i++) {
                    grown[i] |= in.getLong();
                }
            }
            changed = grown;
            pairs = known;
            generation = next;
            rows = null;
            own.delete(RuleFiles.PLAN);
            own.delete(RuleFiles.RANKS);
            if (next > 0) {
                own.delete(RuleFiles.ROWS + (next - 1) + "-");
            }
            return kept;
        } catch (IOException e) {
            throw StageFolder.failed(folder.path(), e);
        }
    }

    private Dataset<Long> groups() {
        return spark.range(0, files.count(), 1, files.count()).as(Encoders.LONG());
    }

    @Override
    public Saturation.Result round(BooleanSupplier stop) {
        graph.nextRound();
        VersionIndex versions = history.versions();
        int edges = graph.edges();
        int ambiguous = versions.ambiguous();
        boolean most = !hasBegun || mostChanged();
        Broadcast<byte[]> states = context.broadcast(history.counting().states());
        Broadcast<long[]> grown = context.broadcast(changed);
        Broadcast<int[]> decisions = context.broadcast(decided.toIntArray());
        Broadcast<int[]> keys = context.broadcast(decidedKeys);
        HotKeys hot = new HotKeys(
                spark,
                jobs,
                versions,
                (long) Integer.BYTES
                        * graph.events().perTransaction()
                        * graph.events().chains(),
                hotKeyBytes);
        List<byte[]> forced = new ArrayList<>();
        try {
            List<byte[]> bySlice = jobs.run(
                    "force edges, round " + graph.currentRound(),
                    indexes.mapPartitions(
                            new SaturationTask(
                                    files,
                                    generation,
                                    slices,
                                    graph.events().perTransaction(),
                                    history.table().sessionStarts(),
                                    states,
                                    grown,
                                    most,
                                    decisions,
                                    keys,
                                    hot.keys()),
                            Encoders.BINARY())::collectAsList);
            HotKeys.Closed closed = new HotKeys.Closed(
                    files,
                    generation,
                    graph.events().perTransaction(),
                    history.table().sessionStarts(),
                    states);
            List<byte[]> byRange = bySlice == null ? null : hot.round(closed, grown, most, decidedKeys);
            if (bySlice == null || byRange == null) {
                return Saturation.Result.STOPPED;
            }
            forced.addAll(bySlice);
            forced.addAll(byRange);
        } finally {
            states.destroy();
            grown.destroy();
            decisions.destroy();
            keys.destroy();
        }
        if (!merge(forced)) {
            return Saturation.Result.CONTRADICTION;
        }
        hasBegun = true;
        return graph.edges() > edges || versions.ambiguous() < ambiguous
                ? Saturation.Result.FORCED
                : Saturation.Result.FIXPOINT;
    }

    /** Adds what was forced, key by key, as one pass over all keys would have. @return false at an impossible read */
    private boolean merge(List<byte[]> forced) {
        int[][] parts = new int[forced.size()][];
        int total = 0;
        for (int i = 0; i < parts.length; i++) {
            IntBuffer in = ByteBuffer.wrap(forced.get(i))
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .asIntBuffer();
            parts[i] = new int[in.remaining()];
            in.get(parts[i]);
            for (int at = 0; at < parts[i].length; at = end(parts[i], at)) {
                total++;
            }
        }
        long[] order = new long[total];
        int[] part = new int[total];
        int[] place = new int[total];
        int next = 0;
        for (int i = 0; i < parts.length; i++) {
            for (int at = 0; at < parts[i].length; at = end(parts[i], at)) {
                order[next] = (long) parts[i][at] << 32 | next;
                part[next] = i;
                place[next++] = at;
            }
        }
        Arrays.sort(order);
        IntArrayList newlyDecided = new IntArrayList();
        for (long entry : order) {
            int[] from = parts[part[(int) entry]];
            int at = place[(int) entry];
            int key = from[at];
            int edges = from[at + 2];
            for (int e = 0; e < edges; e++) {
                graph.add(from[at + 3 + 2 * e], from[at + 4 + 2 * e]);
            }
            int count = from[at + 3 + 2 * edges];
            if (count > 0) {
                int first = at + 4 + 2 * edges;
                int[] slots = Arrays.copyOfRange(from, first, first + count);
                history.versions().resolve(key, slots);
                newlyDecided.add(key);
                decided.add(key);
                decided.add(count);
                decided.addElements(decided.size(), slots);
            }
            if (from[at + 1] >= 0) {
                impossibleKey = key;
                impossibleReader = from[at + 1];
                return false;
            }
        }
        decidedKeys = newlyDecided.toIntArray();
        return true;
    }

    /** Where the next key begins. */
    private static int end(int[] forced, int at) {
        int edges = forced[at + 2];
        return at + 4 + 2 * edges + forced[at + 3 + 2 * edges];
    }

    /** As in Saturation: whether looking for what changed costs more than it saves. */
    private boolean mostChanged() {
        long count = 0;
        for (long bits : changed) {
            count += Long.bitCount(bits);
        }
        return count > graph.events().count() / 2;
    }

    @Override
    public int impossibleKey() {
        return impossibleKey;
    }

    @Override
    public int impossibleReader() {
        return impossibleReader;
    }

    @Override
    public int @Nullable [] order() {
        try {
            List<Integer> made = jobs.run(
                    "rank events by columns",
                    groups().mapPartitions(new RankTask(files, generation), Encoders.INT())::collectAsList);
            if (made == null) {
                return null;
            }
            IntFiles own = files.open();
            int[] rank = new int[files.events()];
            for (int g = 0; g < files.count(); g++) {
                IntBuffer part = own.read(RuleFiles.ranks(generation, g), new long[] {rank.length})[0];
                for (int v = 0; v < rank.length; v++) {
                    rank[v] += part.get(v);
                }
            }
            own.delete(RuleFiles.RANKS);
            return EventOrder.byRank(rank);
        } catch (IOException e) {
            throw StageFolder.failed(folder.path(), e);
        }
    }

    @Override
    public double freedom() {
        return ChainClocks.freedom(pairs, graph.events().count());
    }

    @Override
    public boolean reaches(int a, int b) {
        GroupedRows mapped = rows;
        if (mapped == null) {
            try {
                mapped = files.rows(generation);
            } catch (IOException e) {
                throw StageFolder.failed(folder.path(), e);
            }
            rows = mapped;
        }
        Events events = graph.events();
        int chainA = events.chain(a);
        int chainB = events.chain(b);
        return Objects.requireNonNull(mapped)
                .reaches(chainA, a - events.chainStart(chainA), chainB, b - events.chainStart(chainB));
    }

    /** They are in mapped files. */
    @Override
    public long heapBytes() {
        return 0;
    }

    @Override
    public void saveTo(ArrayFile file) {
        file.put(CHANGED, changed);
        if (hasBegun) {
            file.put(DECIDED, decidedKeys);
        }
    }

    @Override
    public Closure.Result restore(ArrayFile file, BooleanSupplier stop) throws ArrayFile.DamagedException {
        long[] changedThen = file.longs(CHANGED);
        hasBegun = file.has(DECIDED);
        decidedKeys = hasBegun ? file.ints(DECIDED) : new int[0];
        int indexed = graph.indexedEdges();
        ClosurePlan plan = ClosurePlan.of(graph, graph.edges());
        if (plan.isCyclic()) {
            return Closure.Result.CYCLIC;
        }
        if (run(plan, -1) == null) {
            return Closure.Result.STOPPED;
        }
        graph.restoreIndexed(indexed);
        changed = changedThen;
        return Closure.Result.EXACT;
    }

    @Override
    public void close() {
        rows = null;
        IntFiles.forget(folder.path());
        folder.close();
    }
}
