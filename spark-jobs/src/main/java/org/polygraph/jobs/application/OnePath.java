package org.polygraph.jobs.application;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.verdict.Assumptions;
import org.polygraph.jobs.verdict.ExitCode;
import org.polygraph.jobs.verdict.InitialFile;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/**
 * One PATH of a command, and what each step of its check works with.
 *
 * @param name as it was given
 * @param start from which elapsed time is measured
 * @param budget of all levels; some of it may be spent
 * @param content what its run keeps of it
 */
record OnePath(
        String name,
        CheckSettings settings,
        Checker checker,
        Listener listener,
        long start,
        Budget budget,
        Content content) {
    private static final String STDIN = "-";

    /** Starts a check. */
    OnePath(String name, CheckSettings settings, Checker checker, Listener listener) {
        this(name, settings, checker, listener, System.nanoTime(), settings.budget(), new Content());
    }

    /** What a run keeps of its PATH, beside the verdict. The first reading of the PATH shows it. */
    static final class Content {
        /** {@link Writes#of} the PATH; null if they are not kept, or if the PATH was not read. */
        long @Nullable [] writes;
        /** The transactions of the PATH; -1 if they were not counted. */
        long transactions = -1;

        long operations;
    }

    /**
     * Keeps what the run of the PATH needs.
     *
     * @param history that was read
     * @param isAlone whether it has no other parts than the PATH
     */
    void keep(HistoryTable history, boolean isAlone) {
        if (content.writes == null && isOfChain() && settings.runs().folder() != null) {
            content.writes = Writes.of(history, name);
        }
        if (content.transactions >= 0 || history.unknownRows() != null) {
            return;
        }
        content.transactions = 0;
        boolean[] isOf = isAlone ? null : OpenReads.filesOf(history, name);
        for (int t = 0; t < history.transactions(); t++) {
            if (isOf == null || isOf[history.fileOf(t)]) {
                content.transactions++;
                content.operations += history.operationsEnd(t) - history.firstOperation(t);
            }
        }
    }

    /** Whether it is a part of a chain. */
    boolean isOfChain() {
        return settings.before().run() != null;
    }

    boolean isStdin() {
        return name.equals(STDIN);
    }

    Location location() throws IOException {
        return Location.of(name);
    }

    /** The same with a share of the time, and without messages. */
    OnePath quietWithin(Budget share) {
        return new OnePath(name, settings, checker, listener.quiet(), start, share, content);
    }

    /** The same with another checker. */
    OnePath with(Checker other) {
        return new OnePath(name, settings, other, listener, start, budget, content);
    }

    long millis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }

    /** Returns the error, with one message, in place of a verdict that cannot be kept. */
    Verdict error(Verdict verdict, String message) {
        listener.message(message);
        return verdict.instead(Verdict.Status.ERROR, message).build();
    }

    /**
     * Adds to a verdict what all verdicts on the PATH have in common.
     *
     * @param state the file with initial values; null if there is none
     */
    Verdict complete(Verdict.Builder verdict, Chain.@Nullable Part state) {
        Assumptions assumptions = verdict.assumptions();
        if (assumptions != null && state != null) {
            verdict.assumptions(assumptions.with(new InitialFile(state.location(), state.input())));
        }
        return verdict.path(name)
                .millis(millis())
                .peakMemoryBytes(PeakMemory.bytes())
                .build();
    }

    /**
     * Returns the verdict that a step makes. Every failure of the step becomes a verdict and a message.
     *
     * @throws ConfigurationException if the engine cannot work as it is set; nothing else is thrown
     */
    Verdict.@Nullable Builder attempt(
            CheckRequest request, Deadline.Step<Verdict.Builder, HistoryException, IOException> step) {
        Verdict.Status status;
        String reason;
        try {
            return LevelCheck.withinBudget(request, budget, listener::currentPhase, step);
        } catch (HistoryException e) {
            status = Verdict.Status.INVALID;
            reason = Failures.text(e);
            listener.message(reason);
        } catch (IOException e) {
            status = Verdict.Status.ERROR;
            reason = Failures.ofPath(name, e);
            listener.message(reason);
        } catch (ConfigurationException e) {
            throw e;
        } catch (EngineException e) {
            status = Verdict.Status.ERROR;
            reason = Failures.text(e);
            listener.failure(name + ": " + reason, e);
        } catch (RuntimeException | StackOverflowError | LinkageError | AssertionError e) {
            String library = Failures.missingLibrary(e);
            if (library != null) {
                reason = name + ": " + library;
                listener.message(reason);
                return Verdict.of(Verdict.Status.ERROR, request.level()).reason(reason);
            }
            String what = "internal error during " + listener.currentPhase();
            listener.bug(name + ": " + what + ": " + e, e);
            return Verdict.of(Verdict.Status.ERROR, request.level())
                    .reason(what)
                    .exitCode(ExitCode.INTERNAL);
        }
        return Verdict.of(status, request.level()).reason(reason);
    }

    /** The same for a step that may not look at the budget ({@link Deadline}). */
    Verdict.@Nullable Builder inTime(
            CheckRequest request, Deadline.Step<Verdict.Builder, HistoryException, IOException> step) {
        return attempt(request, () -> Deadline.run(budget, step));
    }
}
