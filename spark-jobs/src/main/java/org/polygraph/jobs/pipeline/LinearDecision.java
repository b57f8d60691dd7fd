package org.polygraph.jobs.pipeline;

import org.polygraph.jobs.certificate.IndeterminateMode;
import org.polygraph.jobs.certificate.Replay;
import org.polygraph.jobs.certificate.Witness;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.linear.Linearizability;
import org.polygraph.storage.columnar.HistoryTable;

/** Linearizability by key: an order a key, replayed; or keys that have none, each with a sub-history that has none either. */
final class LinearDecision {
    /** Of an operation: what is sorted, placed and replayed. */
    private static final long HELD_BYTES = 64;

    private final HistoryTable table;
    private final CheckRequest request;
    private final Budget budget;
    private final PhaseClock phases;

    LinearDecision(HistoryTable table, CheckRequest request, Budget budget, PhaseClock phases) {
        this.table = table;
        this.request = request;
        this.budget = budget;
        this.phases = phases;
    }

    Verdict make() {
        long needed = HELD_BYTES * table.transactions();
        if (!budget.fits(table.arrayBytes(), needed)) {
            return finish(Verdict.of(Verdict.Status.UNKNOWN, request.level())
                    .reason(budget.shortage("order", table.arrayBytes() + needed)));
        }
        phases.begin("order");
        Linearizability found = Linearizability.of(
                table,
                request.clockSkewNanos(),
                request.indeterminate() == IndeterminateMode.MAYBE,
                request.mostViolations(),
                budget::exhausted);
        phases.end(table.transactions());
        if (found.violated() > 0) {
            return finish(Verdict.of(Verdict.Status.VIOLATION, request.level())
                    .violations(found.violations(), table)
                    .violationsFound(found.violated())
                    .certificate(new Certificate("operations", null, false)));
        }
        String open = found.open();
        if (open != null) {
            return finish(Verdict.of(Verdict.Status.UNKNOWN, request.level())
                    .reason(budget.exhausted() ? budget.exhaustion(phases.stage()) : open));
        }
        Witness witness = new Witness(table, request.terms().orElseThrow(), found.counted(), found.position());
        if (request.replayed()) {
            phases.begin("replay");
            String wrong = Replay.of(witness).discrepancy();
            phases.end(table.operations());
            if (wrong != null) {
                throw new IllegalStateException("the order found does not explain the history: " + wrong);
            }
        }
        return finish(Verdict.of(Verdict.Status.PASS, request.level())
                .certificate(new Certificate("order", null, request.replayed()))
                .witness(witness));
    }

    private Verdict finish(Verdict.Builder verdict) {
        phases.addTo(verdict);
        return verdict.counts(Counts.of(table))
                .assumptions(request.assumptions(table, true))
                .build();
    }
}
