package org.polygraph.solver.sat;

import java.util.Arrays;
import java.util.function.BooleanSupplier;

/**
 * The budget of a search: stop signal and bytes. It serves one thread. Every loop whose length depends on the
 * input calls {@link #tick()}; every array that grows does so through {@link #grow}; either throws {@link
 * BudgetExhausted}.
 */
public final class SearchBudget {
    /** The number of ticks after which the signal is polled; a tick is at most a few hundred memory accesses. */
    private static final int TICKS_PER_CHECK = 256;

    /** An array with at least this many entries grows by half. */
    private static final int LARGE = 1 << 20;

    private static final int MAX_ARRAY = Integer.MAX_VALUE - 16;

    private final BooleanSupplier stop;
    private final long maxBytes;
    /** One cell, shared by the budgets that count together: the bytes that they hold. */
    private final long[] held;

    private long own;
    private int ticks;

    /**
     * @param stop polled at every check; true ends the search
     * @param maxBytes the most bytes that the solver's own structures may take
     */
    public SearchBudget(BooleanSupplier stop, long maxBytes) {
        this(stop, maxBytes, new long[1]);
    }

    private SearchBudget(BooleanSupplier stop, long maxBytes, long[] held) {
        this.stop = stop;
        this.maxBytes = maxBytes;
        this.held = held;
    }

    /**
     * A budget with the same limits that counts its bytes with this one; its {@link #release} releases only its own
     * bytes.
     */
    public SearchBudget sharing() {
        return new SearchBudget(stop, maxBytes, held);
    }

    /** A budget that never runs out. */
    public static SearchBudget unlimited() {
        return new SearchBudget(() -> false, Long.MAX_VALUE);
    }

    /** Counts one unit of work and checks the limits every few hundred units. */
    public void tick() {
        if (++ticks >= TICKS_PER_CHECK) {
            check();
        }
    }

    /** Checks the stop signal now. */
    public void check() {
        ticks = 0;
        if (stop.getAsBoolean()) {
            throw new BudgetExhausted("the solver was stopped");
        }
    }

    /** Accounts for {@code more} bytes; a negative number gives bytes back. */
    public void reserve(long more) {
        if (more > 0 && held[0] + more > maxBytes) {
            throw new BudgetExhausted("the solver needs more than its memory budget of " + maxBytes + " bytes (has "
                    + held[0] + ", needs " + more + " more)");
        }
        held[0] += more;
        own += more;
    }

    /** Gives back all bytes that were accounted for here. */
    public void release() {
        held[0] -= own;
        own = 0;
    }

    /** The bytes that all budgets with this one count together. */
    public long bytes() {
        return held[0];
    }

    /** The bytes that this budget counts. */
    public long own() {
        return own;
    }

    /** A new array of {@code length} ints, accounted for. */
    public int[] ints(int length) {
        reserve(4L * length);
        return new int[length];
    }

    /**
     * Returns the array, or a longer copy if it has fewer than {@code needed} entries. Both count while both exist.
     * Small arrays double; large ones grow by half, or to the limit.
     */
    public int[] grow(int[] array, long needed) {
        if (needed <= array.length) {
            return array;
        }
        int length = longer(array.length, needed, 4);
        reserve(4L * length);
        int[] copy = Arrays.copyOf(array, length);
        reserve(-4L * array.length);
        return copy;
    }

    /** As {@link #grow(int[], long)}. */
    public byte[] grow(byte[] array, long needed) {
        if (needed <= array.length) {
            return array;
        }
        int length = longer(array.length, needed, 1);
        reserve(length);
        byte[] copy = Arrays.copyOf(array, length);
        reserve(-array.length);
        return copy;
    }

    private int longer(int length, long needed, int width) {
        if (needed > MAX_ARRAY) {
            throw new BudgetExhausted("a solver structure needs more than 2^31 entries");
        }
        long wish = Math.max(16, length < LARGE ? 2L * length : length + ((long) length >> 1));
        long room = (maxBytes - held[0]) / width;
        return (int) Math.min(MAX_ARRAY, Math.max(needed, Math.min(wish, room)));
    }
}
