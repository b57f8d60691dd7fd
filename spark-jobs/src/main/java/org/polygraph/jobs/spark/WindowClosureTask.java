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
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.closure.OutgrownException;
import org.polygraph.partitioner.closure.Window;
import org.polygraph.storage.model.StoppedException;

/**
 * For each window of time: writes the rows of its events to a file. Output: a row for each window, little-endian ints:
 * the window, the number of ints in its file, the number of edges that stay, these edges, and the events whose rows
 * changed; or the window and {@link #OUTGROWN}.
 */
final class WindowClosureTask implements MapPartitionsFunction<Long, byte[]> {
    private static final long serialVersionUID = 1L;

    /** Replaces the number of ints if the rows would take more memory than a task has. */
    static final int OUTGROWN = -1;

    private final String folder;
    private final int generation;
    private final int[] chainStarts;
    private final long[] planLengths;
    private final WindowJobs.@Nullable Generation before;
    private final long mostBytes;

    /**
     * A task that makes one generation.
     *
     * @param generation the generation to be made, of which the plan is written already
     * @param chainStarts the first event of each chain, and the number of events
     * @param planLengths the number of ints in the plan of each window
     * @param before the generation that rows are compared with, or null
     * @param mostBytes the most bytes of rows, unless a task's share of the heap is smaller
     */
    WindowClosureTask(
            String folder,
            int generation,
            int[] chainStarts,
            long[] planLengths,
            WindowJobs.@Nullable Generation before,
            long mostBytes) {
        this.folder = folder;
        this.generation = generation;
        this.chainStarts = chainStarts;
        this.planLengths = planLengths;
        this.before = before;
        this.mostBytes = mostBytes;
    }

    @Override
    public Iterator<byte[]> call(Iterator<Long> windows) throws IOException {
        List<byte[]> rows = new ArrayList<>();
        while (windows.hasNext()) {
            rows.add(close(Math.toIntExact(windows.next())));
        }
        return rows.iterator();
    }

    private byte[] close(int number) throws IOException {
        IntFiles files = WindowJobs.files(folder);
        IntBuffer plan = files.read(WindowJobs.PLAN + generation, planLengths)[number];
        Window window = Window.of(plan, chainStarts);
        TaskContext task = TaskContext.get();
        try {
            window.close(Math.min(mostBytes, TaskHeap.half()), task::isInterrupted);
        } catch (OutgrownException e) {
            ByteBuffer out = ByteBuffer.allocate(2 * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
            return out.putInt(number).putInt(OUTGROWN).array();
        } catch (StoppedException e) {
            throw new IOException("the task was interrupted", e);
        }
        int[] rows = window.rows();
        files.write(WindowJobs.rows(generation, number), sink -> sink.put(rows));
        int[] kept = window.kept();
        int[] changed = before == null ? new int[0] : before.open().differing(IntBuffer.wrap(rows));
        ByteBuffer out = ByteBuffer.allocate(Math.multiplyExact(4, 3 + kept.length + changed.length))
                .order(ByteOrder.LITTLE_ENDIAN);
        out.asIntBuffer()
                .put(number)
                .put(rows.length)
                .put(kept.length)
                .put(kept)
                .put(changed);
        return out.array();
    }
}
