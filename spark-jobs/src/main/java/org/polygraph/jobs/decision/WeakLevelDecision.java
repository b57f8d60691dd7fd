package org.polygraph.jobs.decision;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.BruteForce;
import org.polygraph.jobs.certificate.Replay;
import org.polygraph.jobs.certificate.Terms;
import org.polygraph.jobs.certificate.Witness;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.axiom.Axiom;
import org.polygraph.partitioner.axiom.CommitOrder;
import org.polygraph.partitioner.axiom.WriterChoices;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.evidence.AxiomEvidence;
import org.polygraph.partitioner.index.DistinctWrites;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.ReadsFrom;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.model.TransactionStatus;

/**
 * RC, RA and CC: the order in which they were recorded, if a replay accepts it ({@link RecordedOrder}); else the
 * edges that the {@link Axiom} demands, and an order that extends them. No rounds, no solver.
 *
 * <p>Exact where it is known who read from whom. Where it is not, because values repeat: the recorded order can only be right;
 * reads that are open demand nothing at first, so a violation is one; then SI is tried, which implies all of these levels, so its
 * PASS is one; then, of a few open reads, every choice ({@link WriterChoices}); else the answer is UNKNOWN.
 */
final class WeakLevelDecision {
    /** For the attempt to accept by way of SI: its rules take some 4 us an operation. */
    private static final long MOST_ORDER_NANOS = 20_000_000_000L;

    private static final long ORDER_NANOS = 5_000;

    private static final long MOST_CHOICES = 200_000;

    private static final long MOST_CHOICES_OF_PART = 2_000;
    private static final long MOST_CHOICE_STEPS = 100_000_000;

    /** Of an operation: index and edges. */
    private static final long HELD_BYTES = 40;

    private final HistoryTable table;
    private final CheckRequest request;
    private final Budget budget;
    private final PhaseClock phases;
    private final Kernels stages;
    private final VerdictMaker verdicts;
    /** Of the choices that were judged last and hold: an order. */
    private @Nullable CommitOrder chosen;

    WeakLevelDecision(HistoryTable table, CheckRequest request, Budget budget, PhaseClock phases, Kernels stages) {
        this.table = table;
        this.request = request;
        this.budget = budget;
        this.phases = phases;
        this.stages = stages;
        this.verdicts = new VerdictMaker(table, request, budget, phases);
    }

    Verdict make() {
        boolean causal = request.level() == IsolationLevel.CC;
        long held = table.arrayBytes() + HELD_BYTES * table.operations();
        if (budget.fits(held, 0) && areOutcomesKnown()) {
            Witness recorded = recorded();
            if (recorded != null) {
                verdicts.uniqueValues(DistinctWrites.of(table));
                return verdicts.pass(recorded);
            }
        }
        phases.begin("index");
        IndexedHistory.Indeterminate indeterminate = Decision.indeterminate(request);
        ReadsFrom reads = stages.readsFrom(indeterminate, request.level());
        if (reads == null) {
            return verdicts.exhausted();
        }
        CommitOrder order = CommitOrder.of(reads, request.level(), indeterminate);
        phases.end(table.operations());
        if (!order.violations().isEmpty()) {
            return violation(order.violations());
        }
        boolean hasOpenReads = order.hasOpenReads();
        verdicts.uniqueValues(!hasOpenReads);
        long rows = causal ? ChainClocks.plainBytes(order.graph().events()) : 0;
        if (!budget.fits(held, rows)) {
            return verdicts.unknown(budget.shortage("order", held + rows));
        }
        phases.begin("order");
        Axiom axiom = stages.axiom(reads, indeterminate, request.level());
        CommitOrder.Result result = axiom == null ? CommitOrder.Result.STOPPED : order.order(axiom, budget::exhausted);
        phases.end(order.graph().edges());
        return switch (result) {
            case STOPPED -> verdicts.exhausted();
            case REFUTED -> violation(new AxiomEvidence(order).violations());
            case ORDERED ->
                hasOpenReads
                        ? ambiguous(reads)
                        : verdicts.replay(verdicts.witness(order.commitStatus(), null, order.position()));
        };
    }

    /** Whether what counts is told by the transactions as they stand. */
    private boolean areOutcomesKnown() {
        byte unknown = TransactionStatus.INDETERMINATE.code();
        for (byte outcome : table.outcomes()) {
            if (outcome == unknown) {
                return false;
            }
        }
        return true;
    }

    private @Nullable Witness recorded() {
        phases.begin("guess");
        Witness recorded =
                RecordedOrder.serial(
                table, request.terms().orElseThrow(), request.time() != TimeMode.NONE, budget::exhausted);
        phases.end(recorded == null ? 0 : table.transactions());
        return recorded;
    }

    /** Where values repeat and what is certain has an order. */
    private Verdict ambiguous(ReadsFrom sources) {
        CheckRequest snapshots = new CheckRequest(
                IsolationLevel.SI,
                request.time(),
                request.clockSkewNanos(),
                request.indeterminate(),
                request.replayed(),
                request.mostViolations());
        Budget part = budget.part(MOST_ORDER_NANOS + ORDER_NANOS * table.operations());
        Verdict implied = new Decision(table, snapshots, Progress.NONE, part, Checkpoints.NONE).make(stages);
        Witness stronger = implied.witness();
        if (implied.status() == Verdict.Status.PASS && stronger != null) {
            return verdicts.pass(stronger);
        }
        WriterChoices.Result result = WriterChoices.search(
                sources, this::holds, Math.min(MOST_CHOICES, MOST_CHOICE_STEPS / (1 + table.operations())));
        if (budget.exhausted()) {
            return verdicts.exhausted();
        }
        return switch (result) {
            case HOLDS -> chosen();
            case FAILS -> violation(List.of(AxiomEvidence.ofChoices(sources)));
            case GIVEN_UP ->
                verdicts.unknown(
                        sources.open().length + " reads have several possible writers, too many to try them all; "
                                + request.level().title() + " is decided where written values are unique");
        };
    }

    /** A replay knows values only, so it may not see in the order of the choices what they were. */
    private Verdict chosen() {
        CommitOrder found = chosen;
        if (found != null) {
            phases.begin("replay");
            Witness witness = verdicts.witness(found.commitStatus(), null, found.position());
            boolean shown = Replay.of(witness).holds();
            phases.end(table.operations());
            if (shown) {
                return verdicts.pass(witness);
            }
        }
        boolean tried = request.replayed() && isTriedAgain();
        return verdicts.make(Verdict.of(Verdict.Status.PASS, request.level())
                .certificate(new Certificate(Certificate.CHOICES, null, tried)));
    }

    /** Whether independent code finds choices that hold too; a large history it is not asked. */
    private boolean isTriedAgain() {
        if (table.transactions() > BruteForce.TRANSACTIONS) {
            return false;
        }
        return switch (BruteForce.judge(table, request.terms().orElseThrow())) {
            case HOLDS -> true;
            case TOO_LARGE -> false;
            case VIOLATED -> throw new IllegalStateException("no choice of who read from whom explains the history");
        };
    }

    private boolean holds(HistoryTable history) {
        CommitOrder order = ordered(history, request, budget);
        chosen = order == null ? chosen : order;
        return order != null;
    }

    private static boolean holds(HistoryTable history, CheckRequest request, Budget budget) {
        budget.charge(PartChecker.looks(history, request.level()));
        return ordered(history, request, budget) != null;
    }

    private static @Nullable CommitOrder ordered(HistoryTable history, CheckRequest request, Budget budget) {
        CommitOrder order = CommitOrder.index(history, request.level(), IndexedHistory.Indeterminate.ABORT);
        return order.violations().isEmpty() && order.order(budget::exhausted) == CommitOrder.Result.ORDERED
                ? order
                : null;
    }

    /** Whether a part of a history is known to violate. */
    static boolean violates(HistoryTable part, CheckRequest request, Budget budget) {
        CommitOrder order = CommitOrder.index(part, request.level(), Decision.indeterminate(request));
        if (!order.violations().isEmpty()) {
            return true;
        }
        return switch (order.order(budget::exhausted)) {
            case REFUTED -> true;
            case STOPPED -> false;
            case ORDERED ->
                order.hasOpenReads()
                        && WriterChoices.search(order.readsFrom(), h -> holds(h, request, budget), MOST_CHOICES_OF_PART)
                                == WriterChoices.Result.FAILS
                        && !budget.exhausted();
        };
    }

    private Verdict violation(List<Violation> violations) {
        phases.begin("evidence");
        return verdicts.violation(violations);
    }
}
