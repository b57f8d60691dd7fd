package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.replay.Replay;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Definitions;
import org.polygraph.storage.testkit.HistoryDsl;

/**
 * Checks the evidence of verdicts by {@link Definitions}: a PASS has an order that replays, a VIOLATION closed
 * sub-histories that violate. Counts the verdicts that it cannot check.
 */
public final class ShownVerdicts {
    /** The most transactions that {@link Definitions} take. */
    private static final int MOST_TRANSACTIONS = 24;

    /** With more open reads there may be more choices than brute force tries again. */
    private static final int MOST_TRANSACTIONS_OF_CHOICES = 10;

    private int withoutOrder;
    private int withoutPart;
    private int large;

    /** PASS verdicts that rest only on a choice of a writer for each read. */
    public int withoutOrder() {
        return withoutOrder;
    }

    /** Violations by empty transactions, which no sub-history has. */
    public int withoutPart() {
        return withoutPart;
    }

    /** Violations whose sub-history is too large for the definitions. */
    public int large() {
        return large;
    }

    /**
     * Fails if the evidence does not show the verdict.
     *
     * @param whole the history as it was read
     */
    public void isShown(Verdict verdict, HistoryTable whole, CheckRequest request, String what) {
        if (verdict.status() == Verdict.Status.PASS) {
            isShown(verdict.witness(), what);
            Certificate certificate = verdict.certificate();
            assertThat(certificate).as(what).isNotNull();
            if (!certificate.verified()) {
                assertThat(certificate.kind()).as(what).isEqualTo("choices");
                assertThat(whole.transactions()).as(what).isGreaterThan(MOST_TRANSACTIONS_OF_CHOICES);
            }
        } else {
            assertThat(verdict.violations()).as(what).isNotEmpty();
            for (Violation violation : verdict.violations()) {
                isShown(violation, request.judged(whole), request, what);
            }
        }
    }

    /**
     * Fails if the verdict does not follow from the pieces of a joined history, or if its evidence is not within them.
     * It may be UNKNOWN at weak levels, where reads with several candidates in many pieces give more choices than are
     * tried.
     *
     * @param holds whether all pieces keep the level
     * @param whole the joined history as it was read
     */
    public void isShown(
            Verdict verdict, ShapedJoin join, boolean holds, HistoryTable whole, CheckRequest request, String what) {
        IsolationLevel level = request.level();
        if (verdict.status() == Verdict.Status.UNKNOWN) {
            assertThat(level.isAxiom()).as(what).isTrue();
            return;
        }
        assertThat(verdict.status()).as(what).isEqualTo(holds ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
        isShown(verdict, whole, request, what);
        verdict.violations().forEach(violation -> assertThat(join.isIn(violation, level, whole))
                .as("%s of %s", violation, what)
                .isTrue());
    }

    private void isShown(@Nullable Witness witness, String what) {
        if (witness == null) {
            withoutOrder++;
            return;
        }
        assertThat(Replay.of(witness).discrepancy()).as(what).isNull();
        assertThat(Replay.byDefinition(witness).discrepancy()).as(what).isNull();
    }

    private void isShown(Violation violation, HistoryTable whole, CheckRequest request, String what) {
        SubHistory part = violation.minimal();
        if (part == null) {
            assertThat(request.level().realTime() && hasEmptyTransaction(whole))
                    .as(what)
                    .isTrue();
            withoutPart++;
            return;
        }
        HistoryTable alone = HistorySelection.of(whole, part.operations()).table();
        if (!part.minimal()) {
            // Real time alone refutes less of it. It is minimal without real time, and named by what it violates there.
            assertThat(request.level().realTime()).as(what).isTrue();
            assertThat(org.polygraph.jobs.certificate.judge.BruteForce.judge(
                            alone, withoutTime(request).terms()))
                    .as(what)
                    .isEqualTo(org.polygraph.jobs.certificate.judge.BruteForce.Answer.VIOLATED);
        }
        String as = violation.anomaly() + " " + HistoryDsl.print(alone) + " of " + what;
        if (alone.transactions() > MOST_TRANSACTIONS) {
            large++;
        } else {
            Definitions definitions = Definitions.of(alone);
            assertThat(definitions.vacuous()).as(as).isFalse();
            assertThat(definitions.holds(
                            Definitions.Level.valueOf(request.level().name()),
                            request.clockSkewNanos(),
                            request.indeterminate() == IndeterminateMode.MAYBE))
                    .as(as)
                    .isNotEqualTo(true);
        }
        assertThat(org.polygraph.jobs.certificate.judge.SubHistoryProof.firstGap(whole, alone, request.terms()))
                .as(as)
                .isNull();
        for (int named : violation.transactions()) {
            assertThat(part.transactions()).as(as).contains(named);
        }
    }

    private static boolean hasEmptyTransaction(HistoryTable table) {
        for (int t = 0; t < table.transactions(); t++) {
            if (table.firstOperation(t) == table.operationsEnd(t)) {
                return true;
            }
        }
        return false;
    }

    private static CheckRequest withoutTime(CheckRequest request) {
        IsolationLevel level = request.level() == IsolationLevel.SSER ? IsolationLevel.SER : IsolationLevel.SI;
        return new CheckRequest(level, TimeMode.NONE, 0, request.indeterminate());
    }
}
