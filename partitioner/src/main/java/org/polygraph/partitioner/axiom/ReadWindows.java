package org.polygraph.partitioner.axiom;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.ReadsFrom;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.model.StoppedException;

/**
 * {@link ReadAxiom} by windows of transactions that are processed elsewhere, each with all of {@link ReadArrays}, by
 * {@link #infer(ReadArrays, IsolationLevel, int, int, BooleanSupplier)}. The graph gets the same edges in the same
 * order.
 */
public final class ReadWindows implements Axiom {
    /** Processes windows. */
    @FunctionalInterface
    public interface Elsewhere {
        /**
         * Processes all windows.
         *
         * @param bounds window i is [bounds[i], bounds[i + 1])
         * @return the result of each window, in any order
         * @throws StoppedException if the budget ends
         */
        List<byte[]> infer(ReadArrays reads, int[] bounds);
    }

    /** Marks an edge of round 0. */
    private static final int OBSERVED = 1 << 31;

    private static final int NO_CONFLICT = -1;

    private final ReadsFrom reads;
    private final IsolationLevel level;
    private final int most;
    private final Elsewhere elsewhere;

    /**
     * The axiom of a level.
     *
     * @param reads of the same level; open reads demand nothing
     * @param level RC or RA
     * @param most windows, at least 1
     */
    public ReadWindows(ReadsFrom reads, IsolationLevel level, int most, Elsewhere elsewhere) {
        this.reads = reads;
        this.level = level;
        this.most = most;
        this.elsewhere = elsewhere;
    }

    /** Bounds of windows of about the same size; for RA a window begins with a session. */
    private int[] bounds(ReadArrays arrays) {
        int n = arrays.transactions();
        IntArrayList bounds = IntArrayList.of(0);
        for (int i = 1; i < most; i++) {
            int at = (int) ((long) n * i / most);
            while (level == IsolationLevel.RA
                    && at > 0
                    && at < n
                    && arrays.sessionOf()[at] == arrays.sessionOf()[at - 1]) {
                at++;
            }
            if (at > bounds.getInt(bounds.size() - 1) && at < n) {
                bounds.add(at);
            }
        }
        bounds.add(n);
        return bounds.toIntArray();
    }

    /**
     * Processes the window [from, to).
     *
     * @return int from, 3 ints of a conflict or -1s, then two ints an edge: 8 bytes each
     */
    public static byte[] infer(ReadArrays reads, IsolationLevel level, int from, int to, BooleanSupplier stop) {
        IntArrayList edges = new IntArrayList();
        ReadWindow window = new ReadWindow(reads, level == IsolationLevel.RA, (a, b, round) -> {
            edges.add(a);
            edges.add(round == 0 ? b | OBSERVED : b);
        });
        Conflict found = window.infer(from, to, stop);
        ByteBuffer out = ByteBuffer.allocate(Integer.BYTES * (4 + edges.size())).putInt(from);
        out.putInt(found == null ? NO_CONFLICT : found.writer());
        out.putInt(found == null ? NO_CONFLICT : found.reader());
        out.putInt(found == null ? NO_CONFLICT : found.key());
        out.asIntBuffer().put(edges.elements(), 0, edges.size());
        return out.array();
    }

    @Override
    public @Nullable Conflict infer(KnownGraph graph, BooleanSupplier stop) {
        ReadArrays arrays = ReadArrays.of(reads, graph.events());
        int[] bounds = bounds(arrays);
        List<byte[]> found = elsewhere.infer(arrays, bounds);
        @Nullable ByteBuffer[] byWindow = new @Nullable ByteBuffer[bounds.length - 1];
        for (byte[] each : found) {
            ByteBuffer in = ByteBuffer.wrap(each);
            byWindow[Arrays.binarySearch(bounds, 0, byWindow.length, in.getInt())] = in;
        }
        for (int i = 0; i < byWindow.length; i++) {
            ByteBuffer in = byWindow[i];
            if (in == null) {
                throw new IllegalStateException("no result for the transactions from " + bounds[i] + " on");
            }
            int writer = in.getInt();
            int reader = in.getInt();
            int key = in.getInt();
            while (in.hasRemaining()) {
                int a = in.getInt();
                int b = in.getInt();
                graph.add(a, b & ~OBSERVED, b < 0 ? 0 : 1);
            }
            if (writer != NO_CONFLICT) {
                return new Conflict(writer, reader, key);
            }
        }
        return null;
    }
}
