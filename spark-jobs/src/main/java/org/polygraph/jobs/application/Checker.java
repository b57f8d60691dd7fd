package org.polygraph.jobs.application;

import java.io.IOException;
import java.util.function.Consumer;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checkpoints;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/** Decides one history that is in memory. Implementations keep no state between calls. */
public interface Checker {
    /**
     * Before a history is read: tells what is wrong with the settings.
     *
     * @param budget that of the history
     * @param warn hears of what may be wrong, a line each
     * @throws ConfigurationException if the engine cannot work with them
     * @throws EngineException if there is no cluster to ask
     * @throws BudgetException if the budget ended while it was asked
     */
    default void prepare(Progress progress, Budget budget, Consumer<String> warn) {}

    /**
     * Reads a history as {@link HistoryReader#read} does: the same table or the same failure, wherever the work is done.
     *
     * @param budget of time and of memory, which the table may take all of
     */
    default HistoryTable read(String path, HistoryFormat format, Progress progress, Budget budget)
            throws HistoryException, IOException {
        return HistoryReader.read(path, format, budget::exhausted, budget.bytes());
    }

    /**
     * Decides one history.
     *
     * @param table has at least one committed transaction
     * @param budget polled by every stage; when it is exhausted the verdict is UNKNOWN, its reason {@link
     *     Budget#exhaustion}
     * @return PASS, VIOLATION or UNKNOWN; path and elapsed time are left to the caller
     */
    Verdict check(HistoryTable table, CheckRequest request, Progress progress, Budget budget);

    /**
     * The same, going on from what an earlier try at it has left. An engine need not.
     *
     * @param stages of this history and request alone
     */
    default Verdict check(
            HistoryTable table, CheckRequest request, Progress progress, Budget budget, Checkpoints stages) {
        return check(table, request, progress, budget);
    }
}
