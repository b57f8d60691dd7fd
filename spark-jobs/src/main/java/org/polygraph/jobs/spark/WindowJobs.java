package org.polygraph.jobs.spark;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.List;
import java.util.Objects;
import org.apache.hadoop.fs.Path;
import org.apache.spark.deploy.SparkHadoopUtil;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.closure.EventOrder;
import org.polygraph.partitioner.closure.OutgrownException;
import org.polygraph.partitioner.closure.TimeBounds;
import org.polygraph.partitioner.closure.WindowPlan;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.sliced.WindowedRows;
import org.polygraph.storage.model.StoppedException;

/**
 * The window closure, computed by jobs: a task makes the rows of a window of time from one file, which has all its
 * input. The driver computes the bounds of events and the borders of windows in two passes over the edges, and collects
 * which edges stay and which rows changed.
 */
final class WindowJobs implements JobClosure {
    static final String PLAN = "windows-";
    static final String BOUNDS = "bounds-";
    static final String ROWS = "window-rows-";

    private final SparkSession spark;
    private final Jobs jobs;
    private final KnownGraph graph;
    private final String folder;
    private final int[] chainStarts;
    private final WindowPlan.Granularity granularity;
    private final long mostBytes;
    private long[] changed;
    private @Nullable Generation generation;
    private @Nullable TimeBounds bounds;
    private final DriverRows rows;

    /** @param sizes the size of windows, and the most bytes that the rows of a window may take */
    WindowJobs(
            SparkSession spark,
            Jobs jobs,
            KnownGraph graph,
            String folder,
            int[] chainStarts,
            SparkChecker.TaskSizes sizes) {
        this.spark = spark;
        this.jobs = jobs;
        this.graph = graph;
        this.folder = folder;
        this.rows = new DriverRows(folder, own -> Objects.requireNonNull(generation, "not closed yet")
                .open(own));
        this.chainStarts = chainStarts;
        this.granularity = sizes.windows();
        this.mostBytes = sizes.windowBytes();
        this.changed = new long[(graph.events().count() + 63) >> 6];
    }

    /**
     * The closure after one round of rules, for tasks.
     *
     * @param number the number of the round, from 0
     * @param chainStarts the first event of each chain, and the number of events
     * @param borders {@link WindowPlan#borders}
     * @param rowLengths the number of ints in the file of each window
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared or changed
    record Generation(String folder, int number, int[] chainStarts, int[] borders, long[] rowLengths)
            implements RowFiles {
        @Override
        public WindowedRows open() throws IOException {
            return open(files(folder));
        }

        /** As {@link RuleFiles#rows(IntFiles, int)}. */
        WindowedRows open(IntFiles files) throws IOException {
            files.outdate(name -> RowFiles.isBehind(name, PLAN, number));
            long events = chainStarts[chainStarts.length - 1];
            IntBuffer[] ends = files.read(BOUNDS + number, new long[] {events, events});
            IntBuffer[] rows = new IntBuffer[rowLengths.length];
            for (int w = 0; w < rows.length; w++) {
                rows[w] = files.read(WindowJobs.rows(number, w), new long[] {rowLengths[w]})[0];
            }
            return new WindowedRows(chainStarts, borders, ends[0], ends[1], rows);
        }
    }

    static IntFiles files(String folder) throws IOException {
        return new IntFiles(new Path(folder), SparkHadoopUtil.get().conf());
    }

    static String rows(int generation, int window) {
        return ROWS + generation + "-" + window;
    }

    @Override
    public boolean close() throws IOException {
        WindowPlan plan = WindowPlan.of(graph, generation == null ? 0 : graph.indexedEdges(), granularity);
        if (plan.isCyclic()) {
            return false;
        }
        long[] keep = plan.keep();
        run(plan, keep);
        plan.retain(keep);
        return true;
    }

    /** Makes the next generation. @param keep gets the fresh edges that are not redundant */
    private void run(WindowPlan plan, long[] keep) throws IOException {
        Generation before = generation;
        int next = before == null ? 0 : before.number + 1;
        IntFiles files = files(folder);
        long[] lengths = new long[plan.count()];
        files.write(PLAN + next, sink -> {
            for (int w = 0; w < lengths.length; w++) {
                int[] window = plan.window(w).toInts();
                lengths[w] = window.length;
                sink.put(window);
            }
        });
        files.write(BOUNDS + next, sink -> {
            sink.put(plan.bounds().earliestEnd());
            sink.put(plan.bounds().latestStart());
        });
        List<byte[]> made = jobs.run(
                "close the graph by windows of time",
                spark.range(0, lengths.length, 1, lengths.length)
                        .as(Encoders.LONG())
                        .mapPartitions(
                                new WindowClosureTask(folder, next, chainStarts, lengths, before, mostBytes),
                                Encoders.BINARY())::collectAsList);
        if (made == null) {
            throw new StoppedException();
        }
        long[] grown = new long[changed.length];
        TimeBounds old = bounds;
        if (old != null) {
            plan.markGrown(old, grown);
        }
        long[] rowLengths = new long[lengths.length];
        for (byte[] row : made) {
            IntBuffer in = ByteBuffer.wrap(row).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer();
            int window = in.get();
            rowLengths[window] = in.get();
            if (rowLengths[window] == WindowClosureTask.OUTGROWN) {
                throw new OutgrownException(mostBytes);
            }
            for (int i = in.get(); i > 0; i--) {
                int e = in.get();
                keep[e >> 6] |= 1L << e;
            }
            while (in.hasRemaining()) {
                int v = in.get();
                grown[v >> 6] |= 1L << v;
            }
        }
        changed = grown;
        bounds = plan.bounds();
        generation = new Generation(folder, next, chainStarts, plan.borders(), rowLengths);
        release();
        files.delete(PLAN);
        if (before != null) {
            files.delete(BOUNDS + before.number);
            files.delete(ROWS + before.number + "-");
        }
    }

    @Override
    public long[] changed() {
        return changed;
    }

    @Override
    public RowFiles rowFiles() {
        return Objects.requireNonNull(generation, "not closed yet");
    }

    @Override
    public int[] order() {
        return EventOrder.byTime(
                graph, Objects.requireNonNull(graph.realTime()), Objects.requireNonNull(bounds, "not closed yet"));
    }

    /** Real time leaves little open. */
    @Override
    public double freedom() {
        return 0;
    }

    @Override
    public boolean reaches(int a, int b) throws IOException {
        return rows.reaches(a, b);
    }

    @Override
    public void release() {
        rows.release();
    }

    /** The bytes of the bounds; rows are in mapped files. */
    @Override
    public long heapBytes() {
        return 12L * graph.events().count();
    }

    @Override
    public boolean restore(long[] changedThen) throws IOException {
        int indexed = graph.indexedEdges();
        WindowPlan plan = WindowPlan.of(graph, graph.edges(), granularity);
        if (plan.isCyclic()) {
            return false;
        }
        run(plan, new long[(graph.edges() + 63) >> 6]);
        graph.restoreIndexed(indexed);
        changed = changedThen;
        return true;
    }
}
