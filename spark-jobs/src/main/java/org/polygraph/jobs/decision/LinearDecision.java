package org.polygraph.jobs.decision;

import java.util.ArrayList;
import java.util.List;
import org.polygraph.jobs.certificate.BruteForce;
import org.polygraph.jobs.certificate.IndeterminateMode;
import org.polygraph.jobs.certificate.Witness;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.linear.KeyOrders;
import org.polygraph.partitioner.linear.Linearizability;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;

/** Linearizability by key: an order a key, replayed; or keys that have none, each with a sub-history that has none either. */
final class LinearDecision {
    /** Of an operation: what is sorted, placed and replayed. */
    private static final long HELD_BYTES = 72;

    private final HistoryTable table;
    private final CheckRequest request;
    private final Budget budget;
    private final PhaseClock phases;
    private final Kernels stages;
    private final DecisionCheckpoints kept;
    private final VerdictMaker verdicts;

    LinearDecision(
            HistoryTable table,
            CheckRequest request,
            Budget budget,
            PhaseClock phases,
            Kernels stages,
            DecisionCheckpoints kept) {
        this.table = table;
        this.request = request;
        this.budget = budget;
        this.phases = phases;
        this.stages = stages;
        this.kept = kept;
        this.verdicts = new VerdictMaker(table, request, budget, phases);
    }

    Verdict make() {
        long needed = HELD_BYTES * table.transactions();
        if (!budget.fits(table.arrayBytes(), needed)) {
            return verdicts.unknown(budget.shortage("order", table.arrayBytes() + needed));
        }
        phases.begin("order");
        boolean maybe = request.indeterminate() == IndeterminateMode.MAYBE;
        KeyOrders orders = kept.keyOrders();
        if (orders == null) {
            orders = stages.orderKeys(request.clockSkewNanos(), maybe);
            if (orders == null) {
                return verdicts.exhausted();
            }
            kept.keepKeyOrders(orders);
        }
        Linearizability found = Linearizability.of(
                table, request.clockSkewNanos(), maybe, orders, request.mostViolations(), budget::exhausted);
        verdicts.uniqueValues(found.hasUniqueValues());
        phases.end(table.transactions());
        if (found.violated() > 0) {
            return violation(found);
        }
        String open = found.open();
        if (open != null) {
            return budget.exhausted() ? verdicts.exhausted() : verdicts.unknown(open);
        }
        return verdicts.replay(new Witness(table, request.terms().orElseThrow(), found.counted(), found.position()));
    }

    /** Sub-histories are judged again by code that knows the definition only, as far as they are small enough. */
    private Verdict violation(Linearizability found) {
        phases.begin("evidence");
        List<Violation> told = new ArrayList<>();
        boolean isJudged = false;
        for (Violation violation : found.violations()) {
            SubHistory part = violation.minimal();
            if (part == null) {
                told.add(violation);
                continue;
            }
            BruteForce.Answer answer = BruteForce.judge(
                    HistorySelection.of(table, part.operations()).table(),
                    request.terms().orElseThrow());
            if (answer == BruteForce.Answer.HOLDS) {
                throw new IllegalStateException(
                        "the sub-history of " + violation.anomaly().label() + " has an order that explains it");
            }
            boolean violates = answer == BruteForce.Answer.VIOLATED;
            isJudged |= violates;
            told.add(violates ? violation.shownBy(part.judgedBy(SubHistory.Judge.BRUTE_FORCE)) : violation);
        }
        phases.end(told.size());
        return verdicts.make(Verdict.of(Verdict.Status.VIOLATION, request.level())
                .violations(told, table)
                .violationsFound(found.violated())
                .certificate(new Certificate("operations", null, isJudged)));
    }
}
