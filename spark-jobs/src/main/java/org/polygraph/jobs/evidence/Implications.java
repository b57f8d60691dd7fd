package org.polygraph.jobs.evidence;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.judge.BruteForce;
import org.polygraph.jobs.certificate.replay.Replay;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.decision.PhaseClock;
import org.polygraph.jobs.verdict.Assumptions;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.subhistory.SubHistoryFinder;
import org.polygraph.storage.table.HistoryTable;

/**
 * The verdict that one level implies for another one, for the same history and options. A PASS is passed to weaker
 * levels with its order, a VIOLATION to stronger levels with its sub-histories. Both are verified again at the new
 * level: an implication saves the search, not the evidence.
 */
public final class Implications {
    private final Check check;
    private final HistoryTable table;
    private final Budget budget;

    /** Prepares for the check of one level of a history. */
    public Implications(Check check) {
        this.check = check;
        this.table = check.table();
        this.budget = check.budget();
    }

    /** Whether every history that satisfies the one level satisfies the other. */
    public static boolean implies(IsolationLevel stronger, IsolationLevel weaker) {
        return guarantee(stronger).implies(guarantee(weaker));
    }

    private static Guarantee guarantee(IsolationLevel level) {
        return Guarantee.of(level.label(), false).orElseThrow();
    }

    /**
     * Derives the PASS of a level from the order of a stronger one. From SER or SSER to SI or SSI, a transaction's
     * snapshot is placed immediately before its commit. For CC, RA and RC the order stays the same, with the guarantee
     * of the stronger level. Linear. If the request asks for a replay, a changed order is replayed here; an unchanged
     * one was replayed at the stronger level.
     *
     * @return null if the other verdict is not a PASS of a level that implies this one, or came without an order, or if
     *     there is no memory for the changed order: the level must then be decided on its own
     * @throws IllegalStateException if the order does not show the weaker level: a bug, never a verdict
     */
    public @Nullable Finding pass(Verdict stronger) {
        CheckRequest request = check.request();
        Witness witness = stronger.witness();
        Assumptions assumptions = stronger.assumptions();
        if (stronger.status() != Verdict.Status.PASS
                || witness == null
                || assumptions == null
                || !implies(stronger.level(), request.level())
                || !budget.fits(table.arrayBytes(), 16L * table.transactions())) {
            return null;
        }
        PhaseClock phases = check.phases();
        phases.begin("implied");
        Terms terms = request.terms();
        boolean isUnchanged = terms.guarantee().hasPlainWrites();
        Witness shown = isUnchanged ? witness : inTerms(witness, terms);
        phases.end(table.transactions());
        if (request.replayed() && !isUnchanged) {
            phases.begin("replay");
            String wrong = Replay.of(shown, budget::exhausted).discrepancy();
            phases.end(table.operations());
            if (wrong != null) {
                throw new IllegalStateException(
                        "the order that shows " + stronger.level().label() + " does not show "
                                + request.level().label() + ", which that implies: " + wrong);
            }
        }
        check.uniqueValues(assumptions.uniqueValues());
        return new Finding.Order(shown, true);
    }

    /** Returns the same order, with two events per transaction if the guarantee has two. */
    public static Witness inTerms(Witness witness, Terms terms) {
        int[] position = witness.position();
        if (witness.terms().guarantee().events() == 1 && terms.guarantee().events() == 2) {
            int[] twice = new int[2 * position.length];
            for (int t = 0; t < position.length; t++) {
                twice[2 * t] = 2 * position[t];
                twice[2 * t + 1] = 2 * position[t] + 1;
            }
            position = twice;
        }
        return new Witness(witness.table(), terms, witness.counted(), position);
    }

    /**
     * Derives the VIOLATION of a level from that of a weaker one. It has those violations of the weaker level whose
     * sub-history violates this level too; each is judged anew.
     *
     * @return null if the other verdict is not a VIOLATION of a level that this one implies, or if none of its
     *     sub-histories could be judged in time
     * @throws IllegalStateException if a sub-history violates the weaker level and keeps the stronger: a bug, never a
     *     verdict
     */
    public @Nullable Finding violation(Verdict weaker) {
        CheckRequest request = check.request();
        HistoryTable judged = weaker.table();
        Assumptions assumptions = weaker.assumptions();
        if (weaker.status() != Verdict.Status.VIOLATION
                || judged == null
                || !judged.hasOperationsOf(table)
                || assumptions == null
                || !implies(request.level(), weaker.level())) {
            return null;
        }
        PhaseClock phases = check.phases();
        phases.begin("implied");
        List<Violation> reported = new ArrayList<>();
        List<Violation> unexplained = new ArrayList<>(weaker.unexplained());
        for (Violation violation : weaker.violations()) {
            SubHistory sub = violation.minimal();
            SubHistory.Judge judge = sub == null ? null : judge(request, sub);
            if (sub != null && judge != null) {
                reported.add(violation.shownBy(sub.judgedBy(judge)));
            } else {
                unexplained.add(violation);
            }
        }
        phases.end(reported.size());
        if (reported.isEmpty()) {
            return null;
        }
        check.uniqueValues(assumptions.uniqueValues());
        return new Finding.Violated(
                reported, unexplained, weaker.violationsFound(), new Certificate(Certificate.CYCLE, null, true));
    }

    /** Returns the judge that found that a sub-history violates the level; null if none did. */
    private SubHistory.@Nullable Judge judge(CheckRequest request, SubHistory sub) {
        HistoryTable alone = SubHistoryFinder.alone(table, sub);
        if (sub.transactions().length <= BruteForce.TRANSACTIONS) {
            switch (BruteForce.judge(alone, request.terms())) {
                case VIOLATED -> {
                    return SubHistory.Judge.BRUTE_FORCE;
                }
                case HOLDS ->
                    throw new IllegalStateException(
                            "a sub-history that violates a weaker level has an order that shows "
                                    + request.level().label());
                case TOO_LARGE -> {}
            }
        }
        return new SubHistoryChecker(request, budget).violates(alone) ? SubHistory.Judge.CHECKER : null;
    }

    /**
     * Compares verdicts with what levels imply.
     *
     * @param levels the levels of the verdicts
     * @return the first two that cannot both be right; null if there are none
     */
    public static @Nullable Contradiction contradiction(List<IsolationLevel> levels, List<Verdict.Status> statuses) {
        for (int i = 0; i < levels.size(); i++) {
            for (int j = 0; j < levels.size(); j++) {
                if (statuses.get(i) == Verdict.Status.PASS
                        && statuses.get(j) == Verdict.Status.VIOLATION
                        && implies(levels.get(i), levels.get(j))) {
                    return new Contradiction(levels.get(i), levels.get(j));
                }
            }
        }
        return null;
    }

    /** Two verdicts that cannot both be right: a bug in one of them. */
    public record Contradiction(IsolationLevel passes, IsolationLevel violated) {
        /** Describes the contradiction in one sentence. */
        public String text() {
            return passes.label() + " passes and " + violated.label() + ", which it implies, does not";
        }
    }
}
