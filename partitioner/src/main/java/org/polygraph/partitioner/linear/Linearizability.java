package org.polygraph.partitioner.linear;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Linearizability (Herlihy and Wing, TOPLAS 12(3), 1990), which is local: a history is linearizable iff the
 * operations of each key are. Keys are decided one by one ({@link KeyOrders}), and this class combines the results.
 * Each operation takes effect at one point between its start and its end; one of unknown outcome may take effect at
 * any time after its start. Session order is not required: operations that overlap are not ordered.
 */
public final class Linearizability {
    private final HistoryTable table;
    private final KeyOrders orders;
    private final int[] position;
    private final boolean[] counted;
    private final List<Violation> violations = new ArrayList<>();
    private final List<Violation> unexplained = new ArrayList<>();

    private Linearizability(HistoryTable table, KeyOrders orders) {
        this.table = table;
        this.orders = orders;
        this.position = new int[table.transactions()];
        this.counted = new boolean[table.transactions()];
    }

    /**
     * Why a history cannot be judged: the first transaction that is not one operation with times; null if there is
     * none.
     */
    public static @Nullable HistoryException problem(HistoryTable table) {
        return RecordedOperations.problem(table);
    }

    /**
     * Combines the results of all keys.
     *
     * @param orders of the keys of the table, found with the same skew and the same {@code maybe}
     * @param stop whether the budget has ended; sub-histories are then not minimal
     */
    public static Linearizability of(
            HistoryTable table,
            long skewNanos,
            boolean maybe,
            KeyOrders orders,
            StrictJudge judge,
            int most,
            BooleanSupplier stop) {
        Linearizability result = new Linearizability(table, orders);
        result.place();
        result.describe(new RecordedOperations(table, skewNanos, maybe), judge, most, stop);
        return result;
    }

    /** The violations that are described, one per key. */
    public List<Violation> violations() {
        return violations;
    }

    /** The violations of further keys, without sub-histories. */
    public List<Violation> unexplained() {
        return unexplained;
    }

    /** Whether no key has a value that is written twice, or written and initial. */
    public boolean hasUniqueValues() {
        return orders.hasUniqueValues();
    }

    /** Why some key was not decided; null if all were. */
    public @Nullable BudgetException open() {
        return orders.ended();
    }

    /** By transaction: its place, key after key; of those that are {@link #counted}. */
    public int[] position() {
        return position;
    }

    /** By transaction: whether it took effect. */
    public boolean[] counted() {
        return counted;
    }

    /** Orders key after key, then committed transactions without operations. */
    private void place() {
        int placed = 0;
        for (int key = 0; key < orders.keys(); key++) {
            for (int i = 0; orders.isOrdered(key) && i < orders.count(key); i++) {
                int t = orders.transaction(orders.first(key) + i);
                counted[t] = true;
                position[t] = placed++;
            }
        }
        for (int t = 0; t < position.length; t++) {
            if (table.firstOperation(t) == table.operationsEnd(t) && table.status(t) == TransactionStatus.COMMITTED) {
                counted[t] = true;
                position[t] = placed++;
            }
        }
    }

    private void describe(RecordedOperations recorded, StrictJudge judge, int most, BooleanSupplier stop) {
        BitSet described = new BitSet();
        for (int key = 0; key < orders.keys(); key++) {
            if (orders.isViolated(key)) {
                if (described.cardinality() < most) {
                    described.set(key);
                } else {
                    unexplained.add(unexplained(recorded, key));
                }
            }
        }
        if (described.isEmpty()) {
            return;
        }
        KeyEvidence evidence = new KeyEvidence(recorded, described, judge, stop);
        for (int key = described.nextSetBit(0); key >= 0; key = described.nextSetBit(key + 1)) {
            violations.add(evidence.of(orders, key));
        }
    }

    private Violation unexplained(RecordedOperations recorded, int key) {
        List<Integer> transactions = new ArrayList<>();
        for (int i = 0; i < orders.count(key); i++) {
            transactions.add(orders.transaction(orders.first(key) + i));
        }
        Anomaly anomaly = orders.anomaly(key);
        boolean aborted = anomaly == Anomaly.THIN_AIR_READ && recorded.isDropped(transactions.get(0));
        return new Violation(aborted ? Anomaly.ABORTED_READ : anomaly, transactions, List.of(key), List.of(), "");
    }
}
