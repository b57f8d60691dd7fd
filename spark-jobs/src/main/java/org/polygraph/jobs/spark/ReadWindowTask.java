package org.polygraph.jobs.spark;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import org.polygraph.partitioner.axiom.ReadArrays;
import org.polygraph.partitioner.axiom.ReadWindows;
import org.polygraph.partitioner.isolation.IsolationLevel;

/**
 * For each window of transactions: the commit-order edges that RC or RA demands. Output: a row a window, for the merge.
 */
final class ReadWindowTask implements MapPartitionsFunction<Long, byte[]> {
    private static final long serialVersionUID = 1L;

    private final Sent reads;
    private final IsolationLevel level;
    private final int[] bounds;

    /** @param bounds window i is [bounds[i], bounds[i + 1]) */
    ReadWindowTask(Sent reads, IsolationLevel level, int[] bounds) {
        this.reads = reads;
        this.level = level;
        this.bounds = bounds;
    }

    @Override
    public Iterator<byte[]> call(Iterator<Long> windows) {
        List<byte[]> rows = new ArrayList<>();
        Thread task = Thread.currentThread();
        while (windows.hasNext()) {
            int window = windows.next().intValue();
            rows.add(ReadWindows.infer(reads.arrays(), level, bounds[window], bounds[window + 1], task::isInterrupted));
        }
        return rows.iterator();
    }

    /** The arrays, which all tasks of an executor share. */
    static final class Sent implements Serializable, AutoCloseable {
        private static final long serialVersionUID = 1L;

        private final int keys;
        private final Broadcast<int[]> operationStarts;
        private final Broadcast<int[]> operationKeys;
        private final Broadcast<int[]> sortedKeys;
        private final Broadcast<int[]> sources;
        private final Broadcast<byte[]> states;
        private final Broadcast<int[]> sessionOf;

        Sent(SparkSession spark, ReadArrays reads) {
            JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
            keys = reads.keys();
            operationStarts = context.broadcast(reads.operationStarts());
            operationKeys = context.broadcast(reads.operationKeys());
            sortedKeys = context.broadcast(reads.sortedKeys());
            sources = context.broadcast(reads.sources());
            states = context.broadcast(reads.states());
            sessionOf = context.broadcast(reads.sessionOf());
        }

        private ReadArrays arrays() {
            return new ReadArrays(
                    keys,
                    operationStarts.value(),
                    operationKeys.value(),
                    sortedKeys.value(),
                    sources.value(),
                    states.value(),
                    sessionOf.value());
        }

        @Override
        public void close() {
            for (Broadcast<?> each : List.of(operationStarts, operationKeys, sortedKeys, sources, states, sessionOf)) {
                each.destroy();
            }
        }
    }
}
