package org.polygraph.partitioner.residual;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.function.BooleanSupplier;
import org.polygraph.partitioner.graph.Problem;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.partitioner.order.KeyCheck;
import org.polygraph.storage.model.StoppedException;

/**
 * The keys that the first order violates, which the rules leave open. If there is none, the order explains the history;
 * the solver has nothing to choose then, even if some transaction's commit is a choice. The solver begins with these
 * keys. It gets the whole index, because a new order may violate further keys. Memory: 4 bytes a violated key.
 */
public final class ResidualCore {
    private static final int CHECK_EVERY = 1 << 12;

    private final int[] keys;
    private final long violated;
    private final boolean hasSums;

    private ResidualCore(int[] keys, long violated, boolean hasSums) {
        this.keys = keys;
        this.violated = violated;
        this.hasSums = hasSums;
    }

    /** The violated keys, ascending. */
    public int[] keys() {
        return keys;
    }

    /** The number of violated reads and of violated pairs of writers of these keys. */
    public long violated() {
        return violated;
    }

    /** Checks every key against the order, see {@link #of(Problem, CommitStatus, int[], BooleanSupplier)}. */
    public static ResidualCore of(Problem problem, int[] position, BooleanSupplier stop) {
        return of(problem, problem.commitStatus(), position, stop);
    }

    /**
     * Checks every key against the order. O(operations log operations of a key).
     *
     * @param commitStatus in place of that of the problem
     * @throws StoppedException if it is to stop
     */
    public static ResidualCore of(Problem problem, CommitStatus commitStatus, int[] position, BooleanSupplier stop) {
        VersionIndex index = problem.versions();
        KeyCheck check = new KeyCheck(problem.events(), index, commitStatus, position);
        IntArrayList keys = new IntArrayList();
        long violated = 0;
        for (int key = 0; key < index.keys(); key++) {
            if ((key & (CHECK_EVERY - 1)) == 0) {
                StoppedException.check(stop);
            }
            int violations = check.violations(key);
            if (violations > 0) {
                keys.add(key);
                violated += violations;
            }
        }
        return new ResidualCore(keys.toIntArray(), violated, problem.history().sums() != null);
    }

    /**
     * A core whose keys were checked elsewhere.
     *
     * @param keys ascending; empty: nothing is violated
     */
    public static ResidualCore of(int[] keys, long violated) {
        return new ResidualCore(keys, violated, false);
    }

    /** Whether the order explains the history. Only the solver knows whether it explains sums of additions. */
    public boolean isEmpty() {
        return keys.length == 0 && !hasSums;
    }
}
