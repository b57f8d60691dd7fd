package org.polygraph.jobs.spark;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Rules;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.partitioner.prune.Saturation;
import org.polygraph.partitioner.sliced.KeySlices;
import org.polygraph.storage.artifact.ArrayFile;
import org.polygraph.storage.model.StoppedException;

/**
 * Closure and rules as Spark jobs. The tasks of the closure write its columns by group of sessions, or with real time
 * its rows by window of time, into mapped files. The tasks of the rules read these files and process a slice of keys
 * each. The driver holds the graph and merges the results: a bit for each redundant edge, forced edges, and decisions
 * about reads, but no rows.
 */
final class SparkRules implements Rules {
    private static final int[] NOTHING = {};

    private final SparkSession spark;
    private final JavaSparkContext context;
    private final Jobs jobs;
    private final ScratchFolder folder;
    private final JobClosure closure;
    private final IndexedHistory history;
    private final KnownGraph graph;
    private final KeySlices slices;
    private final Dataset<byte[]> indexes;
    private final long hotKeyBytes;

    private final Path parent;
    private @Nullable IndexFiles cutKeys;

    /** The closure, which may continue rounds of an earlier process. */
    private boolean hasBegun;

    private boolean hasBegunHere;
    private int[] decidedKeys = {};
    /** The decisions of all rounds, in the form that {@link SliceSaturation} takes. */
    private final IntArrayList decided = new IntArrayList();

    /** The stop condition of the last caller; it may be the end of a part of the budget, which also ends jobs. */
    private volatile BooleanSupplier stop = () -> false;

    private int impossibleKey = -1;
    private int impossibleReader = -1;

    /**
     * Runs no job yet.
     *
     * @param parent the parent of the folder for the files
     * @param indexes a row for each slice: its current index
     * @param groupBytes the approximate bytes of a file of columns
     * @param sizes the sizes of tasks
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
            SparkChecker.TaskSizes sizes) {
        this.spark = spark;
        this.hotKeyBytes = sizes.hotKeyBytes();
        this.context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        this.jobs = jobs.until(() -> stop.getAsBoolean());
        this.history = history;
        this.graph = graph;
        this.slices = slices;
        this.parent = parent;
        this.indexes = indexes;
        try {
            this.folder = new ScratchFolder(parent, context.hadoopConfiguration());
        } catch (IOException e) {
            throw ScratchFolder.failed(parent, e);
        }
        Events events = graph.events();
        int[] chainStarts = new int[events.chains() + 1];
        for (int s = 0; s < events.chains(); s++) {
            chainStarts[s] = events.chainStart(s);
        }
        chainStarts[events.chains()] = events.count();
        String where = folder.path().toString();
        context.setLocalProperty(CheckMetricsPlugin.MAPPED, where);
        this.closure = graph.realTime() == null
                ? new ColumnClosure(
                        spark,
                        this.jobs,
                        graph,
                        new RuleFiles(
                                where, chainStarts, RuleFiles.groups(chainStarts, groupBytes, sizes.mostColumns())))
                : new WindowJobs(spark, this.jobs, graph, where, chainStarts, sizes);
    }

    @Override
    public boolean close(BooleanSupplier stop) {
        this.stop = stop;
        try {
            return closure.close();
        } catch (IOException e) {
            throw ScratchFolder.failed(folder.path(), e);
        }
    }

    @Override
    public Saturation.RoundResult round(BooleanSupplier stop) {
        this.stop = stop;
        graph.nextRound();
        VersionIndex versions = history.versions();
        int edges = graph.edges();
        int ambiguous = versions.ambiguous();
        boolean most = !hasBegun || mostChanged();
        List<byte[]> forced = new ArrayList<>();
        try (Broadcasts sent = new Broadcasts(context)) {
            Broadcast<byte[]> states = sent.of(history.commitStatus().states());
            Broadcast<long[]> grown = sent.of(closure.changed());
            Broadcast<int[]> decisions = sent.of(decided.toIntArray());
            Broadcast<int[]> keys = sent.of(decidedKeys);
            // The length of a window's rows depends on how many transactions overlap, not on the number of sessions.
            HotKeys hot = closure instanceof ColumnClosure columns ? hotKeys(columns, states) : null;
            int[] hotKeys = hot == null ? NOTHING : hot.keys();
            Function<KeySlices, SaturationTask> rules = of -> new SaturationTask(
                    closure.rowFiles(),
                    of,
                    graph.events().perTransaction(),
                    history.table().sessionStarts(),
                    states,
                    grown,
                    most,
                    decisions,
                    keys,
                    hotKeys);
            if (!force("force edges", indexes, rules.apply(slices), forced)) {
                throw new StoppedException();
            }
            Dataset<byte[]> split = splitKeys(hotKeys);
            if (split != null && !force("force edges of split keys", split, rules.apply(oneByOne()), forced)) {
                throw new StoppedException();
            }
            if (hot != null) {
                List<byte[]> byRange = hot.round(grown, most, decidedKeys);
                if (byRange == null) {
                    throw new StoppedException();
                }
                forced.addAll(byRange);
            }
        }
        if (!merge(forced)) {
            return Saturation.RoundResult.CONTRADICTION;
        }
        hasBegun = true;
        return graph.edges() > edges || versions.ambiguous() < ambiguous
                ? Saturation.RoundResult.FORCED
                : Saturation.RoundResult.FIXPOINT;
    }

    private boolean force(String what, Dataset<byte[]> from, SaturationTask rules, List<byte[]> forced) {
        List<byte[]> rows = jobs.run(
                what + ", round " + graph.currentRound(), from.mapPartitions(rules, Encoders.BINARY())::collectAsList);
        if (rows != null) {
            forced.addAll(rows);
        }
        return rows != null;
    }

    /**
     * The split keys whose rules fit into one task, a whole key in each row. They are found once, in the first round:
     * tasks get the decisions of all rounds, and a key that is hot stays hot.
     */
    private @Nullable Dataset<byte[]> splitKeys(int[] hotKeys) {
        if (!hasBegunHere) {
            hasBegunHere = true;
            IntOpenHashSet hot = new IntOpenHashSet(hotKeys);
            int[] chosen = IntStream.of(slices.splitKeys())
                    .filter(k -> !hot.contains(k))
                    .toArray();
            if (chosen.length > 0) {
                try {
                    IndexFiles files = new IndexFiles(parent, context.hadoopConfiguration());
                    cutKeys = files;
                    files.write(oneByOne(), chosen, history.versions(), jobs::isOver);
                } catch (IOException e) {
                    throw ScratchFolder.failed(parent, e);
                }
            }
        }
        try {
            return cutKeys == null ? null : cutKeys.rows(spark);
        } catch (IOException e) {
            throw ScratchFolder.failed(parent, e);
        }
    }

    private KeySlices oneByOne() {
        return new KeySlices(slices.keys(), slices.keys());
    }

    private HotKeys hotKeys(ColumnClosure columns, Broadcast<byte[]> states) {
        return new HotKeys(
                spark,
                jobs,
                history.versions(),
                new HotKeys.Closed(
                        columns.rowFiles(),
                        graph.events().perTransaction(),
                        history.table().sessionStarts(),
                        states),
                (long) Integer.BYTES
                        * graph.events().perTransaction()
                        * graph.events().chains(),
                hotKeyBytes);
    }

    /**
     * Adds the forced edges, key by key, in the order of one pass over all keys. @return false at an impossible read
     */
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

    /** The start of the next key. */
    private static int end(int[] forced, int at) {
        int edges = forced[at + 2];
        return at + 4 + 2 * edges + forced[at + 3 + 2 * edges];
    }

    /** Whether visiting all keys costs less than finding the changed ones, as in Saturation. */
    private boolean mostChanged() {
        long count = 0;
        for (long bits : closure.changed()) {
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
            return closure.order();
        } catch (IOException e) {
            throw ScratchFolder.failed(folder.path(), e);
        }
    }

    @Override
    public double freedom() {
        return closure.freedom();
    }

    @Override
    public boolean reaches(int a, int b) {
        try {
            return closure.reaches(a, b);
        } catch (IOException e) {
            throw ScratchFolder.failed(folder.path(), e);
        }
    }

    @Override
    public long heapBytes() {
        return closure.heapBytes();
    }

    @Override
    public void saveTo(ArrayFile file) {
        file.put(CHANGED, closure.changed());
        if (hasBegun) {
            file.put(DECIDED, decidedKeys);
        }
    }

    @Override
    public boolean restore(ArrayFile file, BooleanSupplier stop) throws ArrayFile.DamagedException {
        long[] changedThen = file.longs(CHANGED);
        hasBegun = file.has(DECIDED);
        decidedKeys = hasBegun ? file.ints(DECIDED) : new int[0];
        this.stop = stop;
        try {
            return closure.restore(changedThen);
        } catch (IOException e) {
            throw ScratchFolder.failed(folder.path(), e);
        }
    }

    @Override
    public void close() {
        closure.release();
        context.setLocalProperty(CheckMetricsPlugin.MAPPED, null);
        MappedFiles.OF_THIS_PROCESS.close();
        folder.close();
        if (cutKeys != null) {
            cutKeys.close();
        }
    }
}
