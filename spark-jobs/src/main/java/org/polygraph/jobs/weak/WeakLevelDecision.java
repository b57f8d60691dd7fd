package org.polygraph.jobs.weak;

import it.unimi.dsi.fastutil.HashCommon;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.replay.Replay;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Decision;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.decision.PhaseClock;
import org.polygraph.jobs.decision.Strategy;
import org.polygraph.jobs.decision.Tuning;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.partitioner.axiom.Axiom;
import org.polygraph.partitioner.axiom.CausalAxiom;
import org.polygraph.partitioner.axiom.CommitOrder;
import org.polygraph.partitioner.evidence.AxiomEvidence;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.solver.CommitOutcome;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.SplitTransactions;

/**
 * Decides CC, RA, RC and PL2: by a serial order near the recorded one ({@link RecordedOrder}), else by the edges that
 * the {@link Axiom} demands and an order that extends them. There are no rounds.
 *
 * <p>Exact if every read has one possible writer. Reads with several are open and at first ignored, so a violation
 * without them is final. Otherwise the solver decides, whose variables are the writers of open reads ({@link
 * ChoiceSolving}). If it does not within a second, prefix consistency is tried ({@link SplitTransactions}), which
 * implies these levels, so its PASS is final, first by an order near the recorded one; then the solver goes on.
 */
public final class WeakLevelDecision {
    /** CPU time for prefix consistency, whose rules take about 4 us per operation. */
    private static final long MOST_ORDER_NANOS = 20_000_000_000L;

    private static final long ORDER_NANOS = 5_000;

    /** CPU time for a first search of the solver, which decides small histories. */
    private static final long SHORT_NANOS = 1_000_000_000L;

    private static final long SHORT_NANOS_OF_OPERATION = 2_000;

    /**
     * The part of that time before a first order is repaired. 300,000 transactions with inserts and deletes of a
     * serializable store, 1,000 keys: cc 25.5 CPU-s without this order and 9.2 with it, rc 23.6 and 8.9.
     */
    private static final int FIRST_SEARCH = 5;

    /** The writes of about so many operations are compared at once. */
    private static final int MOST_HELD = 1 << 23;

    private static final long SOLVER_BYTES = 256L << 20;

    /** The stop of the index of a sub-history: the budget is charged for it and must not count more. */
    private static final BooleanSupplier CHARGED = () -> false;

    /** The bytes of index and edges for each operation. */
    private static final long HELD_BYTES = 40;

    private final Check check;
    private final HistoryTable table;
    private final CheckRequest request;
    private final Budget budget;
    private final PhaseClock phases;

    private WeakLevelDecision(Check check) {
        this.check = check;
        this.table = check.table();
        this.request = check.request();
        this.budget = check.budget();
        this.phases = check.phases();
    }

    /** Decides one history. */
    public static Finding of(Check check) {
        return new WeakLevelDecision(check).find();
    }

    private Finding find() {
        boolean causal = request.level() == IsolationLevel.CC;
        long held = table.arrayBytes() + HELD_BYTES * table.operations();
        if (budget.fits(held, 0) && areOutcomesKnown()) {
            Witness recorded = recorded();
            if (recorded != null) {
                check.uniqueValues(areDistinct(table));
                return new Finding.Order(recorded, true);
            }
        }
        phases.begin("index");
        CommitOrder order = CommitOrder.index(table, request.level(), request.indexing(), budget::exhausted);
        phases.end(table.operations());
        if (!order.violations().isEmpty()) {
            return violation(order.violations());
        }
        boolean hasOpenReads = order.hasOpenReads();
        check.uniqueValues(!hasOpenReads);
        budget.require(held, causal ? CausalAxiom.leastBytes(table.transactions()) : 0, "order");
        phases.begin("order");
        boolean isOrdered = order.order(budget.bytes() - held, budget::exhausted);
        phases.end(order.graph().edges());
        if (!isOrdered) {
            check.refuted(Finding.Refuted.unexplained());
            return violation(new AxiomEvidence(order, budget::exhausted).violations());
        }
        return hasOpenReads
                ? ambiguous(order)
                : ordered(order, null, order.position(), order.readsFrom().sources());
    }

    /**
     * Whether no key gets one value twice (dropped transactions included) and no write has the initial value. Writes are
     * compared by hashes of 64 bits, so the answer is one-sided: "no" may be wrong.
     */
    static boolean areDistinct(HistoryTable table) {
        if (table.initialState() != null) {
            return false;
        }
        int parts = Integer.highestOneBit(1 + table.operations() / MOST_HELD);
        for (int part = 0; part < parts; part++) {
            LongOpenHashSet seen = new LongOpenHashSet(table.operations() / parts / 2);
            for (int o = 0; o < table.operations(); o++) {
                if (table.isWrite(o)) {
                    long value = table.value(o);
                    long hash = HashCommon.mix(value + HashCommon.mix(table.key(o)));
                    if (value == table.initialValue() || ((hash & parts - 1) == part && !seen.add(hash))) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    /** Whether no transaction has an unknown outcome. */
    private boolean areOutcomesKnown() {
        byte unknown = TransactionStatus.INDETERMINATE.code();
        for (byte outcome : table.statuses()) {
            if (outcome == unknown) {
                return false;
            }
        }
        return true;
    }

    private @Nullable Witness recorded() {
        phases.begin("guess");
        Witness recorded =
                RecordedOrder.serial(table, request.terms(), request.time() != TimeMode.NONE, budget::exhausted);
        phases.end(recorded == null ? 0 : table.transactions());
        return recorded;
    }

    /** Decides open reads, if there is an order without them. */
    private Finding ambiguous(CommitOrder order) {
        phases.begin("guess");
        int[] near = RecordedOrder.near(table, order.graph(), request.time() != TimeMode.NONE);
        long nanos = SHORT_NANOS + SHORT_NANOS_OF_OPERATION * table.operations();
        ChoiceSolving last = near == null ? null : ChoiceSolving.ofLastWriters(order, near);
        if (last != null) {
            phases.end(table.operations());
            if (solved(last, budget.atMost(nanos)) instanceof CommitOutcome.Ordered ordered) {
                return ordered(order, last.committed(ordered), ordered.position(), last.sources(ordered));
            }
            phases.begin("guess");
        }
        ChoiceSolving choices = new ChoiceSolving(order, near == null ? order.position() : near);
        phases.end(table.operations());
        CommitOutcome found = solved(choices, budget.atMost(nanos / FIRST_SEARCH));
        for (boolean byRules : new boolean[] {false, true}) {
            if (found instanceof CommitOutcome.Unknown) {
                Witness snapshots = ofSnapshots(byRules);
                if (snapshots != null) {
                    return new Finding.Order(snapshots, true);
                }
                found = solved(choices, byRules ? budget : budget.atMost(nanos));
            }
        }
        if (found instanceof CommitOutcome.Ordered ordered) {
            return ordered(order, choices.committed(ordered), ordered.position(), choices.sources(ordered));
        }
        if (found instanceof CommitOutcome.Refuted refuted) {
            check.refuted(Finding.Refuted.unexplained());
            return violation(List.of(AxiomEvidence.ofChoices(refuted.transactions(), refuted.keys())));
        }
        throw new BudgetException(((CommitOutcome.Unknown) found).why());
    }

    private CommitOutcome solved(ChoiceSolving choices, Budget share) {
        phases.begin("solve");
        long held = table.arrayBytes() + HELD_BYTES * table.operations();
        CommitOutcome found = choices.solve(share::exhausted, Math.max(0, budget.bytes() - held));
        phases.end(table.operations());
        budget.require();
        return found;
    }

    /**
     * An order of snapshots and commits in which each read returns the last write before its snapshot; null if none is
     * found. It is the order of a serializable history of split transactions.
     *
     * @param byRules false: only first orders are repaired
     */
    private @Nullable Witness ofSnapshots(boolean byRules) {
        SplitTransactions split = SplitTransactions.of(table);
        CheckRequest serial = new CheckRequest(
                IsolationLevel.SER,
                request.time(),
                request.clockSkewNanos(),
                request.indeterminate(),
                false,
                request.mostViolations());
        Budget share = budget.atMost(MOST_ORDER_NANOS + ORDER_NANOS * table.operations());
        Check halves = new Check(split.table(), serial, share);
        Finding found = Strategy.optional(
                        budget, () -> byRules ? Decision.of(halves, Tuning.DEFAULT) : Decision.ofFirstOrder(halves))
                .find();
        if (!(found instanceof Finding.Order order)) {
            return null;
        }
        int[] wholes = split.wholes();
        int[] halfAt = new int[wholes.length];
        Arrays.fill(halfAt, -1);
        for (int half = 0; half < wholes.length; half++) {
            if (order.witness().counted()[half]) {
                halfAt[order.witness().position()[half]] = half;
            }
        }
        boolean[] counted = new boolean[table.transactions()];
        int[] position = new int[2 * table.transactions()];
        int place = 0;
        for (int half : halfAt) {
            if (half >= 0) {
                int t = wholes[half];
                counted[t] = true;
                // A transaction that is not split takes two places here.
                if (half == 0 || wholes[half - 1] != t) {
                    position[2 * t] = place++;
                }
                if (half + 1 == wholes.length || wholes[half + 1] != t) {
                    position[2 * t + 1] = place++;
                }
            }
        }
        Terms terms = new Terms(Guarantee.PC, request.clockSkewNanos(), request.indeterminate());
        Witness witness = new Witness(table, terms, counted, position);
        return Replay.of(witness).holds() ? witness : null;
    }

    /** @param committed by transaction: whether it was chosen to have committed; null for none */
    private Finding ordered(CommitOrder order, boolean @Nullable [] committed, int[] position, int[] sources) {
        Witness witness = check.witness(order.commitStatus(), committed, position);
        return new Finding.Order(witness.with(StatedSources.of(table, witness.counted(), position, sources)), false);
    }

    /** Whether the history violates the level of the request; false if the budget ends before that is known. */
    public static boolean violates(HistoryTable table, CheckRequest request, Budget budget) {
        CommitOrder order = CommitOrder.index(table, request.level(), request.indexing(), CHARGED);
        try {
            return !order.violations().isEmpty()
                    || !order.order(Long.MAX_VALUE, budget::exhausted)
                    || (order.hasOpenReads()
                            && new ChoiceSolving(order, order.position()).solve(budget::exhausted, SOLVER_BYTES)
                                    instanceof CommitOutcome.Refuted);
        } catch (BudgetException e) {
            if (!budget.exhausted()) {
                throw e;
            }
            return false;
        }
    }

    private Finding violation(List<Violation> violations) {
        phases.begin("evidence");
        return new Finding.Refuted(violations);
    }
}
