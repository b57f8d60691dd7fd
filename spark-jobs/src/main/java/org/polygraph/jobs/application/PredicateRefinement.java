package org.polygraph.jobs.application;

import it.unimi.dsi.fastutil.longs.LongIterator;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongSet;
import it.unimi.dsi.fastutil.longs.LongSets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.evidence.Implications;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.PredicateReads;

/**
 * Decides a history with predicates. {@link SampledOrder} may find an order. Otherwise this class looks for an order
 * that explains the reads, and evaluates the predicates on its states. A pair of a condition and a row that is wrong there
 * becomes a read too, and another order is looked for, until no pair is wrong. A violation of some of these reads is a
 * violation of the history.
 */
final class PredicateRefinement {
    private static final int FEW = 20_000;
    private static final long MOST_STRONGER_NANOS = 60_000_000_000L;

    private PredicateRefinement() {}

    static Verdict.Builder of(Check check, Checker checker) {
        PredicateReads all = Objects.requireNonNull(check.table().predicates(), "predicates");
        SampledOrder sampled = new SampledOrder(check, checker, all);
        Finding order = sampled.find();
        if (order != null) {
            return LevelCheck.of(check, () -> order);
        }
        LongSet pairs = sampled.refuted();
        boolean isFirst = pairs.isEmpty();
        Check current =
                isFirst ? check : check.beside(all.resolved(check.table(), pairs), check.request(), check.budget());
        while (true) {
            Check now = current;
            Verdict.Builder verdict = LevelCheck.of(now, () -> checker.find(now));
            Witness witness = verdict.witness();
            PredicateReads predicates = now.table().predicates();
            if (verdict.status() != Verdict.Status.PASS || witness == null || predicates == null) {
                return verdict;
            }
            LongSet wrong = wrong(now, witness);
            if (wrong.isEmpty()) {
                return verdict.witness(witness.with(check.table())).counts(Counts.of(check.table()));
            }
            Verdict.Builder easier = isFirst ? ofStronger(check, checker) : null;
            if (easier != null) {
                return easier;
            }
            isFirst = false;
            if (!add(pairs, wrong)) {
                throw new IllegalStateException("the order found does not explain " + wrong.size() + " results");
            }
            Budget budget = check.budget();
            if (budget.exhausted()) {
                Verdict.Builder ended = Verdict.of(
                                Verdict.Status.UNKNOWN, check.request().level())
                        .reason(budget.exhaustion("predicates"));
                check.phases().addTo(ended);
                return ended;
            }
            HistoryTable more = predicates.resolved(check.table(), pairs);
            current = check.beside(more, check.request(), budget);
        }
    }

    private static Verdict.@Nullable Builder ofStronger(Check check, Checker checker) {
        Finding stronger = stronger(check, checker);
        if (stronger == null) {
            return null;
        }
        Verdict.Builder verdict = LevelCheck.of(check, () -> stronger);
        Witness witness = verdict.witness();
        return witness != null && wrong(check, witness).isEmpty() ? verdict : null;
    }

    private static LongSet wrong(Check check, Witness witness) {
        PredicateReads predicates = check.table().predicates();
        return predicates == null ? LongSets.emptySet() : predicates.wrong(witness.counted(), witness.position());
    }

    /**
     * Adds pairs, at most as many as there are already, or {@link #FEW} if that is more. If an order is far off, many
     * of its wrong pairs do not matter later.
     *
     * @return whether one was added
     */
    private static boolean add(LongSet pairs, LongSet wrong) {
        int before = pairs.size();
        int most = Math.max(FEW, before);
        for (LongIterator next = wrong.iterator(); next.hasNext() && pairs.size() - before < most; ) {
            pairs.add(next.nextLong());
        }
        return pairs.size() > before;
    }

    /**
     * Looks for a serial order if the level has snapshots, because a snapshot with few reads may be at many places.
     * With times {@link SampledOrder} has looked for one.
     */
    private static @Nullable Finding stronger(Check check, Checker checker) {
        PredicateReads predicates = check.table().predicates();
        boolean isTimed = check.request().time() != TimeMode.NONE
                && check.table().starts() != null
                && check.table().ends() != null;
        if (predicates == null
                || predicates.areAllRead()
                || isTimed
                || check.request().level().eventsPerTransaction() == 1) {
            return null;
        }
        CheckRequest request = check.request();
        CheckRequest stronger = request.at(IsolationLevel.SER);
        Budget budget = check.budget().atMost(MOST_STRONGER_NANOS);
        LongSet pairs = new LongOpenHashSet();
        try {
            for (HistoryTable table = check.table(); ; ) {
                Check now = check.beside(table, stronger, budget);
                if (!(checker.find(now) instanceof Finding.Order order)) {
                    return null;
                }
                Witness witness = order.witness();
                LongSet wrong = wrong(now, witness);
                if (wrong.isEmpty()) {
                    Terms terms = request.terms();
                    Witness same = witness.with(check.table());
                    return new Finding.Order(Implications.inTerms(same, terms), false);
                }
                budget.require();
                if (!add(pairs, wrong)) {
                    return null;
                }
                table = predicates.resolved(check.table(), pairs);
            }
        } catch (BudgetException e) {
            return null;
        }
    }
}
