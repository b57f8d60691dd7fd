package org.polygraph.partitioner.linear;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Linearizability (Herlihy and Wing, TOPLAS 12(3), 1990), which is local: a history has it iff each key has it, so keys are
 * decided one by one ({@link KeyOrders}), and this puts together what came of them. Each operation takes effect at one point
 * between its start and its end; one of unknown outcome may do so at any time after its start. Sessions play no part: who
 * overlaps is not ordered.
 */
public final class Linearizability {
    private final HistoryTable table;
    private final KeyOrders orders;
    private final int[] position;
    private final boolean[] counted;
    private final List<Violation> violations = new ArrayList<>();
    private int violated;
    private @Nullable String open;

    private Linearizability(HistoryTable table, KeyOrders orders) {
        this.table = table;
        this.orders = orders;
        this.position = new int[table.transactions()];
        this.counted = new boolean[table.transactions()];
    }

    /** What keeps a history from being judged: the first transaction that is no operation with times; null if nothing does. */
    public static @Nullable HistoryException problem(HistoryTable table) {
        return RecordedOperations.problem(table);
    }

    /**
     * Puts keys together.
     *
     * @param orders of the table's keys, with the same skew and the same of {@code maybe}
     * @param most violations to tell
     * @param stop asked now and then; true ends the telling of violations: their parts are not minimal
     */
    public static Linearizability of(
            HistoryTable table, long skewNanos, boolean maybe, KeyOrders orders, int most, BooleanSupplier stop) {
        Linearizability result = new Linearizability(table, orders);
        result.place();
        result.tell(new RecordedOperations(table, skewNanos, maybe), most, stop);
        return result;
    }

    /** One a key that has no order, as far as they are told. */
    public List<Violation> violations() {
        return violations;
    }

    /** How many keys have no order. */
    public int violated() {
        return violated;
    }

    /** Whether no key has a value that is written twice, or written and initial. */
    public boolean hasUniqueValues() {
        return orders.hasUniqueValues();
    }

    /** Why some key was not decided; null if all were. */
    public @Nullable String open() {
        return open;
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

    private void tell(RecordedOperations recorded, int most, BooleanSupplier stop) {
        BitSet told = new BitSet();
        int left = -1;
        for (int key = 0; key < orders.keys(); key++) {
            if (orders.isViolated(key)) {
                if (violated++ < most) {
                    told.set(key);
                }
            } else if (!orders.isOrdered(key)) {
                left = key;
            }
        }
        if (violated == 0 && left >= 0) {
            told.set(left);
        }
        if (told.isEmpty()) {
            return;
        }
        KeyEvidence evidence = new KeyEvidence(recorded, told, stop);
        if (violated == 0) {
            open = "key " + table.keys().label(left) + ": too many of its " + evidence.operations(left)
                    + " operations overlap, and their values repeat or a refused cas leaves several orders; level lin is"
                    + " linear where written values are unique";
            return;
        }
        for (int key = told.nextSetBit(0); key >= 0; key = told.nextSetBit(key + 1)) {
            violations.add(evidence.of(orders, key));
        }
    }
}
