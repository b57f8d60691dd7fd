package org.polygraph.jobs.evidence;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.EdgeKind;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.ReasonTree;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.subhistory.SubHistoryFinder;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;

/**
 * Names a violation of a level with real time. It is a real-time violation if its sub-history keeps the level without
 * real time, even if the cycle has real-time steps only in the reasons of its edges. Without a sub-history, or a budget
 * to judge it, it is one if real time is among the reasons.
 */
final class RealTimeName {
    private final HistoryTable table;
    private final CheckRequest withoutTime;
    private final SubHistoryChecker judge;
    private final Budget budget;

    RealTimeName(HistoryTable table, CheckRequest request, Budget budget) {
        this.table = table;
        this.budget = budget;
        this.withoutTime = new CheckRequest(
                request.level() == IsolationLevel.SSER ? IsolationLevel.SER : IsolationLevel.SI,
                TimeMode.NONE,
                0,
                request.indeterminate());
        this.judge = new SubHistoryChecker(withoutTime, budget);
    }

    /**
     * Returns the violation with its right name; or, if time is among its edges or their reasons although its sub-history violates the level without time
     * too, a violation that needs no time.
     *
     * @param finder finds sub-histories at the level with real time
     * @param finders makes a finder for another level; null if memory does not suffice
     */
    Violation of(
            Violation violation,
            @Nullable SubHistoryFinder finder,
            Function<CheckRequest, @Nullable SubHistoryFinder> finders) {
        if (violation.anomaly().isOfRow()) {
            return violation;
        }
        boolean isNamed = violation.anomaly() == Anomaly.REAL_TIME_VIOLATION;
        SubHistory sub = violation.minimal();
        if (sub != null && !budget.exhausted()) {
            boolean violates =
                    judge.violates(HistorySelection.of(table, sub.operations()).table());
            if (violates) {
                Violation other = isNamed || violation.isOfOrders()
                        ? untimed(violation, finder, finders.apply(withoutTime))
                        : null;
                if (other != null) {
                    return other;
                }
                // Its inserts and deletes may lack others that were left out.
                if (!sub.ofWrites() || judge.violates(SubHistoryFinder.alone(table, sub))) {
                    return violation;
                }
            }
            if (!budget.exhausted()) {
                return timed(violation);
            }
        }
        return isNamed || !restsOnTime(violation) ? violation : timed(violation);
    }

    /**
     * Returns a violation that needs no time, if the recorded form of the sub-history violates the level without it; else the same. Example:
     * of two results of a transaction one needs time to be wrong, but they contradict each other.
     */
    Violation ofRecorded(
            Violation violation,
            @Nullable SubHistoryFinder finder,
            Function<CheckRequest, @Nullable SubHistoryFinder> finders) {
        SubHistory sub = violation.minimal();
        boolean isNamed = violation.anomaly() == Anomaly.REAL_TIME_VIOLATION
                || violation.anomaly().isOfRow();
        if (!isNamed
                || sub == null
                || !sub.recorded()
                || budget.exhausted()
                || !judge.violates(SubHistoryFinder.alone(table, sub))) {
            return violation;
        }
        Violation other = untimed(violation, finder, finders.apply(withoutTime));
        return other == null ? violation : other;
    }

    private static @Nullable Violation untimed(
            Violation violation, @Nullable SubHistoryFinder finder, @Nullable SubHistoryFinder withoutTime) {
        Violation found = withoutTime == null ? violation : withoutTime.shrunkWithRows(violation.shownBy(null));
        return finder == null || found == violation || found.minimal() == null ? null : finder.ofWeakerLevel(found);
    }

    private static Violation timed(Violation violation) {
        return withOthers(violation).named(Anomaly.REAL_TIME_VIOLATION, Anomaly.REAL_TIME_VIOLATION.aliases());
    }

    /** Adds the transactions of the sub-history if no edge of the cycle is of real time, so that those are shown that it orders. */
    private static Violation withOthers(Violation violation) {
        SubHistory sub = violation.minimal();
        if (sub == null || violation.cycle().stream().anyMatch(edge -> edge.kind() == EdgeKind.RT)) {
            return violation;
        }
        Set<Integer> all = new LinkedHashSet<>(violation.transactions());
        for (int t : sub.transactions()) {
            all.add(t);
        }
        return violation.of(List.copyOf(all));
    }

    private static boolean restsOnTime(Violation violation) {
        return ReasonTree.of(violation.cycle(), violation.cases()).edges().stream()
                .anyMatch(edge -> edge.kind() == EdgeKind.RT);
    }
}
