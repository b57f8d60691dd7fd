package org.polygraph.jobs.application;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.report.RunDirectory;
import org.polygraph.jobs.report.RunId;
import org.polygraph.jobs.verdict.ExitCode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;

/**
 * The settings of a command for each of its PATHs.
 *
 * @param requests one for each level, the strongest level first
 * @param asFits whether a level that the data of a history do not allow has no verdict, rather than INVALID
 * @param timeoutNanos for each PATH, {@link Long#MAX_VALUE} for none
 * @param succeedOnViolation whether a VIOLATION has exit code 0
 * @param out the folder of runs, or null
 * @param earlier how a run that exists is used
 * @param proof file of the solver's refutation, or null
 * @param initialState a file with the values of keys before each PATH; null if there is none
 * @param after a run, or a folder of runs, of the parts of the history before each PATH; null if a PATH is a whole
 *     history
 * @param usesWindows whether windows may decide a history
 */
public record CheckSettings(
        HistoryFormat format,
        List<CheckRequest> requests,
        boolean asFits,
        long timeoutNanos,
        long heapBytes,
        boolean succeedOnViolation,
        @Nullable String out,
        Earlier earlier,
        @Nullable String proof,
        @Nullable String initialState,
        @Nullable String after,
        boolean usesWindows) {
    /** A check of fewer operations takes less time than its checkpoints would. */
    private static final int MANY_OPERATIONS = 1_000_000;

    /** How a run that exists is used. */
    public enum Earlier {
        /** Its verdict or its checkpoints are used. */
        CONTINUED,
        /** As {@link #CONTINUED}; in addition, small histories have checkpoints too. */
        RESUMED,
        /** The run is replaced. */
        OVERWRITTEN
    }

    /** Returns a budget that starts now, for all levels of a PATH. */
    Budget budget() {
        return Budget.starting(timeoutNanos, heapBytes);
    }

    /** Whether a check of this history keeps checkpoints. */
    boolean keepsCheckpoints(long operations) {
        return earlier == Earlier.RESUMED || operations >= MANY_OPERATIONS;
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
                + (request.replayed() ? "" : " unverified")
                + (request.mostViolations() == CheckRequest.DEFAULT_VIOLATIONS
                        ? ""
                        : " violations " + request.mostViolations());
        return new RunDirectory(folder, RunId.of(question, name, input));
    }
}
