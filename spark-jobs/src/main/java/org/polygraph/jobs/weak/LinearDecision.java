package org.polygraph.jobs.weak;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.judge.BruteForce;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.decision.PhaseClock;
import org.polygraph.jobs.decision.StrictDecision;
import org.polygraph.jobs.decision.Tuning;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.partitioner.index.ListAnomalies;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.linear.KeyOrders;
import org.polygraph.partitioner.linear.Linearizability;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.ListVersions;

/**
 * Decides linearizability by key: finds an order for each key, or keys that have none, each with a sub-history that
 * has none either.
 */
public final class LinearDecision {
    /** The bytes to sort, place and replay an operation. */
    private static final long HELD_BYTES = 72;

    /** Larger sub-histories, which are not minimal, are not judged here. */
    private static final int MOST_JUDGED = 1_000;

    private final Check check;
    private final HistoryTable table;
    private final CheckRequest request;
    private final PhaseClock phases;
    private final StrictDecision judge;

    private LinearDecision(Check check, Tuning tuning) {
        this.judge = new StrictDecision(check, tuning);
        this.check = check;
        this.table = check.table();
        this.request = check.request();
        this.phases = check.phases();
    }

    /** Decides one history. */
    public static Finding of(Check check, Tuning tuning) {
        return new LinearDecision(check, tuning).find();
    }

    private Finding find() {
        check.budget().require(table.arrayBytes(), HELD_BYTES * table.transactions(), "order");
        phases.begin("order");
        List<Violation> ofLists = ListAnomalies.of(table, request.indexing());
        if (!ofLists.isEmpty()) {
            phases.end(table.transactions());
            int most = Math.min(request.mostViolations(), ofLists.size());
            return violation(
                    ofLists.subList(0, most).stream()
                            .map(each -> each.shownBy(ofLists(each)))
                            .toList(),
                    ofLists.subList(most, ofLists.size()));
        }
        boolean maybe = request.indeterminate() == IndeterminateMode.MAYBE;
        KeyOrders orders = check.checkpoints().keyOrders();
        if (orders == null) {
            orders = KeyOrders.of(table, request.clockSkewNanos(), maybe, judge, check.budget()::exhausted);
            check.checkpoints().keepKeyOrders(orders);
        }
        Linearizability found = Linearizability.of(
                table,
                request.clockSkewNanos(),
                maybe,
                orders,
                judge,
                request.mostViolations(),
                check.budget()::exhausted);
        check.uniqueValues(found.hasUniqueValues());
        phases.end(table.transactions());
        if (!found.violations().isEmpty()) {
            return violation(found.violations(), found.unexplained());
        }
        BudgetException open = found.open();
        if (open != null) {
            throw open;
        }
        Witness witness = new Witness(table, request.terms(), found.counted(), found.position());
        return new Finding.Order(witness, false);
    }

    /** The transactions of a violation of lists, and those that appended the elements of the lists that these read. */
    private SubHistory ofLists(Violation violation) {
        ListVersions versions = Objects.requireNonNull(table.listVersions(), "lists");
        HistoryTable recorded = versions.recorded();
        BitSet involved = new BitSet();
        for (int t : violation.transactions()) {
            involved.set(t);
            for (int o = recorded.firstOperation(t); o < recorded.operationsEnd(t); o++) {
                for (long element : versions.isRead(o) ? versions.elements(o) : new long[0]) {
                    int append = versions.append(recorded.key(o), element);
                    if (append != ListVersions.NONE) {
                        involved.set(versions.transaction(append));
                    }
                }
            }
        }
        int[] operations = involved.stream()
                .flatMap(t -> IntStream.range(table.firstOperation(t), table.operationsEnd(t)))
                .toArray();
        return new SubHistory(involved.stream().toArray(), operations, false, SubHistory.Judge.CHECKER);
    }

    /** Judges sub-histories that are small enough once more, by code that knows only the definition. */
    private Finding violation(List<Violation> described, List<Violation> unexplained) {
        phases.begin("evidence");
        List<Violation> reported = new ArrayList<>();
        boolean isJudged = false;
        for (Violation violation : described) {
            SubHistory sub = violation.minimal();
            if (sub == null || sub.operations().length > MOST_JUDGED) {
                reported.add(violation);
                continue;
            }
            BruteForce.Answer answer = judged(sub);
            if (answer == BruteForce.Answer.HOLDS && table.listVersions() != null) {
                // Without its appends a list is shorter, for example [] in place of [4, 5] that was read too early.
                sub = ofLists(violation);
                answer = judged(sub);
            }
            if (answer == BruteForce.Answer.HOLDS) {
                throw new IllegalStateException(
                        "the sub-history of " + violation.anomaly().label() + " has an order that explains it");
            }
            boolean violates = answer == BruteForce.Answer.VIOLATED;
            isJudged |= violates;
            reported.add(violation.shownBy(violates ? sub.judgedBy(SubHistory.Judge.BRUTE_FORCE) : sub));
        }
        phases.end(reported.size());
        return new Finding.Violated(
                reported,
                unexplained,
                reported.size() + unexplained.size(),
                new Certificate("operations", null, isJudged));
    }

    private BruteForce.Answer judged(SubHistory sub) {
        return BruteForce.judge(HistorySelection.of(table, sub.operations()).table(), request.terms());
    }
}
