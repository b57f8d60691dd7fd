package org.polygraph.jobs.cli;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.polygraph.jobs.pipeline.Budget;
import org.polygraph.jobs.pipeline.CheckRequest;
import org.polygraph.jobs.pipeline.Checker;
import org.polygraph.jobs.pipeline.CpuClock;
import org.polygraph.jobs.pipeline.EngineException;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.ExitCode;
import org.polygraph.jobs.verdict.Phase;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;

/** One PATH: read, judged, and every way to fail turned into a verdict and a message. */
final class PathCheck {
    private final Environment environment;
    private final CheckOptions options;
    private final CheckRequest request;
    private final Checker checker;
    private final ProgressPrinter progress;
    private final boolean verbose;

    PathCheck(
            Environment environment,
            CheckOptions options,
            CheckRequest request,
            Checker checker,
            ProgressPrinter progress,
            boolean verbose) {
        this.environment = environment;
        this.options = options;
        this.request = request;
        this.checker = checker;
        this.progress = progress;
        this.verbose = verbose;
    }

    /** Never throws; path and elapsed time are left to the caller. */
    Verdict run(String path) {
        Budget budget = options.budget();
        try {
            return judge(path, budget);
        } catch (HistoryException e) {
            String message = Failures.text(e);
            environment.message(message);
            return failure(Verdict.Status.INVALID, message);
        } catch (IOException e) {
            String message = Failures.ofPath(path, e);
            environment.message(message);
            return failure(Verdict.Status.ERROR, message);
        } catch (EngineException e) {
            environment.message(path + ": " + Failures.text(e));
            if (verbose) {
                e.printStackTrace(environment.err());
            }
            return failure(Verdict.Status.ERROR, Failures.text(e));
        } catch (BudgetException e) {
            return unknown(budget.exhausted() ? budget.exhaustion(progress.currentStage()) : Failures.text(e));
        } catch (OutOfMemoryError e) {
            // What the check held is garbage by now: there is memory again to say so.
            return unknown(budget.shortage(progress.currentStage()));
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

    private Verdict judge(String path, Budget budget) throws HistoryException, IOException {
        long start = System.nanoTime();
        long cpu = CpuClock.millis();
        HistoryTable table = HistoryReader.read(path, options.format(), budget::exhausted, budget.bytes());
        Counts counts = Counts.of(table);
        Phase phase = new Phase(
                "read",
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start),
                CpuClock.millis() - cpu,
                counts.transactions());
        Verdict verdict;
        if (counts.transactionsCommitted() == 0) {
            String reason = "vacuous: found " + counts.transactions() + " transactions, none of them committed;"
                    + " expected one at least, or there is nothing to judge; check what was recorded";
            environment.message(path + ": " + reason);
            verdict = failure(Verdict.Status.INVALID, reason);
        } else if (request.level().realTime() && (table.starts() == null || table.ends() == null)) {
            String reason = "level " + request.level().label() + ": found no start and end times; expected them, for"
                    + " real-time order is part of the level; record them, or check ser or si without --time strict";
            environment.message(path + ": " + reason);
            verdict = failure(Verdict.Status.INVALID, reason);
        } else if (budget.exhausted()) {
            verdict = unknown(budget.exhaustion(progress.currentStage()));
        } else {
            verdict = checker.check(table, request, progress, budget);
        }
        return verdict.with().counts(counts).firstPhase(phase).build();
    }

    private Verdict unknown(String reason) {
        return failure(Verdict.Status.UNKNOWN, reason);
    }

    private Verdict failure(Verdict.Status status, String reason) {
        return Verdict.of(status, request.level()).reason(reason).build();
    }
}
