package org.polygraph.jobs.application;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.estimate.Estimate;
import org.polygraph.jobs.verdict.SessionOrder;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.jobs.verdict.WindowCounts;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistorySize;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/**
 * Picks how the history of one PATH is decided: by windows, before it is read or once it turns out to be too large, or
 * as a whole.
 */
final class Route {
    private final OnePath path;
    private final CheckSettings settings;
    private final Checker checker;
    private final Chain earlier;
    private final PathCheck.Kept kept;
    /** Why windows do not decide the history; empty as long as they may, or if there is nothing to state. */
    private String why = "";
    /** Whether windows were tried after the history had been read. */
    private boolean isLate;

    /**
     * @param earlier the parts of the history before the PATH
     * @param kept the runs that are kept
     */
    Route(OnePath path, Chain earlier, PathCheck.Kept kept) {
        this.path = path;
        this.settings = path.settings();
        this.checker = path.checker();
        this.earlier = earlier;
        this.kept = kept;
    }

    /** Whether windows may decide. They may not if a run is kept whose folder depends on input that is not read yet. */
    private boolean mayUseWindows(CheckRequest request) {
        return settings.usesWindows()
                && whyWhole().isEmpty()
                && (settings.runs().folder() == null) == (kept.run(request) == null);
    }

    /** Why the options require that the history is read as a whole; empty if they do not. */
    private String whyWhole() {
        if (path.isOfChain() || !earlier.parts().isEmpty()) {
            return "--after and --each need the whole in memory; give smaller parts";
        }
        if (settings.sessionOrder() == SessionOrder.NONE) {
            return "--session-order none needs the whole in memory";
        }
        if (settings.proof() != null) {
            return "--proof needs the whole in memory";
        }
        return settings.asFits() ? "level all needs the whole in memory; name the levels" : "";
    }

    /**
     * Decides the history by windows before it is read, if they are to be tried.
     *
     * @param isFirst whether this is the first level, at which the reason is stated if it is one of the options
     * @return null if the history has to be read
     * @throws ConfigurationException if the engine cannot work as it is set
     */
    Verdict.@Nullable Builder beforeReading(CheckRequest request, boolean isFirst)
            throws HistoryException, IOException {
        if (!isAsked()) {
            return null;
        }
        if (mayUseWindows(request)) {
            return byWindows(request, checker.window(), "; it is decided as a whole in the memory of this process");
        }
        if (isFirst) {
            why = whyWhole().isEmpty() ? "standard input is read once" : whyWhole();
            path.listener().notice(message() + "; it is decided as a whole in the memory of this process");
        }
        return null;
    }

    /** Whether the estimate says that a history that was read is to be decided by windows. */
    boolean isTooLarge(HistoryTable read, CheckRequest request) {
        return checker.choosesWindows()
                && mayStillUseWindows(request)
                && Estimate.auto(
                                HistorySize.of(read),
                                request.level(),
                                path.budget().heap())
                        == Estimate.Engine.WINDOWS
                && !(read.hasRows() && !request.terms().guarantee().isOfCommits())
                && !(read.values().hasLists() && request.level().isAxiom())
                && !(read.values().hasOthers() && request.level() == IsolationLevel.LIN)
                && !read.values().hasPredicates()
                && !read.values().hasGiven()
                && !read.hasAdditions()
                && WindowedChecker.plan(path.name(), settings.format(), path.budget()) != null;
    }

    /** Whether windows were not tried and may decide. */
    boolean mayStillUseWindows(CheckRequest request) {
        return checker.window() == 0 && !isLate && mayUseWindows(request);
    }

    /** Decides by windows a history that turned out to be too large. @return null if windows do not decide it either */
    Verdict.@Nullable Builder afterReading(CheckRequest request) throws HistoryException, IOException {
        isLate = true;
        return WindowedChecker.plan(path.name(), settings.format(), path.budget()) == null
                ? null
                : byWindows(request, Estimate.WINDOW, "");
    }

    /** @param otherwise what a warning says that happens if windows do not decide the history */
    private Verdict.@Nullable Builder byWindows(CheckRequest request, int window, String otherwise)
            throws HistoryException, IOException {
        KeptRun run = kept.run(request);
        Listener listener = path.listener();
        Budget budget = path.budget();
        checker.engine().prepare(run == null ? null : run.scratch(), listener, budget);
        WindowedChecker.Early early = new WindowedChecker(checker.engine(), window)
                .decide(
                        path.name(),
                        settings.format(),
                        request,
                        earlier.initial(budget::exhausted, budget.bytes()),
                        run,
                        listener,
                        budget);
        if (!early.why().isEmpty()) {
            why = early.why();
            path.listener().warning(message() + otherwise);
        }
        if (!early.loaders().isEmpty()) {
            listener.notice(PathHistory.loaded(path.name(), early.loaders()));
        }
        return early.verdict();
    }

    private String message() {
        return path.name() + ": windows do not decide the history, because " + why;
    }

    /**
     * What the reason of an UNKNOWN adds if the whole did not fit in memory; empty if windows did not refuse the
     * history.
     */
    String remedy() {
        return why.isEmpty()
                ? ""
                : "; the whole history has to fit in this process (--memory, or --driver-memory of spark-submit),"
                        + " because windows do not decide it: " + why;
    }

    private boolean isAsked() {
        return settings.usesWindows() && checker.window() > 0;
    }

    /**
     * What the verdict on a history that was read states about windows; null if the engine does not decide by windows.
     */
    @Nullable
    WindowCounts whole() {
        return isAsked() ? new WindowCounts(checker.window(), 0, 0, 0, why) : null;
    }
}
