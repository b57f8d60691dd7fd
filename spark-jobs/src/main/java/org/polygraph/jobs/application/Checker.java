package org.polygraph.jobs.application;

import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checkpoints;
import org.polygraph.jobs.decision.Decision;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.decision.Tuning;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.jobs.weak.LinearDecision;
import org.polygraph.jobs.weak.WeakLevelDecision;
import org.polygraph.jobs.windows.LocalWorkers;
import org.polygraph.jobs.windows.Workers;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/** An engine: where a history is read and decided. Implementations keep no state between calls. */
public interface Checker {
    /**
     * What {@link #decide} found.
     *
     * @param verdict null if the history has to be read
     * @param why why windows do not decide the history, if the user should know it; else empty
     */
    record Early(Verdict.@Nullable Builder verdict, String why) {
        /** The history has to be read, for a reason that the user knows or that reading it will show. */
        static final Early TO_READ = new Early(null, "");
    }

    /**
     * Validates the settings before a history is read.
     *
     * @param scratch as for {@link #workers}
     * @param warn receives warnings, a line each
     * @throws ConfigurationException if the engine cannot work with the settings
     * @throws EngineException if validation needs a cluster and there is none
     * @throws BudgetException if the budget ends before the settings are validated
     */
    default void prepare(@Nullable Location scratch, Progress progress, Budget budget, Consumer<String> warn) {}

    /**
     * Reads a history as {@link HistoryReader#read} does: with the same table or the same failure.
     *
     * @param budget of time and of memory, all of which the table may take
     */
    default HistoryTable read(String path, HistoryFormat format, Progress progress, Budget budget)
            throws HistoryException, IOException {
        return HistoryReader.read(path, format, budget::exhausted, budget.bytes());
    }

    /**
     * Decides a history before it is read, if the engine can do so without holding it in memory.
     *
     * @param kept where a PASS leaves its certificate; null if no run is kept
     * @throws HistoryException as {@link #read}
     */
    default Early decide(
            String path,
            HistoryFormat format,
            CheckRequest request,
            @Nullable KeptRun kept,
            Progress progress,
            Budget budget)
            throws HistoryException, IOException {
        return Early.TO_READ;
    }

    /** Returns a listener for a new check, which reports to the given one and to the metrics of the engine. */
    default Progress listening(Progress progress) {
        return progress;
    }

    /** How many transactions a window has in which {@link #decide} decides; 0 if it does not decide by windows. */
    default int window() {
        return 0;
    }

    /** Whether the engine decides a history by windows, because the whole would not fit in memory. */
    default boolean isTooLarge(HistoryTable table, CheckRequest request, Budget budget) {
        return false;
    }

    /**
     * Returns workers for a check by windows. The caller closes them.
     *
     * @param scratch where scratch files go that a later process may need; null if none does
     */
    default Workers workers(@Nullable Location scratch, Progress progress, Budget budget) throws IOException {
        return LocalWorkers.of(scratch, budget, progress);
    }

    /**
     * Finds an order of a history in memory, or a violation.
     *
     * @throws BudgetException if the budget of the check ends before anything is found
     */
    default Finding find(Check check) {
        return switch (check.request().level()) {
            case RC, RA, CC -> WeakLevelDecision.of(check);
            case LIN -> LinearDecision.of(check, tuning());
            default -> Decision.of(check, tuning());
        };
    }

    /** How {@link #find} decides. */
    default Tuning tuning() {
        return Tuning.DEFAULT;
    }

    /**
     * Is called when a check that this engine began has ended.
     *
     * @param how the status of its verdict; undecided, if windows did not decide; or failed
     */
    default void ended(String how) {}

    /** Returns the verdict on a history in memory that has at least one committed transaction. */
    default Verdict check(HistoryTable table, CheckRequest request, Progress progress, Budget budget) {
        return check(table, request, progress, budget, Checkpoints.NONE);
    }

    /** Returns the verdict in the same way, but continues from the checkpoints of an earlier process. */
    default Verdict check(
            HistoryTable table, CheckRequest request, Progress progress, Budget budget, Checkpoints checkpoints) {
        return LevelCheck.of(new Check(table, request, progress, budget, checkpoints), this)
                .build();
    }
}
