package org.polygraph.jobs.spark;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.io.IOException;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.partitioner.sliced.HotKeySaturation;

/**
 * A round of rules over the keys whose rows are too many for a task. Two jobs process each key, with a task for each
 * slice of its writers: the first job finds the order in which writers are visited, the second visits them.
 *
 * <p>The driver holds 8 bytes for each visited writer. All executors get the index of the key and 4 bytes for each
 * visit.
 */
final class HotKeys {
    /** The bytes of rows that one task should read. */
    private static final long RANGE_BYTES = 64L << 20;

    private final SparkSession spark;
    private final JavaSparkContext context;
    private final Jobs jobs;
    private final VersionIndex versions;
    private final Closed closed;
    private final int[] keys;
    private final long rowBytes;
    private final int least;

    /**
     * Finds the hot keys.
     *
     * @param closed the closure from which tasks read rows
     * @param rowBytes the bytes of the rows of a transaction
     * @param mostBytes the most bytes of rows of a key that one task processes
     */
    HotKeys(SparkSession spark, Jobs jobs, VersionIndex versions, Closed closed, long rowBytes, long mostBytes) {
        this.spark = spark;
        this.context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        this.jobs = jobs;
        this.versions = versions;
        this.closed = closed;
        this.rowBytes = rowBytes;
        // Only tests set small bounds, and they need several tasks.
        this.least = mostBytes < RANGE_BYTES ? 3 : 1;
        IntArrayList found = new IntArrayList();
        for (int key = 0; key < versions.keys(); key++) {
            if (rowBytes * items(key) > mostBytes && HotKeySaturation.splits(versions, key)) {
                found.add(key);
            }
        }
        this.keys = found.toIntArray();
    }

    private long items(int key) {
        return (long) versions.writerStarts()[key + 1]
                - versions.writerStarts()[key]
                + versions.readerStarts()[key + 1]
                - versions.readerStarts()[key];
    }

    /** The hot keys, ascending. */
    int[] keys() {
        return keys;
    }

    /**
     * Runs a round. The result has a row for each task that forces an edge, in the order of visits for each key:
     * little-endian ints in the layout of {@link org.polygraph.partitioner.sliced.SliceSaturation#forced}.
     *
     * @param all whether all writers are visited, and not only those that a change may affect
     * @param decided keys of which all writers are visited in any case
     * @return null if the budget ended
     */
    @Nullable
    List<byte[]> round(Broadcast<long[]> changed, boolean all, int[] decided) {
        List<byte[]> forced = new ArrayList<>();
        for (int key : keys) {
            int parts = (int) Math.max(least, rowBytes * items(key) / RANGE_BYTES + 1);
            boolean whole = all || IntStream.of(decided).anyMatch(k -> k == key);
            try (Broadcasts sent = new Broadcasts(context)) {
                Index index = new Index(sent, versions.part(new int[] {key}));
                List<byte[]> visits = jobs.run(
                        "put writers of a hot key in order",
                        spark.range(0, parts, 1, parts)
                                        .as(Encoders.LONG())
                                        .mapPartitions(
                                                new Visits(closed, index, changed, whole, parts), Encoders.BINARY())
                                ::collectAsList);
                if (visits == null) {
                    return null;
                }
                Broadcast<int[]> order = sent.of(order(visits));
                List<byte[]> rows = jobs.run(
                        "force edges of a hot key",
                        spark.range(0, parts, 1, parts)
                                        .as(Encoders.LONG())
                                        .mapPartitions(new Ranges(closed, index, order, key, parts), Encoders.BINARY())
                                ::collectAsList);
                if (rows == null) {
                    return null;
                }
                forced.addAll(rows);
            }
        }
        return forced;
    }

    private static int[] order(List<byte[]> parts) {
        int total = 0;
        for (byte[] part : parts) {
            total += part.length / Long.BYTES;
        }
        long[] visits = new long[total];
        int at = 0;
        for (byte[] part : parts) {
            LongBuffer in = ByteBuffer.wrap(part).asLongBuffer();
            int count = in.remaining();
            in.get(visits, at, count);
            at += count;
        }
        Arrays.sort(visits);
        int[] order = new int[total];
        for (int i = 0; i < total; i++) {
            order[i] = (int) visits[i];
        }
        return order;
    }

    /** The broadcast index of a key whose reads are all decided. */
    private record Index(Broadcast<int[]> writers, Broadcast<int[]> slotStarts, Broadcast<int[]> readers)
            implements Serializable {
        Index(Broadcasts sent, VersionIndex key) {
            this(sent.of(key.writerTransactions()), sent.of(key.slotStarts()), sent.of(key.readerTransactions()));
        }

        VersionIndex versions() {
            return VersionIndex.ofKey(writers.value(), slotStarts.value(), readers.value());
        }
    }

    /**
     * The closure that tasks read.
     *
     * @param states by transaction: whether it counts
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared or changed
    record Closed(ColumnClosure.ColumnRows rows, int perTransaction, int[] sessionStarts, Broadcast<byte[]> states)
            implements Serializable {
        HotKeySaturation saturation(Index index) throws IOException {
            return new HotKeySaturation(index.versions(), perTransaction, sessionStarts, states.value(), rows.open());
        }
    }

    /** For each slice of the writers: {@link HotKeySaturation#visited}, big-endian. */
    private record Visits(Closed closed, Index index, Broadcast<long[]> changed, boolean all, int parts)
            implements MapPartitionsFunction<Long, byte[]> {
        @Override
        public Iterator<byte[]> call(Iterator<Long> ranges) throws IOException {
            List<byte[]> rows = new ArrayList<>();
            HotKeySaturation key = closed.saturation(index);
            while (ranges.hasNext()) {
                long range = ranges.next();
                long[] visits = key.visited(
                        (int) (key.writers() * range / parts),
                        (int) (key.writers() * (range + 1) / parts),
                        changed.value(),
                        all);
                ByteBuffer out = ByteBuffer.allocate(Math.multiplyExact(Long.BYTES, visits.length));
                out.asLongBuffer().put(visits);
                rows.add(out.array());
            }
            return rows.iterator();
        }
    }

    /** For each slice of the visits: the edges that they force. */
    private record Ranges(Closed closed, Index index, Broadcast<int[]> order, int key, int parts)
            implements MapPartitionsFunction<Long, byte[]> {
        @Override
        public Iterator<byte[]> call(Iterator<Long> ranges) throws IOException {
            List<byte[]> rows = new ArrayList<>();
            HotKeySaturation saturation = closed.saturation(index);
            while (ranges.hasNext()) {
                long range = ranges.next();
                long visits = order.value().length;
                int[] edges = saturation.forced(
                        order.value(), (int) (visits * range / parts), (int) (visits * (range + 1) / parts));
                if (edges.length > 0) {
                    ByteBuffer out = ByteBuffer.allocate(Math.multiplyExact(4, edges.length + 4))
                            .order(ByteOrder.LITTLE_ENDIAN);
                    out.putInt(key).putInt(-1).putInt(edges.length / 2);
                    for (int event : edges) {
                        out.putInt(event);
                    }
                    out.putInt(0);
                    rows.add(out.array());
                }
            }
            return rows.iterator();
        }
    }
}
