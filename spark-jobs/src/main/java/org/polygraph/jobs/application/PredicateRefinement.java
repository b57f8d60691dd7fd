package org.polygraph.jobs.application;

import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongSet;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.Checkpoints;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.PredicateReads;

/**
 * The decision of a history with predicates. An order is looked for that explains the reads; the predicates are evaluated on its states; the
 * pairs of a condition and a row that are wrong there become reads too, and another order is looked for, until none is wrong. A
 * violation of some of these reads is one of the history.
 */
final class PredicateRefinement {
    private PredicateRefinement() {}

    static Verdict.Builder of(Check check, Checker checker) {
        Check current = check;
        LongSet pairs = new LongOpenHashSet();
        while (true) {
            Check now = current;
            Verdict.Builder verdict = VerdictMaker.of(now, () -> checker.find(now));
            Witness witness = verdict.build().witness();
            PredicateReads predicates = now.table().predicates();
            if (verdict.status() != Verdict.Status.PASS || witness == null || predicates == null) {
                return verdict;
            }
            LongSet wrong = predicates.wrong(witness.counted(), witness.position());
            if (wrong.isEmpty()) {
                return verdict.witness(
                                new Witness(check.table(), witness.terms(), witness.counted(), witness.position()))
                        .counts(Counts.of(check.table()));
            }
            if (!pairs.addAll(wrong)) {
                throw new IllegalStateException("the order found does not explain " + wrong.size() + " results");
            }
            Budget budget = check.budget();
            if (budget.exhausted()) {
                return Verdict.of(Verdict.Status.UNKNOWN, check.request().level())
                        .reason(budget.exhaustion("predicates"));
            }
            HistoryTable more = predicates.resolved(check.table(), pairs);
            current = new Check(more, check.request(), Progress.NONE, budget, Checkpoints.NONE);
        }
    }
}
