package org.polygraph.jobs.application;

import java.util.Objects;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.table.PredicateReads;

/**
 * Decides a history with predicates at PC, CC, RA, RC or PL2 (docs/rows.md). A row that a result has or lacks is a read
 * of a version that matches or does not match. A large history is first decided without conditions, then at SI, which
 * implies these levels, and then with a read for each pair of a condition and a row.
 */
final class PredicatesAtCommits {
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
        return LevelCheck.of(now, () -> checker.find(now));
    }
}
