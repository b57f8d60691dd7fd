package org.polygraph.jobs.application;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.report.RunDirectory;
import org.polygraph.jobs.report.RunId;
import org.polygraph.jobs.verdict.ExitCode;
import org.polygraph.jobs.verdict.SessionOrder;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;

/**
 * The settings of a command for each of its PATHs.
 *
 * @param requests one for each level, the strongest level first
 * @param asFits whether a level that the data of a history do not allow has no verdict, rather than INVALID
 * @param limits of each PATH
 * @param succeedOnViolation whether a VIOLATION has exit code 0
 * @param runs where runs are kept
 * @param proof file of the solver's refutation, or null
 * @param before what is known of the history before each PATH
 * @param usesWindows whether windows may decide a history
 */
public record CheckSettings(
        HistoryFormat format,
        List<CheckRequest> requests,
        boolean asFits,
        Limits limits,
        boolean succeedOnViolation,
        Runs runs,
        @Nullable String proof,
        Before before,
        boolean usesWindows) {
    /** A check of fewer operations takes less time than its checkpoints would. */
    private static final int MANY_OPERATIONS = 1_000_000;

    /** @param timeoutNanos {@link Long#MAX_VALUE} for none */
    public record Limits(long timeoutNanos, long heapBytes) {}

    /**
     * Where runs are kept.
     *
     * @param folder null if none are kept
     * @param earlier how a run that exists is used
     */
    public record Runs(@Nullable String folder, Earlier earlier) {}

    /**
     * What is known of the history before a PATH.
     *
     * @param state a file with the values of keys; null if there is none
     * @param run a run, or a folder of runs, of the earlier parts; null if the PATH is a whole history
     */
    public record Before(@Nullable String state, @Nullable String run) {
        public static final Before NOTHING = new Before(null, null);
    }

    /** How a run that exists is used. */
    public enum Earlier {
        /** Its verdict or its checkpoints are used. */
        CONTINUED,
        /** As {@link #CONTINUED}; in addition, small histories have checkpoints too. */
        RESUMED,
        /** The run is replaced. */
        OVERWRITTEN
    }

    /** Returns the request of a level. */
    CheckRequest request(IsolationLevel level) {
        return requests.stream()
                .filter(each -> each.level() == level)
                .findFirst()
                .orElseThrow();
    }

    /** Whether session order is part of the levels. */
    SessionOrder sessionOrder() {
        return requests.get(0).sessionOrder();
    }

    /** Returns a budget that starts now, for all levels of a PATH. */
    Budget budget() {
        return Budget.starting(limits.timeoutNanos, limits.heapBytes);
    }

    /** Whether a check of this history keeps checkpoints. */
    boolean keepsCheckpoints(long operations) {
        return runs.earlier == Earlier.RESUMED || operations >= MANY_OPERATIONS;
    }

    /** Returns the exit code of a verdict. */
    public ExitCode exitCode(Verdict.Status status) {
        return status == Verdict.Status.VIOLATION && succeedOnViolation ? ExitCode.PASS : status.exitCode();
    }

    /**
     * Returns the run of a request. Its id depends on everything that can change the verdict, so it does not depend on
     * other levels.
     */
    RunDirectory run(Location folder, CheckRequest request, String name, String input, Chain before) {
        String question = String.join(
                        " ",
                        request.level().label(),
                        format.label(),
                        request.time().label(),
                        Long.toString(request.clockSkewNanos()),
                        request.indeterminate().label(),
                        "initial " + request.initial().label())
                + (before.isEmpty() ? "" : " after" + before.label())
                + (request.sessionOrder() == SessionOrder.YES ? "" : " without session order")
                + (request.replayed() ? "" : " unverified")
                + (request.mostViolations() == CheckRequest.DEFAULT_VIOLATIONS
                        ? ""
                        : " violations " + request.mostViolations());
        return new RunDirectory(folder, RunId.of(question, name, input));
    }
}
