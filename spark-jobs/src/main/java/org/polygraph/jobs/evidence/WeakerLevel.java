package org.polygraph.jobs.evidence;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.judge.SubHistoryProof;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.subhistory.SubHistoryFinder;
import org.polygraph.partitioner.subhistory.WholeHistoryIds;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;

/**
 * Shows a violation as one of a weaker level, if the same transactions violate that in a way that has an earlier name of the decision
 * table. Example: two transactions append to two lists in opposite orders, and a third one reads one element of each. A part without one of
 * the appends is a FracturedRead, and all of it is a G0.
 */
final class WeakerLevel {
    /** Of a larger history the transactions of the violation are judged alone, if they have no more operations. */
    private static final int MOST_OPERATIONS = 200;

    private final HistoryTable table;
    private final CheckRequest request;
    private final Budget budget;
    private final BeyondReads.Rest check;
    private final CheckRequest pl2;
    /** Violations of the next weaker level of the whole history; null before they were asked for. */
    private @Nullable List<Violation> ofWhole;

    /** @param check decides a level and names what violates it */
    WeakerLevel(HistoryTable table, CheckRequest request, Budget budget, BeyondReads.Rest check) {
        this.table = table;
        this.request = request;
        this.budget = budget;
        this.check = check;
        this.pl2 = new CheckRequest(IsolationLevel.PL2, TimeMode.NONE, 0, request.indeterminate());
    }

    /** Returns a violation of a weaker level with the same transactions and an earlier name; this one if there is none. */
    Violation of(Violation violation, SubHistoryFinder finder) {
        SubHistory sub = violation.minimal();
        boolean isOfTime = violation.anomaly() == Anomaly.REAL_TIME_VIOLATION;
        boolean isFirst = violation.anomaly() == Anomaly.DIRTY_WRITE;
        // With conditions a check of a part resolves them anew, so its operations are not those of the whole.
        boolean hasConditions = table.predicates() != null;
        if (sub == null || !sub.minimal() || isOfTime || isFirst || hasConditions || !isOfOrder(violation)) {
            return violation;
        }
        boolean isSmall = table.operations() <= MOST_OPERATIONS;
        List<Violation> others = isSmall ? ofWhole() : ofPart(finder.around(sub));
        Violation earlier = earlier(others, violation);
        // A part of what holds at the weaker level holds there. What these show first may have other transactions.
        if (earlier == null && !others.isEmpty() && sub.operations().length < table.operations()) {
            earlier = earlier(ofPart(sub.operations()), violation);
        }
        if (earlier == null) {
            return violation;
        }
        // Less of it may violate real time alone.
        return request.level().realTime() ? finder.ofWeakerLevel(earlier) : earlier;
    }

    private List<Violation> ofWhole() {
        ofWhole = ofWhole == null ? violations(HistorySelection.whole(table)) : ofWhole;
        return ofWhole;
    }

    private List<Violation> ofPart(int[] operations) {
        return operations.length > MOST_OPERATIONS
                ? List.of()
                : violations(HistorySelection.of(table, operations)).stream()
                        .filter(this::isClosed)
                        .toList();
    }

    private static @Nullable Violation earlier(List<Violation> others, Violation violation) {
        for (Violation other : others) {
            if (isEarlier(other, violation)) {
                return other;
            }
        }
        return null;
    }

    /** Whether no single read shows it. */
    private static boolean isOfOrder(Violation violation) {
        return !violation.cycle().isEmpty() || violation.anomaly() == Anomaly.NO_VALID_ORDER;
    }

    private static boolean isEarlier(Violation other, Violation violation) {
        SubHistory weaker = other.minimal();
        SubHistory sub = violation.minimal();
        return weaker != null
                && sub != null
                && (isOfOrder(other) || other.anomaly() == Anomaly.DIRTY_WRITE)
                && other.anomaly().compareTo(violation.anomaly()) < 0
                && Arrays.equals(sub.transactions(), weaker.transactions());
    }

    /** Whether the sub-history has each write that a read of it may have returned; at PL2, also later ones of the session. */
    private boolean isClosed(Violation violation) {
        SubHistory sub = violation.minimal();
        HistoryTable judged = pl2.withSessions(table);
        return sub != null
                && SubHistoryProof.firstGap(
                                judged,
                                HistorySelection.of(judged, sub.operations()).table(),
                                pl2.terms())
                        == null;
    }

    /** Violations of the next weaker level, each in turn shown as one of a level that is weaker still. */
    private List<Violation> violations(HistorySelection selection) {
        IsolationLevel level =
                switch (request.level()) {
                    case SSER -> IsolationLevel.SER;
                    case SER, SSI -> IsolationLevel.SI;
                    case SI -> IsolationLevel.PC;
                    case PC -> IsolationLevel.CC;
                    case CC -> IsolationLevel.RA;
                    case RA -> IsolationLevel.RC;
                    case RC -> IsolationLevel.PL2;
                    case PL2, LIN -> null;
                };
        if (level == null || budget.exhausted()) {
            return List.of();
        }
        HistorySelection judged = level.isAxiom() ? selection.ofCommits() : selection;
        try {
            CheckRequest weaker = new CheckRequest(level, TimeMode.NONE, 0, request.indeterminate());
            return new WholeHistoryIds(judged).of(check.violations(judged.table(), weaker, budget));
        } catch (BudgetException | OutOfMemoryError e) {
            return List.of();
        }
    }
}
