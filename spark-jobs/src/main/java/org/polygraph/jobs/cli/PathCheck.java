package org.polygraph.jobs.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Checker;
import org.polygraph.jobs.application.ConfigurationException;
import org.polygraph.jobs.application.EngineException;
import org.polygraph.jobs.application.Failures;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checkpoints;
import org.polygraph.jobs.decision.CpuClock;
import org.polygraph.jobs.decision.Implications;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.ExitCode;
import org.polygraph.jobs.verdict.Phase;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.linear.Linearizability;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/**
 * One PATH: read once, judged at each level asked for, and every way to fail turned into a verdict and a message. Used once.
 *
 * <p>The strongest level goes first, with all of the budget: its PASS is that of the weaker ones. A weaker one's VIOLATION
 * decides a stronger one that was left open. Levels of which neither verdict follows from another are decided on their
 * own.
 */
final class PathCheck {
    private final Environment environment;
    private final CheckOptions options;
    private final List<CheckRequest> requests;
    private final Checker checker;
    private final ProgressPrinter progress;
    private final boolean verbose;
    private final String path;
    private final long start;
    private final Budget budget;
    private final Kept kept;

    private @Nullable HistoryTable table;
    private Counts counts = Counts.NONE;
    private @Nullable Phase reading;

    /**
     * @param requests strongest level first
     * @param start of what is told as elapsed
     * @param budget of the PATH, some of which may be spent
     * @param kept where finished stages are kept
     */
    PathCheck(
            Environment environment,
            CheckOptions options,
            List<CheckRequest> requests,
            Checker checker,
            ProgressPrinter progress,
            boolean verbose,
            String path,
            long start,
            Budget budget,
            Kept kept) {
        this.kept = kept;
        this.environment = environment;
        this.options = options;
        this.requests = requests;
        this.checker = checker;
        this.progress = progress;
        this.verbose = verbose;
        this.path = path;
        this.start = start;
        this.budget = budget;
    }

    /** Where what finished stages leave is kept. */
    @FunctionalInterface
    interface Kept {
        /** Nowhere. */
        Kept NOWHERE = (request, history) -> Checkpoints.NONE;

        Checkpoints of(CheckRequest request, HistoryTable history);
    }

    /** What can fail. */
    @FunctionalInterface
    private interface Step {
        /** Null: it did not end in a verdict. */
        @Nullable
        Verdict run() throws HistoryException, IOException;
    }

    /**
     * A verdict each request, in their order.
     *
     * @throws ConfigurationException if the engine cannot work as it is set; nothing else is thrown
     */
    List<Verdict> run() {
        List<Verdict> verdicts = new ArrayList<>();
        CheckRequest strongest = requests.get(0);
        Verdict unread = attempt(strongest, () -> read(strongest));
        HistoryTable whole = table;
        HistoryTable history = whole == null ? null : whole.withoutRefusals();
        for (CheckRequest request : requests) {
            // What a refused compare-and-set did not find is something to level lin only.
            HistoryTable judged = request.level() == IsolationLevel.LIN ? whole : history;
            Verdict verdict = unread != null || judged == null
                    ? again(unread, request.level())
                    : attempt(request, () -> judge(judged, request, verdicts));
            verdicts.add(finished(Objects.requireNonNull(verdict, "a verdict")));
        }
        for (int i = requests.size() - 2; i >= 0 && history != null; i--) {
            CheckRequest request = requests.get(i);
            if (verdicts.get(i).status() == Verdict.Status.UNKNOWN && !budget.exhausted()) {
                List<Verdict> weaker = verdicts.subList(i + 1, verdicts.size());
                Verdict verdict = attempt(request, () -> fromWeaker(history, request, weaker));
                if (verdict != null && verdict.status() != Verdict.Status.UNKNOWN) {
                    verdicts.set(i, finished(verdict));
                }
            }
        }
        return verdicts;
    }

    private Verdict finished(Verdict verdict) {
        Verdict.Builder result = verdict.with()
                .path(path)
                .counts(counts)
                .millis(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
        return reading == null ? result.build() : result.firstPhase(reading).build();
    }

    /** The same failure at another level. */
    private static @Nullable Verdict again(@Nullable Verdict failure, IsolationLevel level) {
        if (failure == null || failure.level() == level) {
            return failure;
        }
        Verdict.Builder verdict = Verdict.of(failure.status(), level).reason(failure.reason());
        return failure.exitCode() == ExitCode.INTERNAL.code()
                ? verdict.exitCode(ExitCode.INTERNAL).build()
                : verdict.build();
    }

    private @Nullable Verdict attempt(CheckRequest request, Step step) {
        try {
            return step.run();
        } catch (HistoryException e) {
            String message = Failures.text(e);
            environment.message(message);
            return failure(request, Verdict.Status.INVALID, message);
        } catch (IOException e) {
            String message = Failures.ofPath(path, e);
            environment.message(message);
            return failure(request, Verdict.Status.ERROR, message);
        } catch (ConfigurationException e) {
            throw e;
        } catch (EngineException e) {
            environment.message(path + ": " + Failures.text(e));
            if (verbose) {
                e.printStackTrace(environment.err());
            }
            return failure(request, Verdict.Status.ERROR, Failures.text(e));
        } catch (BudgetException e) {
            return unknown(request, budget.exhausted() ? budget.exhaustion(progress.currentStage()) : Failures.text(e));
        } catch (OutOfMemoryError e) {
            // What the check held is garbage by now: there is memory again to say so.
            return unknown(request, budget.shortage(progress.currentStage()));
        } catch (RuntimeException | StackOverflowError | LinkageError | AssertionError e) {
            environment.message(path + ": internal error during " + progress.currentStage() + ": " + e
                    + (verbose ? "" : "; -v shows where"));
            if (verbose) {
                e.printStackTrace(environment.err());
            }
            return Verdict.of(Verdict.Status.ERROR, request.level())
                    .reason("internal error during " + progress.currentStage())
                    .exitCode(ExitCode.INTERNAL)
                    .build();
        }
    }

    /** Reads; a verdict if there is nothing to judge. */
    private @Nullable Verdict read(CheckRequest request) throws HistoryException, IOException {
        checker.prepare(progress, budget, environment::message);
        long before = System.nanoTime();
        long cpu = CpuClock.millis();
        HistoryTable read = checker.read(path, options.format(), progress, budget);
        counts = Counts.of(read);
        reading = new Phase(
                "read",
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - before),
                CpuClock.millis() - cpu,
                counts.transactions());
        table = read;
        if (counts.transactionsCommitted() == 0) {
            String reason = "vacuous: found " + counts.transactions() + " transactions, none of them committed;"
                    + " expected one at least, or there is nothing to judge; check what was recorded";
            environment.message(path + ": " + reason);
            return failure(request, Verdict.Status.INVALID, reason);
        }
        return null;
    }

    /** The first transaction that ends before it starts, where and how; null if there is none. */
    private static @Nullable String firstReversed(HistoryTable history) {
        long[] starts = history.starts();
        long[] ends = history.ends();
        for (int t = 0; starts != null && ends != null && t < starts.length; t++) {
            if (starts[t] != HistoryTable.NO_TIME && ends[t] != HistoryTable.NO_TIME && ends[t] < starts[t]) {
                return history.whereIs(t) + ": found end " + ends[t] + " before start " + starts[t];
            }
        }
        return null;
    }

    /** @param stronger what was found so far */
    private Verdict judge(HistoryTable history, CheckRequest request, List<Verdict> stronger) throws HistoryException {
        if (request.level() == IsolationLevel.LIN) {
            HistoryException problem = Linearizability.problem(history);
            if (problem != null) {
                throw problem;
            }
        }
        if (request.level().realTime() && (history.starts() == null || history.ends() == null)) {
            String reason = "level " + request.level().label() + ": found no start and end times; expected them, for"
                    + " real-time order is part of the level; record them, or check ser or si without --time strict";
            environment.message(path + ": " + reason);
            return failure(request, Verdict.Status.INVALID, reason);
        }
        String reversed = request.level().realTime() ? firstReversed(history) : null;
        if (reversed != null) {
            String reason = reversed
                    + "; expected no transaction to end before it starts, for real-time order is part of level "
                    + request.level().label()
                    + "; correct the recorder's clock, or check ser or si without --time strict";
            environment.message(reason);
            return failure(request, Verdict.Status.INVALID, reason);
        }
        if (budget.exhausted()) {
            return unknown(request, budget.exhaustion(progress.currentStage()));
        }
        Implications implications = new Implications(history, progress, budget);
        for (Verdict other : stronger) {
            Verdict implied = implications.pass(request, other);
            if (implied != null) {
                return implied;
            }
        }
        if (history.values().hasLists() && request.level().isAxiom()) {
            throw new HistoryException(
                    path,
                    "lists, at level " + request.level().label(),
                    "ser, si, sser or ssi",
                    "where si holds, cc, ra and rc do: ask for them together");
        }
        return checker.check(history, request, progress, budget, kept.of(request, history));
    }

    private @Nullable Verdict fromWeaker(HistoryTable history, CheckRequest request, List<Verdict> weaker) {
        Implications implications = new Implications(history, progress, budget);
        for (Verdict other : weaker) {
            Verdict implied = implications.violation(request, other);
            if (implied != null) {
                return implied;
            }
        }
        return null;
    }

    private static Verdict unknown(CheckRequest request, String reason) {
        return failure(request, Verdict.Status.UNKNOWN, reason);
    }

    private static Verdict failure(CheckRequest request, Verdict.Status status, String reason) {
        return Verdict.of(status, request.level()).reason(reason).build();
    }
}
