package org.polygraph.jobs.cli;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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
import org.polygraph.storage.model.HistoryException;

/** One PATH: read, judged, and every way to fail turned into a verdict and a message. */
final class PathCheck {
    /** How long a checker may take to notice that its time is over, before it is abandoned. */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Environment environment;
    private final CheckOptions options;
    private final CheckRequest request;
    private final Checker checker;
    private final ProgressPrinter progress;
    private final boolean verbose;
    /** Reading cannot be asked to stop; a checker can. */
    private volatile boolean reading = true;

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
        return options.timeoutNanos() == Long.MAX_VALUE ? answer(path, budget) : answerInTime(path, budget);
    }

    /** In a thread that can be left behind, since reading a large file does not look at the clock. */
    private Verdict answerInTime(String path, Budget budget) {
        Verdict[] answer = new Verdict[1];
        Thread worker = new Thread(() -> {
            Verdict verdict = answer(path, budget);
            synchronized (answer) {
                answer[0] = verdict;
            }
        });
        worker.setName("check");
        worker.setDaemon(true);
        worker.start();
        try {
            TimeUnit.NANOSECONDS.timedJoin(worker, Math.max(options.timeoutNanos(), TimeUnit.MILLISECONDS.toNanos(1)));
            if (worker.isAlive() && !reading) {
                TimeUnit.NANOSECONDS.timedJoin(worker, GRACE_NANOS + options.timeoutNanos() / 10);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Verdict verdict;
        synchronized (answer) {
            verdict = answer[0];
        }
        if (verdict != null) {
            return verdict;
        }
        budget.cancel();
        worker.interrupt();
        return unknown(budget.exhaustion(progress.currentStage()));
    }

    private Verdict answer(String path, Budget budget) {
        try {
            return judge(path, budget);
        } catch (HistoryException e) {
            String message = text(e);
            environment.message(message);
            return failure(Verdict.Status.INVALID, message);
        } catch (IOException e) {
            String message = ioMessage(path, e);
            environment.message(message);
            return failure(Verdict.Status.ERROR, message);
        } catch (EngineException e) {
            environment.message(path + ": " + text(e));
            if (verbose) {
                e.printStackTrace(environment.err());
            }
            return failure(Verdict.Status.ERROR, text(e));
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
        HistoryTable table = HistoryReader.read(path, options.format());
        reading = false;
        Counts counts = Counts.of(table);
        Phase phase = new Phase(
                "read",
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start),
                CpuClock.millis() - cpu,
                counts.transactions());
        Verdict verdict;
        if (counts.transactionsCommitted() == 0) {
            String reason = "vacuous: none of " + counts.transactions() + " transactions committed, nothing to judge";
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

    /** For people: Java's exceptions often carry the path alone. */
    static String ioMessage(String path, IOException e) {
        String message = text(e);
        if (e instanceof NoSuchFileException || e instanceof FileNotFoundException) {
            return path + ": no such file or folder, or it cannot be opened; check the path";
        }
        if (e instanceof AccessDeniedException) {
            return path + ": permission denied";
        }
        return message.startsWith(path) ? message : path + ": cannot be read: " + message;
    }

    private static String text(@Nullable Throwable e) {
        if (e == null) {
            return "";
        }
        String message = e.getMessage();
        return message == null || message.isEmpty() ? e.getClass().getSimpleName() : message;
    }
}
