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

/**
 * {@link ReadAxiom} by ranges of transactions that are gone through elsewhere, each with all of {@link ReadArrays}: {@link
 * #infer(ReadArrays, IsolationLevel, int, int, BooleanSupplier)}. The graph gets the same edges in the same order.
 */
public final class ReadWindows implements Axiom {
    /** Goes through ranges. */
    @FunctionalInterface
    public interface Elsewhere {
        /**
         * Goes through all of them.
         *
         * @param cuts range i is [cuts[i], cuts[i + 1])
         * @return what became of each, in any order; null if the budget ended
         */
        @Nullable
        List<byte[]> infer(ReadArrays reads, int[] cuts);
    }

    /** Marks an edge of round 0. */
    private static final int OBSERVED = 1 << 31;

    private static final int NOBODY = -1;

    private final ReadsFrom reads;
    private final IsolationLevel level;
    private final int most;
    private final Elsewhere elsewhere;
    private @Nullable Conflict conflict;

    /**
     * The axiom of a level.
     *
     * @param reads found for the same level; what is open there demands nothing
     * @param level RC or RA
     * @param most ranges, at least 1
     */
    public ReadWindows(ReadsFrom reads, IsolationLevel level, int most, Elsewhere elsewhere) {
        this.reads = reads;
        this.level = level;
        this.most = most;
        this.elsewhere = elsewhere;
    }

    /** Ranges of about as many transactions each; for RA they begin with a session. */
    private int[] cuts(ReadArrays arrays) {
        int n = arrays.transactions();
        IntArrayList cuts = IntArrayList.of(0);
        for (int i = 1; i < most; i++) {
            int at = (int) ((long) n * i / most);
            while (level == IsolationLevel.RA
                    && at > 0
                    && at < n
                    && arrays.sessionOf()[at] == arrays.sessionOf()[at - 1]) {
                at++;
            }
            if (at > cuts.getInt(cuts.size() - 1) && at < n) {
                cuts.add(at);
            }
        }
        cuts.add(n);
        return cuts.toIntArray();
    }

    /**
     * Goes through a range.
     *
     * @return int from, 3 ints of a conflict or -1s, then two ints an edge: 8 bytes each
     */
    public static byte[] infer(ReadArrays reads, IsolationLevel level, int from, int to, BooleanSupplier stop) {
        IntArrayList edges = new IntArrayList();
        ReadWindow range = new ReadWindow(reads, level == IsolationLevel.RA, (a, b, round) -> {
            edges.add(a);
            edges.add(round == 0 ? b | OBSERVED : b);
        });
        // Where it is told to stop, nobody reads what it leaves.
        range.infer(from, to, stop);
        Conflict found = range.conflict();
        ByteBuffer out = ByteBuffer.allocate(Integer.BYTES * (4 + edges.size())).putInt(from);
        out.putInt(found == null ? NOBODY : found.writer());
        out.putInt(found == null ? NOBODY : found.reader());
        out.putInt(found == null ? NOBODY : found.key());
        out.asIntBuffer().put(edges.elements(), 0, edges.size());
        return out.array();
    }

    @Override
    public Result infer(KnownGraph graph, BooleanSupplier stop) {
        ReadArrays arrays = ReadArrays.of(reads, graph.events());
        int[] cuts = cuts(arrays);
        List<byte[]> found = elsewhere.infer(arrays, cuts);
        if (found == null) {
            return Result.STOPPED;
        }
        @Nullable ByteBuffer[] byRange = new @Nullable ByteBuffer[cuts.length - 1];
        for (byte[] each : found) {
            ByteBuffer in = ByteBuffer.wrap(each);
            byRange[Arrays.binarySearch(cuts, 0, byRange.length, in.getInt())] = in;
        }
        for (int i = 0; i < byRange.length; i++) {
            ByteBuffer in = byRange[i];
            if (in == null) {
                throw new IllegalStateException("nobody went through the transactions from " + cuts[i] + " on");
            }
            int writer = in.getInt();
            int reader = in.getInt();
            int key = in.getInt();
            while (in.hasRemaining()) {
                int a = in.getInt();
                int b = in.getInt();
                graph.add(a, b & ~OBSERVED, b < 0 ? 0 : 1);
            }
            if (writer != NOBODY) {
                conflict = new Conflict(writer, reader, key);
                return Result.CONFLICT;
            }
        }
        return Result.INFERRED;
    }

    @Override
    public @Nullable Conflict conflict() {
        return conflict;
    }
}
