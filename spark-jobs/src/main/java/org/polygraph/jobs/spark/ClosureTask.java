package org.polygraph.jobs.spark;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.polygraph.partitioner.sliced.ColumnGroup;

/**
 * For each column group: computes its columns of a graph's closure in a mapped file. Output: a row for each group,
 * little-endian: the group as an int, {@link ColumnGroup#pairs} as a long, then the longs of {@link ColumnGroup#kept},
 * a bit for each edge, and of {@link ColumnGroup#changed}, a bit for each event.
 */
final class ClosureTask implements MapPartitionsFunction<Long, byte[]> {
    private static final long serialVersionUID = 1L;

    private final RuleFiles files;
    private final int generation;
    private final int before;
    private final long[] planLengths;

    /**
     * A task that makes one generation.
     *
     * @param generation the generation to be made, of which the plan is written already
     * @param before the generation that rows are compared with, or -1
     * @param planLengths the lengths, in ints, of turns, starts, sources and bits
     */
    ClosureTask(RuleFiles files, int generation, int before, long[] planLengths) {
        this.files = files;
        this.generation = generation;
        this.before = before;
        this.planLengths = planLengths;
    }

    @Override
    public Iterator<byte[]> call(Iterator<Long> groups) throws IOException {
        List<byte[]> rows = new ArrayList<>();
        while (groups.hasNext()) {
            rows.add(close(Math.toIntExact(groups.next())));
        }
        return rows.iterator();
    }

    private byte[] close(int group) throws IOException {
        IntFiles own = files.open();
        IntBuffer[] plan = own.read(RuleFiles.plan(generation), planLengths);
        long[] lengths = files.rowLengths(group);
        IntBuffer[] old = before < 0 ? null : own.read(RuleFiles.rows(before, group), lengths);
        ColumnGroup columns = new ColumnGroup(
                files.chainStarts(),
                files.groups()[group],
                files.groups()[group + 1],
                plan[0],
                plan[1],
                plan[2],
                plan[3]);
        TaskContext task = TaskContext.get();
        own.create(RuleFiles.rows(generation, group), lengths, parts -> {
            if (!columns.close(parts, old, task::isInterrupted)) {
                throw new IOException("the task was stopped");
            }
        });
        long[] kept = columns.kept();
        long[] changed = columns.changed();
        ByteBuffer out =
                ByteBuffer.allocate(12 + 8 * (kept.length + changed.length)).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(group);
        out.putLong(columns.pairs());
        for (long bits : kept) {
            out.putLong(bits);
        }
        for (long bits : changed) {
            out.putLong(bits);
        }
        return out.array();
    }
}
