package org.polygraph.jobs.application;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.judge.BruteForce;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.PredicateReads;
import org.polygraph.storage.table.RecordedSelection;

/**
 * Decides a history with predicates at RC, RA or CC (docs/rows.md). A row that a result has or lacks is a read of a
 * version that matches or does not match. RA and CC do not depend on the order of reads in a transaction. RC does, and
 * the rows of one result have no order, so a VIOLATION of RC needs a sub-history that no order of them explains. A large
 * history is first decided without conditions, then at SI, which implies these levels, and then with a read for each
 * pair of a condition and a row.
 */
final class PredicatesAtCommits {
    private static final String DOUBT =
            "found rows of one result that level rc permits or not, depending on the order in which the"
                    + " statement read them, which was not recorded; expected rows that it permits in any order; check ra or"
                    + " cc, which do not depend on that order";

    private final Check check;
    private final Checker checker;
    private final PredicateReads reads;

    private PredicatesAtCommits(Check check, Checker checker) {
        this.check = check;
        this.checker = checker;
        this.reads = Objects.requireNonNull(check.table().predicates(), "predicates");
    }

    static Verdict.Builder of(Check check, Checker checker) {
        PredicatesAtCommits predicates = new PredicatesAtCommits(check, checker);
        Verdict.Builder first = predicates.decided(check);
        return predicates.reads.areAllRead() || first.status() != Verdict.Status.PASS ? first : predicates.ofLarge();
    }

    private Verdict.Builder ofLarge() {
        CheckRequest request = check.request();
        CheckRequest withSnapshots = request.at(IsolationLevel.SI);
        Check stronger =
                check.beside(check.withRows(), withSnapshots, check.budget().half());
        Witness witness = PredicateRefinement.of(stronger, checker).witness();
        if (witness != null) {
            check.uniqueValues(stronger.hasUniqueValues());
            return LevelCheck.of(check, () -> new Finding.Order(witness, true));
        }
        Verdict.Builder all = LevelCheck.withinBudget(request, check.budget(), check.phases()::phase, () -> {
            Check resolved = check.beside(reads.resolved(check.withRows()), request, check.budget());
            return decided(resolved);
        });
        Verdict.Builder verdict = Objects.requireNonNull(all, "a verdict");
        Witness order = verdict.witness();
        return (order == null ? verdict : verdict.witness(order.with(check.table()))).counts(Counts.of(check.table()));
    }

    private Verdict.Builder decided(Check now) {
        Verdict.Builder verdict = LevelCheck.of(now, () -> checker.find(now));
        if (verdict.status() != Verdict.Status.VIOLATION || now.request().level() != IsolationLevel.RC) {
            return verdict;
        }
        Verdict found = verdict.build();
        List<Violation> shown = new ArrayList<>();
        for (Violation violation : found.violations()) {
            SubHistory sub = violation.minimal();
            HistoryTable recorded = sub == null ? null : RecordedSelection.of(now.table(), sub.operations());
            // Without a condition each read is a statement.
            if (sub != null
                    && (recorded == null
                            || BruteForce.judge(
                                            recorded.withoutRows(),
                                            now.request().terms())
                                    == BruteForce.Answer.VIOLATED)) {
                shown.add(violation);
            }
        }
        HistoryTable table = found.table();
        return shown.isEmpty() || table == null
                ? found.instead(Verdict.Status.UNKNOWN, doubt(found.violations()))
                        .build()
                        .with()
                : found.with().violations(shown, table).furtherViolations(List.of(), shown.size());
    }

    private String doubt(List<Violation> violations) {
        String where = violations.isEmpty() || violations.get(0).transactions().isEmpty()
                ? ""
                : check.table().whereIs(violations.get(0).transactions().get(0)) + ": ";
        return where + DOUBT;
    }

    /** Whether a level was left open because of an order that was not recorded. More memory does not decide it. */
    static boolean isDoubt(String reason) {
        return reason.endsWith(DOUBT);
    }
}
