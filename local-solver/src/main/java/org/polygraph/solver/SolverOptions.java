package org.polygraph.solver;

import java.util.EnumMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.solver.proof.ProofTrace;
import org.polygraph.solver.sat.Search;

/** The budgets of a solver and the options of its search. Immutable; start from {@link #defaults()}. */
public final class SolverOptions {
    /** The one table of tunable numbers: default, least, greatest, meaning. */
    public enum Option {
        SEED(1, Long.MIN_VALUE, Long.MAX_VALUE, "breaks ties between equally cheap literals"),
        LONG_JUMP(50, 0, Integer.MAX_VALUE, "backjumps over more levels than this keep the levels"),
        MOST_LATE(500, 0, Integer.MAX_VALUE, "with this many literals assigned late, no backjump keeps levels"),
        REDUCE_INTERVAL(20_000, 0, Integer.MAX_VALUE, "learnt clauses between two deletions; 0 = never"),
        CLAUSE_BYTES(
                1 << 26,
                1,
                Long.MAX_VALUE,
                "bytes of clauses at which all are discarded and a new search starts from the current order");

        private final long initial;
        private final long least;
        private final long greatest;
        private final String meaning;

        Option(long initial, long least, long greatest, String meaning) {
            this.initial = initial;
            this.least = least;
            this.greatest = greatest;
            this.meaning = meaning;
        }

        /** The effect of the option, in a phrase. */
        public String meaning() {
            return meaning;
        }
    }

    /** The values that were given; the other options have their defaults. */
    private final EnumMap<Option, Long> values;

    private final BooleanSupplier stop;
    private final long maxBytes;
    private final @Nullable ProofTrace proof;

    private SolverOptions(
            EnumMap<Option, Long> values, BooleanSupplier stop, long maxBytes, @Nullable ProofTrace proof) {
        this.values = values;
        this.stop = stop;
        this.maxBytes = maxBytes;
        this.proof = proof;
    }

    /** No limits, every option at its default. */
    public static SolverOptions defaults() {
        return new SolverOptions(new EnumMap<>(Option.class), () -> false, Long.MAX_VALUE, null);
    }

    /** Whether an option has its default value. */
    public boolean isInitial(Option option) {
        return get(option) == option.initial;
    }

    /** A copy of these options with one changed. */
    public SolverOptions with(Option option, long value) {
        if (value < option.least || value > option.greatest) {
            throw new IllegalArgumentException(
                    option + " is " + value + ", allowed is " + option.least + ".." + option.greatest);
        }
        EnumMap<Option, Long> copy = new EnumMap<>(values);
        copy.put(option, value);
        return new SolverOptions(copy, stop, maxBytes, proof);
    }

    /** Gives up soon after {@code signal} turns true; the solving thread polls it often. */
    public SolverOptions withStop(BooleanSupplier signal) {
        return new SolverOptions(values, signal, maxBytes, proof);
    }

    /**
     * Gives up when the solver's own structures would take more bytes, including the old copy of an array while it
     * grows. The polygraph's arrays do not count. The count is within 5 % of the heap that is used.
     */
    public SolverOptions withMaxBytes(long bytes) {
        return new SolverOptions(values, stop, bytes, proof);
    }

    /**
     * Records the search; after {@link Outcome.Unsatisfiable}, {@link org.polygraph.solver.proof.ProofChecker} accepts
     * the trace for {@link Polygraph#proofProblem()}, unless {@link ProofTrace#isOverflowed() it overflowed}. Its
     * memory does not count for {@link #withMaxBytes}. Each solve restarts the trace, so it serves one solve at a time.
     */
    public SolverOptions withProof(@Nullable ProofTrace trace) {
        return new SolverOptions(values, stop, maxBytes, trace);
    }

    long get(Option option) {
        return values.getOrDefault(option, option.initial);
    }

    /** The options that are parameters of a search for clauses. */
    Search.Settings search() {
        return new Search.Settings(
                (int) get(Option.LONG_JUMP), (int) get(Option.MOST_LATE), (int) get(Option.REDUCE_INTERVAL));
    }

    BooleanSupplier stop() {
        return stop;
    }

    @Nullable
    ProofTrace proof() {
        return proof;
    }

    long maxBytes() {
        return maxBytes;
    }
}
