package org.polygraph.jobs.evidence;

import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Decision;
import org.polygraph.jobs.weak.WeakLevelDecision;
import org.polygraph.partitioner.subhistory.SubHistoryJudge;
import org.polygraph.storage.table.HistoryTable;

/**
 * Judges sub-histories by the decision of the level. Its work is counted in calls of the budget, whose number is the
 * same on every machine, so that evidence does not depend on speed.
 */
final class SubHistoryChecker implements SubHistoryJudge {
    private final CheckRequest request;
    private final Budget budget;

    SubHistoryChecker(CheckRequest request, Budget budget) {
        this.request = request;
        this.budget = budget;
    }

    @Override
    public double spent() {
        return budget.spent();
    }

    @Override
    public boolean violates(HistoryTable sub) {
        Decision.charge(budget, sub, request.level());
        if (!request.level().isOfEvents()) {
            return WeakLevelDecision.violates(sub, request, budget);
        }
        return Decision.violates(sub, request, budget);
    }
}
