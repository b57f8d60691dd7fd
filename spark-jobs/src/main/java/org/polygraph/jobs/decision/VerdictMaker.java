package org.polygraph.jobs.decision;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.Replay;
import org.polygraph.jobs.certificate.Witness;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.ResidualSize;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistoryTable;

/** Makes the verdict of one check, with its stages, counts and assumptions: a PASS only of an order that explains the history. */
final class VerdictMaker {
    private final HistoryTable table;
    private final CheckRequest request;
    private final Budget budget;
    private final PhaseClock phases;
    private ResidualSize residual = ResidualSize.NONE;
    private boolean hasUniqueValues = true;

    VerdictMaker(HistoryTable table, CheckRequest request, Budget budget, PhaseClock phases) {
        this.table = table;
        this.request = request;
        this.budget = budget;
        this.phases = phases;
    }

    /** What was found out about the values: to be told by whatever verdict there will be. Unique until then. */
    void uniqueValues(boolean areUnique) {
        hasUniqueValues = areUnique;
    }

    /** What was left to search: to be told by whatever verdict there will be. Nothing until then. */
    void residual(ResidualSize size) {
        residual = size;
    }

    /** @param committed transactions of unknown outcome that count besides; null: none */
    Witness witness(CommitStatus commitStatus, boolean @Nullable [] committed, int[] position) {
        boolean[] counted = new boolean[table.transactions()];
        for (int t = 0; t < counted.length; t++) {
            counted[t] = commitStatus.isCounted(t) || (committed != null && committed[t]);
        }
        return new Witness(table, request.terms().orElseThrow(), counted, position);
    }

    /** Nothing passes that independent code has not replayed from the raw operations, unless the request says so. */
    Verdict replay(Witness witness) {
        if (request.replayed()) {
            phases.begin("replay");
            String wrong = Replay.of(witness).discrepancy();
            phases.end(table.operations());
            if (wrong != null) {
                throw new IllegalStateException("the order found does not explain the history: " + wrong);
            }
        }
        return pass(witness);
    }

    /** A PASS of an order that was replayed already, if the request wants that. */
    Verdict pass(Witness witness) {
        return make(Verdict.of(Verdict.Status.PASS, request.level())
                .certificate(new Certificate("order", null, request.replayed()))
                .witness(witness));
    }

    /**
     * A VIOLATION, with its sub-histories; ends the stage that told it.
     *
     * @param more what the first violation rests on besides what it says
     */
    Verdict violation(List<Violation> violations, List<Dependency> more, Certificate certificate) {
        Counterexamples counterexamples = new Counterexamples(table, request, budget);
        List<Violation> told = counterexamples.of(violations, more);
        phases.end(told.size());
        return make(Verdict.of(Verdict.Status.VIOLATION, request.level())
                .violations(told, table)
                .violationsFound(counterexamples.found())
                .certificate(new Certificate(
                        certificate.kind(), certificate.path(), certificate.verified() || counterexamples.isJudged())));
    }

    /** By a cycle in what is known. */
    Verdict violation(List<Violation> violations) {
        return violation(violations, List.of(), new Certificate("cycle", null, false));
    }

    /** UNKNOWN, as the budget ended in the stage that runs. */
    Verdict exhausted() {
        return unknown(budget.exhaustion(phases.stage()));
    }

    Verdict unknown(String reason) {
        return make(Verdict.of(Verdict.Status.UNKNOWN, request.level()).reason(reason));
    }

    /** Any other verdict. */
    Verdict make(Verdict.Builder verdict) {
        phases.addTo(verdict);
        return verdict.counts(Counts.of(table))
                .residual(residual)
                .assumptions(request.assumptions(table, hasUniqueValues))
                .build();
    }
}
