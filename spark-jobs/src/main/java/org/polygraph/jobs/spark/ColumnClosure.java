package org.polygraph.jobs.spark;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.closure.EventOrder;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.sliced.ClosurePlan;
import org.polygraph.partitioner.sliced.GroupedRows;
import org.polygraph.storage.model.StoppedException;

/**
 * Chain clocks that Spark jobs compute: a task for each group of sessions writes its columns into a mapped file, and
 * its ranks.
 */
final class ColumnClosure implements JobClosure {
    private final SparkSession spark;
    private final Jobs jobs;
    private final KnownGraph graph;
    private final RuleFiles files;

    /** The generation of the current rows; -1 before the first closure. */
    private int generation = -1;

    private long[] changed;
    /** The number of pairs of events of which the first reaches the second. */
    private long pairs;

    private final DriverRows rows;

    /** @param files the location of the files and the groups of columns */
    ColumnClosure(SparkSession spark, Jobs jobs, KnownGraph graph, RuleFiles files) {
        this.spark = spark;
        this.jobs = jobs;
        this.graph = graph;
        this.files = files;
        this.rows = new DriverRows(files.folder(), own -> files.rows(own, generation));
        this.changed = new long[(graph.events().count() + 63) >> 6];
    }

    @Override
    public boolean close() throws IOException {
        int known = generation < 0 ? 0 : graph.indexedEdges();
        ClosurePlan plan = ClosurePlan.of(graph, known);
        if (plan.isCyclic()) {
            return false;
        }
        long[] kept = run(plan, generation);
        if (kept == null) {
            throw new StoppedException();
        }
        plan.retain(kept);
        return true;
    }

    /** Makes the next generation. @return a bit for each edge that is not redundant; null if the budget ended */
    private long @Nullable [] run(ClosurePlan plan, int before) throws IOException {
        int next = generation + 1;
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
        release();
        own.delete(RuleFiles.PLAN);
        own.delete(RuleFiles.RANKS);
        if (next > 0) {
            own.delete(RuleFiles.ROWS + (next - 1) + "-");
        }
        return kept;
    }

    private Dataset<Long> groups() {
        return spark.range(0, files.count(), 1, files.count()).as(Encoders.LONG());
    }

    @Override
    public ColumnRows rowFiles() {
        return new ColumnRows(files, generation);
    }

    /** All rows of a generation. */
    record ColumnRows(RuleFiles files, int generation) implements RowFiles {
        @Override
        public GroupedRows open() throws IOException {
            return files.rows(files.open(), generation);
        }
    }

    @Override
    public long[] changed() {
        return changed;
    }

    @Override
    public int @Nullable [] order() throws IOException {
        List<Integer> made = jobs.run(
                "rank events by columns",
                groups().mapPartitions(new ClockRankTask(files, generation), Encoders.INT())::collectAsList);
        if (made == null) {
            return null;
        }
        int[] rank = new int[files.events()];
        try (IntFiles own = files.open()) {
            for (int g = 0; g < files.count(); g++) {
                IntBuffer part = own.read(RuleFiles.ranks(generation, g), new long[] {rank.length})[0];
                for (int v = 0; v < rank.length; v++) {
                    rank[v] += part.get(v);
                }
            }
            own.delete(RuleFiles.RANKS);
        }
        return EventOrder.byRank(rank);
    }

    @Override
    public double freedom() {
        return ChainClocks.freedom(pairs, graph.events().count());
    }

    @Override
    public boolean reaches(int a, int b) throws IOException {
        return rows.reaches(a, b);
    }

    @Override
    public void release() {
        rows.release();
    }

    /** None: the rows are in mapped files. */
    @Override
    public long heapBytes() {
        return 0;
    }

    @Override
    public boolean restore(long[] changedThen) throws IOException {
        int indexed = graph.indexedEdges();
        ClosurePlan plan = ClosurePlan.of(graph, graph.edges());
        if (plan.isCyclic()) {
            return false;
        }
        if (run(plan, -1) == null) {
            throw new StoppedException();
        }
        graph.restoreIndexed(indexed);
        changed = changedThen;
        return true;
    }
}
