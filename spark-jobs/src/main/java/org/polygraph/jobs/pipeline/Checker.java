package org.polygraph.jobs.pipeline;

import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.storage.columnar.HistoryTable;

/** Decides one history that is in memory. Implementations keep no state between calls. */
public interface Checker {
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
    default Verdict check(HistoryTable table, CheckRequest request, Progress progress, Budget budget, Stages stages) {
        return check(table, request, progress, budget);
    }
}
