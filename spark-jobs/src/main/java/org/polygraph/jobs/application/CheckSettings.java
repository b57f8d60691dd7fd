package org.polygraph.jobs.application;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.report.RunDirectory;
import org.polygraph.jobs.report.RunId;
import org.polygraph.jobs.verdict.ExitCode;
import org.polygraph.jobs.verdict.PartViolations;
import org.polygraph.jobs.verdict.SessionOrder;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.jobs.verdict.VersionUse;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;

/**
 * The settings of a command for each of its PATHs.
 *
 * @param requests one for each level, the strongest level first
 * @param asFits whether a level that the data of a history do not allow has no verdict, rather than INVALID
 * @param limits of each PATH
 * @param failing which VIOLATIONs have exit code 3
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
        Failing failing,
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
     * @param startsOver whether the PATH begins a new chain, which the violations of earlier parts are no part of
     * @param rechecks whether a part that has changed is checked again, with all parts after it
     * @param isEach whether the parts before the PATH are PATHs of the same command
     */
    public record Before(
            @Nullable String state, @Nullable String run, boolean startsOver, boolean rechecks, boolean isEach) {
        public static final Before NOTHING = new Before(null, null, false, false, false);
    }

    /** Which VIOLATIONs have exit code 3; others have exit code 0. */
    public enum Failing {
        ANY,
        /** Those with a violation that the last part of a chain adds. If that is not known, the exit code is 4. */
        NEW,
        NONE
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

    /** Whether versions that the database gave are read. */
    boolean readsVersions() {
        return requests.get(0).versions() == VersionUse.USE;
    }

    /** Returns a budget that starts now, for all levels of a PATH. */
    Budget budget() {
        return Budget.starting(limits.timeoutNanos, limits.heapBytes);
    }

    /** Whether a check of this history keeps checkpoints. */
    boolean keepsCheckpoints(long operations) {
        return runs.earlier == Earlier.RESUMED || operations >= MANY_OPERATIONS;
    }

    /**
     * Returns the exit code of a verdict.
     *
     * @param added the number of violations that the last part of a chain adds; negative if it is not known whether
     *     there is one
     */
    public ExitCode exitCode(Verdict.Status status, long added) {
        if (status != Verdict.Status.VIOLATION || failing == Failing.ANY) {
            return status.exitCode();
        }
        return failing == Failing.NEW && added != 0 ? added < 0 ? ExitCode.UNKNOWN : status.exitCode() : ExitCode.PASS;
    }

    /** Returns the exit code of a verdict. */
    ExitCode exitCode(Verdict verdict) {
        PartViolations violations = verdict.inPart();
        return exitCode(
                verdict.status(),
                violations == null
                        ? verdict.violationsFound()
                        : violations.isUndecided() ? -1 : violations.added().size());
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
                + (request.versions() == VersionUse.USE ? "" : " without versions")
                + (request.replayed() ? "" : " unverified")
                + (request.mostViolations() == CheckRequest.DEFAULT_VIOLATIONS
                        ? ""
                        : " violations " + request.mostViolations());
        return new RunDirectory(folder, RunId.of(question, name, input));
    }
}
