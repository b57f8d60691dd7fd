package org.polygraph.solver;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.polygraph.solver.proof.ProofTrace;
import org.polygraph.solver.sat.Budget;
import org.polygraph.solver.sat.BudgetExhausted;

/**
 * Solves {@link IndependentParts}, the smallest first, in as many threads as the options say. A thread takes the next part;
 * what it finds does not depend on the others.
 *
 * <p>A part that has no order ends all those after it, not those before: so the part that is told is the first of those that
 * have none, whatever the number of threads. When a budget ends everything does.
 */
final class PartSolving {
    private static final int NONE = Integer.MAX_VALUE;

    private final Polygraph p;
    private final SolverOptions options;
    private final IndependentParts parts;
    private final Budget budget;
    private final AtomicInteger next = new AtomicInteger();
    /** The first part known to be refuted. */
    private final AtomicInteger refuted = new AtomicInteger(NONE);

    private final AtomicBoolean ended = new AtomicBoolean();
    /** Why it ended, if a budget did. */
    private final AtomicReference<@Nullable String> why = new AtomicReference<>();

    private final AtomicReferenceArray<@Nullable Outcome> outcomes;
    /** Of the refuted parts. */
    private final AtomicReferenceArray<@Nullable Refuted> refutations;

    private volatile @Nullable Throwable failure;

    private record Refuted(Part part, @Nullable ProofTrace trace) {}

    PartSolving(Polygraph p, SolverOptions options, IndependentParts parts, Budget budget) {
        this.p = p;
        this.options = options;
        this.parts = parts;
        this.budget = budget;
        outcomes = new AtomicReferenceArray<>(parts.count());
        refutations = new AtomicReferenceArray<>(parts.count());
    }

    Outcome solve() {
        ProofTrace trace = options.proof();
        if (trace != null) {
            begin(trace);
        }
        int threads = Math.min(options.threads(), parts.count());
        Thread[] others = new Thread[threads - 1];
        for (int i = 0; i < others.length; i++) {
            others[i] = new Thread(() -> work(threads), "solver-" + (i + 1));
            others[i].setDaemon(true);
            others[i].start();
        }
        work(threads);
        boolean interrupted = false;
        for (Thread other : others) {
            while (other.isAlive()) {
                try {
                    other.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                    ended.set(true);
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        Throwable thrown = failure;
        if (thrown != null) {
            throw new IllegalStateException("a part of the polygraph: " + thrown.getMessage(), thrown);
        }
        return together();
    }

    private void work(int threads) {
        for (int part = next.getAndIncrement(); part < parts.count(); part = next.getAndIncrement()) {
            if (ended.get() || part > refuted.get()) {
                return;
            }
            try {
                solve(part, threads);
            } catch (RuntimeException | Error e) {
                failure = e;
                ended.set(true);
                return;
            }
        }
    }

    private void solve(int number, int threads) {
        Budget own = budget.part(() -> ended.get() || number > refuted.get());
        ProofTrace whole = options.proof();
        ProofTrace trace = whole == null ? null : new ProofTrace(whole.maxBytes() / threads);
        @Nullable Part part;
        Outcome outcome;
        try {
            part = parts.part(number, own);
            SolverOptions alone = trace == null ? options : options.withProof(trace);
            outcome = Solver.solve(part.polygraph(), alone, own);
        } catch (BudgetExhausted e) {
            outcome = new Outcome.Unknown(String.valueOf(e.getMessage()), Statistics.NONE);
            part = null;
        } catch (OutOfMemoryError e) {
            outcome = new Outcome.Unknown("the Java heap is full", Statistics.NONE);
            part = null;
        } finally {
            own.release();
        }
        if (outcome instanceof Outcome.Unsatisfiable && part != null) {
            refutations.set(number, new Refuted(part, trace));
            refuted.accumulateAndGet(number, Math::min);
        } else if (outcome instanceof Outcome.Unknown unknown && number < refuted.get()) {
            why.compareAndSet(null, unknown.reason());
            ended.set(true);
        }
        outcomes.set(number, outcome);
    }

    private Outcome together() {
        Statistics sum = Statistics.NONE;
        int first = refuted.get();
        int solved = 0;
        for (int i = 0; i < parts.count(); i++) {
            Outcome outcome = outcomes.get(i);
            if (outcome == null || i > first) {
                continue;
            }
            sum = sum.plus(outcome.statistics());
            solved += outcome instanceof Outcome.Satisfiable ? 1 : 0;
        }
        if (first != NONE) {
            return refutation(first, sum);
        }
        if (solved < parts.count()) {
            String reason = why.get();
            return new Outcome.Unknown(
                    (reason == null ? "the solver was told to stop" : reason) + "; " + solved + " of " + parts.count()
                            + " independent parts have an order",
                    sum);
        }
        return satisfiable(sum);
    }

    private Outcome refutation(int part, Statistics sum) {
        Refuted found = refutations.get(part);
        if (found == null || !(outcomes.get(part) instanceof Outcome.Unsatisfiable outcome)) {
            throw new IllegalStateException("part " + part + " was refuted without a refutation");
        }
        ProofTrace whole = options.proof();
        if (whole != null && found.trace != null) {
            found.part.tell(found.trace, whole);
        }
        return new Outcome.Unsatisfiable(found.part.coreOf(p, outcome.core()), sum);
    }

    private void begin(ProofTrace trace) {
        trace.begin(p.transactions, p.eventsPerTransaction, p.keys(), p.readerStart[p.keys()], p.writerStart[p.keys()]);
    }

    private Outcome satisfiable(Statistics sum) {
        int[][] positions = new int[parts.count()][];
        boolean[] committed = p.optional == null ? null : new boolean[p.transactions];
        for (int i = 0; i < positions.length; i++) {
            if (!(outcomes.get(i) instanceof Outcome.Satisfiable found)) {
                throw new IllegalStateException("part " + i + " was not solved");
            }
            positions[i] = found.position();
            boolean[] chosen = found.committed();
            for (int t = 0; committed != null && chosen != null && t < chosen.length; t++) {
                committed[parts.transaction(i, t)] = chosen[t];
            }
        }
        int[] position = parts.join(positions);
        String fault = options.get(SolverOptions.Option.VERIFY) == 0
                ? null
                : ModelCheck.firstFault(p, position, committed, budget);
        if (fault != null) {
            throw new IllegalStateException("the order put together fails its verification: " + fault);
        }
        return new Outcome.Satisfiable(position, committed, sum);
    }
}
