package org.polygraph.jobs.application;

import it.unimi.dsi.fastutil.longs.LongIterator;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongSet;
import it.unimi.dsi.fastutil.longs.LongSets;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checkpoints;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.evidence.Implications;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.PredicateReads;

/**
 * Decides a history with predicates. It looks for an order that explains the reads, and evaluates the predicates on its
 * states. The pairs of a condition and a row that are wrong there become reads too, and another order is looked for,
 * until none is wrong. A violation of some of these reads is one of the history.
 */
final class PredicateRefinement {
    private static final int FEW = 20_000;
    private static final long MOST_SERIAL_NANOS = 20_000_000_000L;

    private PredicateRefinement() {}

    static Verdict.Builder of(Check check, Checker checker) {
        Finding serial = serial(check, checker);
        if (serial != null) {
            Verdict.Builder verdict = VerdictMaker.of(check, () -> serial);
            Witness witness = verdict.build().witness();
            if (witness != null && wrong(check, witness).isEmpty()) {
                return verdict;
            }
        }
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
            LongSet wrong = wrong(now, witness);
            if (wrong.isEmpty()) {
                return verdict.witness(
                                new Witness(check.table(), witness.terms(), witness.counted(), witness.position()))
                        .counts(Counts.of(check.table()));
            }
            add(pairs, wrong);
            Budget budget = check.budget();
            if (budget.exhausted()) {
                return Verdict.of(Verdict.Status.UNKNOWN, check.request().level())
                        .reason(budget.exhaustion("predicates"));
            }
            HistoryTable more = predicates.resolved(check.table(), pairs);
            current = new Check(more, check.request(), Progress.NONE, budget, Checkpoints.NONE);
        }
    }

    private static LongSet wrong(Check check, Witness witness) {
        PredicateReads predicates = check.table().predicates();
        return predicates == null ? LongSets.emptySet() : predicates.wrong(witness.counted(), witness.position());
    }

    /**
     * Adds pairs, at most as many as there are already, or {@value #FEW}. If an order is far off, many of its wrong
     * pairs do not matter later.
     */
    private static void add(LongSet pairs, LongSet wrong) {
        int before = pairs.size();
        int most = Math.max(FEW, before);
        for (LongIterator next = wrong.iterator(); next.hasNext() && pairs.size() - before < most; ) {
            pairs.add(next.nextLong());
        }
        if (pairs.size() == before) {
            throw new IllegalStateException("the order found does not explain " + wrong.size() + " results");
        }
    }

    /**
     * Looks for a serial order at a level with snapshots. It comes first if not all pairs are reads from the beginning,
     * because a snapshot that few reads bind has many places.
     */
    private static @Nullable Finding serial(Check check, Checker checker) {
        PredicateReads predicates = check.table().predicates();
        CheckRequest request = check.request();
        if (predicates == null || predicates.areAllRead() || request.level().eventsPerTransaction() == 1) {
            return null;
        }
        IsolationLevel level = request.level().realTime() ? IsolationLevel.SSER : IsolationLevel.SER;
        CheckRequest stronger = new CheckRequest(
                level,
                request.time(),
                request.clockSkewNanos(),
                request.indeterminate(),
                request.initial(),
                request.replayed(),
                request.mostViolations());
        Budget budget = check.budget().part(MOST_SERIAL_NANOS);
        LongSet pairs = new LongOpenHashSet();
        try {
            for (HistoryTable table = check.table(); ; table = predicates.resolved(check.table(), pairs)) {
                Check now = new Check(table, stronger, Progress.NONE, budget, Checkpoints.NONE);
                if (!(checker.find(now) instanceof Finding.Order order)) {
                    return null;
                }
                Witness witness = order.witness();
                LongSet wrong = wrong(now, witness);
                if (wrong.isEmpty()) {
                    Terms terms = request.terms().orElseThrow();
                    Witness same = new Witness(check.table(), witness.terms(), witness.counted(), witness.position());
                    return new Finding.Order(Implications.inTerms(same, terms), false);
                }
                budget.require();
                add(pairs, wrong);
            }
        } catch (BudgetException e) {
            return null;
        }
    }
}
