package org.polygraph.jobs.decision;

import org.polygraph.partitioner.closure.WorkerThreads;
import org.polygraph.partitioner.prune.Rules.RealTimeRows;
import org.polygraph.solver.SolverOptions;

/**
 * Parameters of a decision, for tests and measurements of its components. Users get {@link #DEFAULT}. No parameter
 * changes a verdict, only whether and when there is one. Immutable.
 *
 * @param rounds rounds of rules: {@link #USUAL}, {@link #NO_RULES}, {@link #FIXPOINT}, or exactly so many, 0 for
 *     closure and order alone; with a number, orders of the input and of client times are not tried before
 * @param rows the closure where real time is part of the level
 * @param workers threads of closure and rules, 0 for one on each processor
 * @param solver options of the solver; the decision sets budgets and proof
 */
public record Tuning(int rounds, RealTimeRows rows, int workers, SolverOptions solver) {
    /** A few rounds, more if values repeat; see {@link PruneLoop}. */
    public static final int USUAL = -1;
    /** No closure and no rules, as if the clocks did not fit into memory: the solver decides alone. */
    public static final int NO_RULES = -2;
    /** Rounds until nothing more is forced, and the most: with those for evidence, the graph numbers them in a byte. */
    public static final int FIXPOINT = 80;

    /** The parameters of the command. */
    public static final Tuning DEFAULT = new Tuning(USUAL, RealTimeRows.BY_KEYS, 0, SolverOptions.defaults());

    public Tuning {
        if (rounds < NO_RULES || rounds > FIXPOINT) {
            throw new IllegalArgumentException(rounds + " rounds of rules");
        }
    }

    /** A copy with other rounds. */
    public Tuning withRounds(int value) {
        return new Tuning(value, rows, workers, solver);
    }

    /** A copy with another closure for real time. */
    public Tuning withRows(RealTimeRows value) {
        return new Tuning(rounds, value, workers, solver);
    }

    /** A copy with another number of workers. */
    public Tuning withWorkers(int value) {
        return new Tuning(rounds, rows, value, solver);
    }

    /** A copy with another value of a solver option. */
    public Tuning with(SolverOptions.Option option, long value) {
        return new Tuning(rounds, rows, workers, solver.with(option, value));
    }

    WorkerThreads workerThreads() {
        return workers == 0 ? WorkerThreads.all() : WorkerThreads.of(workers);
    }

    boolean triesOrders() {
        return rounds == USUAL;
    }

    boolean hasRules() {
        return rounds != NO_RULES;
    }
}
