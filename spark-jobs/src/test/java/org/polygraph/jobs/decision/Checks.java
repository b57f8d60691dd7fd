package org.polygraph.jobs.decision;

import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.table.HistoryTable;

/** Checks by the embedded engine that nothing bounds. */
public final class Checks {
    /** The levels of transactions. */
    public static final List<IsolationLevel> LEVELS =
            List.copyOf(EnumSet.range(IsolationLevel.SSER, IsolationLevel.PL2));
    /** Those without real time. */
    public static final List<IsolationLevel> UNTIMED =
            LEVELS.stream().filter(level -> !level.realTime()).toList();

    private Checks() {}

    public static Verdict check(HistoryTable history, CheckRequest request) {
        return new EmbeddedChecker().check(history, request, Progress.NONE, Budget.unlimited());
    }

    public static Verdict check(HistoryTable history, IsolationLevel level) {
        return check(history, CheckRequest.of(level));
    }

    public static Verdict.Status status(HistoryTable history, CheckRequest request) {
        return check(history, request).status();
    }

    public static Verdict.Status status(HistoryTable history, IsolationLevel level) {
        return check(history, level).status();
    }

    /** Levels by their names. */
    public static List<IsolationLevel> levels(String names) {
        return Stream.of(names.split(" ")).map(IsolationLevel::valueOf).toList();
    }
}
