package org.polygraph.partitioner.residual;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.partitioner.order.KeyCheck;

/**
 * What the rules leave open: the keys that the first order violates. Empty: the order explains the history, unless some
 * transaction's commit is a choice and then the solver has nothing to choose either. The core grows only by what a new
 * order breaks, so the solver is handed the whole index and these keys to start from.
 */
public final class ResidualCore {
    private static final int CHECK_EVERY = 1 << 12;

    private final int[] keys;
    private final long violated;

    private ResidualCore(int[] keys, long violated) {
        this.keys = keys;
        this.violated = violated;
    }

    /** The violated keys, ascending. */
    public int[] keys() {
        return keys;
    }

    /** How many reads and pairs of writers are violated in them. */
    public long violated() {
        return violated;
    }

    /** Checks every key against the order; null if the budget ended. O(operations log operations of a key). */
    public static @Nullable ResidualCore of(
            KnownGraph graph, VersionIndex index, CommitStatus commitStatus, int[] position, BooleanSupplier stop) {
        KeyCheck check = new KeyCheck(graph.events(), index, commitStatus, position);
        IntArrayList keys = new IntArrayList();
        long violated = 0;
        for (int key = 0; key < index.keys(); key++) {
            if ((key & (CHECK_EVERY - 1)) == 0 && stop.getAsBoolean()) {
                return null;
            }
            int violations = check.violations(key);
            if (violations > 0) {
                keys.add(key);
                violated += violations;
            }
        }
        return new ResidualCore(keys.toIntArray(), violated);
    }

    /**
     * A core whose keys were checked elsewhere.
     *
     * @param keys ascending; empty: nothing is violated
     */
    public static ResidualCore of(int[] keys, long violated) {
        return new ResidualCore(keys, violated);
    }

    public boolean isEmpty() {
        return keys.length == 0;
    }
}
