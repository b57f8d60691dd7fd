package org.polygraph.jobs.application;

import it.unimi.dsi.fastutil.longs.LongIterator;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongSet;
import it.unimi.dsi.fastutil.longs.LongSets;
import java.util.List;
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
import org.polygraph.jobs.verdict.TimeMode;
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
    /** The same in real time, where a pair has few writers. */
    private static final int MANY = 50_000;

    private static final long MOST_STRONGER_NANOS = 60_000_000_000L;

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
            LongSet wrong = wrong(now, witness);
            if (wrong.isEmpty()) {
                return verdict.witness(
                                new Witness(check.table(), witness.terms(), witness.counted(), witness.position()))
                        .counts(Counts.of(check.table()));
            }
            Verdict.Builder easier = pairs.isEmpty() ? ofStronger(check, checker) : null;
            if (easier != null) {
                return easier;
            }
            if (!add(pairs, wrong, FEW)) {
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

    private static Verdict.@Nullable Builder ofStronger(Check check, Checker checker) {
        Finding stronger = stronger(check, checker);
        if (stronger == null) {
            return null;
        }
        Verdict.Builder verdict = VerdictMaker.of(check, () -> stronger);
        Witness witness = verdict.build().witness();
        return witness != null && wrong(check, witness).isEmpty() ? verdict : null;
    }

    private static LongSet wrong(Check check, Witness witness) {
        PredicateReads predicates = check.table().predicates();
        return predicates == null ? LongSets.emptySet() : predicates.wrong(witness.counted(), witness.position());
    }

    /**
     * Adds pairs, at most as many as there are already. If an order is far off, many of its wrong pairs do not matter
     * later.
     *
     * @param first how many are added while there are fewer
     * @return whether one was added
     */
    private static boolean add(LongSet pairs, LongSet wrong, int first) {
        int before = pairs.size();
        int most = Math.max(first, before);
        for (LongIterator next = wrong.iterator(); next.hasNext() && pairs.size() - before < most; ) {
            pairs.add(next.nextLong());
        }
        return pairs.size() > before;
    }

    /**
     * Looks for an order of a stronger level. With times it is a strict level, where few writers of a row may matter to
     * a predicate. A level with snapshots gets a serial one first, because a snapshot that few reads bind has many
     * places.
     */
    private static @Nullable Finding stronger(Check check, Checker checker) {
        PredicateReads predicates = check.table().predicates();
        if (predicates == null || predicates.areAllRead()) {
            return null;
        }
        boolean isTimed = check.request().time() != TimeMode.NONE
                && check.table().starts() != null
                && check.table().ends() != null;
        boolean hasSnapshots = check.request().level().eventsPerTransaction() == 2;
        List<IsolationLevel> levels = !isTimed
                ? (hasSnapshots ? List.of(IsolationLevel.SER) : List.of())
                : hasSnapshots ? List.of(IsolationLevel.SSER, IsolationLevel.SSI) : List.of(IsolationLevel.SSER);
        for (IsolationLevel level : levels) {
            Finding found = at(level, isTimed, check, predicates, checker);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static @Nullable Finding at(
            IsolationLevel level, boolean isTimed, Check check, PredicateReads predicates, Checker checker) {
        CheckRequest request = check.request();
        CheckRequest stronger = new CheckRequest(
                level,
                request.time(),
                request.clockSkewNanos(),
                request.indeterminate(),
                request.initial(),
                request.replayed(),
                request.mostViolations());
        Budget budget = check.budget().part(MOST_STRONGER_NANOS);
        LongSet pairs = new LongOpenHashSet();
        try {
            for (HistoryTable table = check.table(); ; ) {
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
                if (!add(pairs, wrong, isTimed ? MANY : FEW)) {
                    return null;
                }
                table = isTimed
                        ? predicates.resolvedInRealTime(check.table(), pairs, request.clockSkewNanos())
                        : predicates.resolved(check.table(), pairs);
            }
        } catch (BudgetException e) {
            return null;
        }
    }
}
