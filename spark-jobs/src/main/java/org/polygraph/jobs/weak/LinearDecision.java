package org.polygraph.jobs.weak;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.judge.BruteForce;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.decision.PhaseClock;
import org.polygraph.jobs.decision.StrictDecision;
import org.polygraph.jobs.decision.Tuning;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.partitioner.index.ListAnomalies;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.linear.KeyOrders;
import org.polygraph.partitioner.linear.Linearizability;
import org.polygraph.partitioner.subhistory.WholeHistoryIds;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.ListVersions;

/**
 * Decides linearizability by key: finds an order for each key, or keys that have none, each with a sub-history that
 * has none either.
 */
public final class LinearDecision {
    /** The bytes to sort, place and replay an operation. */
    private static final long HELD_BYTES = 72;

    /** Larger sub-histories, which are not minimal, are not judged here. */
    private static final int MOST_JUDGED = 1_000;

    /** Of more transactions with lists none is left out. */
    private static final int MOST_SHRUNK = 100;

    private final Check check;
    private final HistoryTable table;
    private final CheckRequest request;
    private final PhaseClock phases;
    private final StrictDecision judge;

    private LinearDecision(Check check, Tuning tuning) {
        this.judge = new StrictDecision(check, tuning);
        this.check = check;
        this.table = check.table();
        this.request = check.request();
        this.phases = check.phases();
    }

    /** Decides one history. */
    public static Finding of(Check check, Tuning tuning) {
        return new LinearDecision(check, tuning).find();
    }

    private Finding find() {
        check.budget().require(table.arrayBytes(), HELD_BYTES * table.transactions(), "order");
        phases.begin("order");
        List<Violation> ofLists = ListAnomalies.ofSingle(table, request.indexing());
        if (!ofLists.isEmpty()) {
            phases.end(table.transactions());
            int most = Math.min(request.mostViolations(), ofLists.size());
            return violation(ofLists.subList(0, most), ofLists.subList(most, ofLists.size()));
        }
        KeyOrders orders = check.checkpoints().keyOrders();
        if (orders == null) {
            orders = orders(table);
            check.checkpoints().keepKeyOrders(orders);
        }
        Linearizability found = described(table, orders);
        check.uniqueValues(found.hasUniqueValues());
        phases.end(table.transactions());
        if (!found.violations().isEmpty()) {
            return violation(found.violations(), found.unexplained());
        }
        BudgetException open = found.open();
        if (open != null) {
            throw open;
        }
        Witness witness = new Witness(table, request.terms(), found.counted(), found.position());
        return new Finding.Order(witness, false);
    }

    private boolean maybe() {
        return request.indeterminate() == IndeterminateMode.MAYBE;
    }

    private KeyOrders orders(HistoryTable of) {
        return KeyOrders.of(of, request.clockSkewNanos(), maybe(), judge, check.budget()::exhausted);
    }

    private Linearizability described(HistoryTable of, KeyOrders orders) {
        return Linearizability.of(
                of,
                request.clockSkewNanos(),
                maybe(),
                orders,
                judge,
                request.mostViolations(),
                check.budget()::exhausted);
    }

    /** Judges sub-histories that are small enough once more, by code that knows only the definition. */
    private Finding violation(List<Violation> described, List<Violation> unexplained) {
        phases.begin("evidence");
        List<Violation> reported = new ArrayList<>();
        boolean isJudged = false;
        for (Violation each : described) {
            Violation violation = isOfList(each) ? ofLists(table, each) : each;
            SubHistory sub = violation.minimal();
            if (sub == null || sub.operations().length > MOST_JUDGED) {
                reported.add(violation);
                continue;
            }
            BruteForce.Answer answer = judged(table, sub);
            if (answer == BruteForce.Answer.HOLDS) {
                throw new IllegalStateException(
                        "the sub-history of " + violation.anomaly().label() + " has an order that explains it");
            }
            boolean violates = answer == BruteForce.Answer.VIOLATED;
            isJudged |= violates;
            if (reported.stream().noneMatch(other -> isSame(other, violation))) {
                reported.add(violation.shownBy(violates ? sub.judgedBy(SubHistory.Judge.BRUTE_FORCE) : sub));
            }
        }
        phases.end(reported.size());
        return new Finding.Violated(
                reported,
                unexplained,
                reported.size() + unexplained.size(),
                new Certificate("operations", null, isJudged));
    }

    private static boolean isSame(Violation one, Violation other) {
        return one.anomaly() == other.anomaly()
                && one.transactions().equals(other.transactions())
                && one.keys().equals(other.keys());
    }

    private boolean isOfList(Violation violation) {
        ListVersions versions = table.listVersions();
        return versions != null && versions.isList(violation.keys().get(0));
    }

    private BruteForce.Answer judged(HistoryTable whole, SubHistory sub) {
        return BruteForce.judge(HistorySelection.of(whole, sub.operations()).table(), request.terms());
    }

    /**
     * The violation as a few transactions with lists show it alone. Lists state the order of appends, so a part without
     * some of them has more orders, and perhaps another violation.
     */
    private Violation ofLists(HistoryTable whole, Violation violation) {
        SubHistory sub = violating(whole, violation);
        if (sub == null) {
            return violation.shownBy(null);
        }
        HistorySelection alone = HistorySelection.of(whole, sub.operations());
        List<Violation> again = ListAnomalies.ofSingle(alone.table(), request.indexing());
        if (again.isEmpty()) {
            again = described(alone.table(), orders(alone.table())).violations();
        }
        boolean isSame = !again.isEmpty()
                && again.get(0).anomaly() == violation.anomaly()
                && new IntArrayList(sub.transactions()).containsAll(violation.transactions());
        return again.isEmpty() || isSame
                ? violation.shownBy(sub)
                : new WholeHistoryIds(alone).of(ofLists(alone.table(), again.get(0)));
    }

    /**
     * Transactions that have no order: those that a violation names, these with the appends of what they read, or some of
     * its key, of which none can be left out with those that read its appends.
     *
     * @return null if those of the key are too many to judge
     */
    private @Nullable SubHistory violating(HistoryTable whole, Violation violation) {
        SubHistory named = violation.minimal();
        if (named != null && judged(whole, named) == BruteForce.Answer.VIOLATED) {
            return named;
        }
        BitSet of = new BitSet();
        violation.transactions().forEach(of::set);
        addAppends(whole, of);
        if (violates(whole, of)) {
            return sub(whole, of, false);
        }
        int key = violation.keys().get(0);
        for (int t = 0; t < whole.transactions(); t++) {
            if (whole.firstOperation(t) < whole.operationsEnd(t) && whole.key(whole.firstOperation(t)) == key) {
                of.set(t);
            }
        }
        if (!violates(whole, of)) {
            return null;
        }
        boolean minimal = of.cardinality() <= MOST_SHRUNK;
        for (int before = 0; minimal && before != of.cardinality(); ) {
            before = of.cardinality();
            for (int t = of.length() - 1; t >= 0 && minimal; t = of.previousSetBit(t - 1)) {
                BitSet left = (BitSet) of.clone();
                left.clear(t);
                addAppends(whole, left);
                of = !left.get(t) && violates(whole, left) ? left : of;
                minimal = !check.budget().exhausted();
            }
        }
        return sub(whole, of, minimal);
    }

    /** Adds the transactions that appended what others of a set read. */
    private static void addAppends(HistoryTable whole, BitSet to) {
        ListVersions versions = Objects.requireNonNull(whole.listVersions(), "lists");
        HistoryTable recorded = versions.recorded();
        for (int before = 0; before != to.cardinality(); ) {
            before = to.cardinality();
            for (int t = to.nextSetBit(0); t >= 0; t = to.nextSetBit(t + 1)) {
                for (int o = recorded.firstOperation(t); o < recorded.operationsEnd(t); o++) {
                    for (long element : versions.isRead(o) ? versions.elements(o) : new long[0]) {
                        int append = versions.append(recorded.key(o), element);
                        if (append != ListVersions.NONE) {
                            to.set(versions.transaction(append));
                        }
                    }
                }
            }
        }
    }

    private boolean violates(HistoryTable whole, BitSet transactions) {
        SubHistory sub = sub(whole, transactions, false);
        return sub.operations().length > 0
                && sub.operations().length <= MOST_JUDGED
                && judged(whole, sub) == BruteForce.Answer.VIOLATED;
    }

    private static SubHistory sub(HistoryTable whole, BitSet transactions, boolean minimal) {
        int[] operations = transactions.stream()
                .flatMap(t -> IntStream.range(whole.firstOperation(t), whole.operationsEnd(t)))
                .toArray();
        return new SubHistory(transactions.stream().toArray(), operations, minimal, SubHistory.Judge.CHECKER);
    }
}
