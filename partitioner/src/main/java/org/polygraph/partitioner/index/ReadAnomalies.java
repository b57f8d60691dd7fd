package org.polygraph.partitioner.index;

import java.util.ArrayList;
import java.util.List;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.columnar.HistoryTable;

/**
 * Names what is wrong with a single read. Slow by intent (a pass over the history each): it runs only for the few reads
 * that are reported.
 */
final class ReadAnomalies {
    private final HistoryTable table;
    private final Counting counting;

    ReadAnomalies(HistoryTable table, Counting counting) {
        this.table = table;
        this.counting = counting;
    }

    /** A read that contradicts its own transaction's earlier write or read of the key. */
    Violation inconsistent(int transaction, int operation) {
        int key = table.operationKeys()[operation] >>> 1;
        long value = table.operationValues()[operation];
        int own = -1;
        int earlier = -1;
        boolean overwritten = false;
        for (int o = table.operationStarts()[transaction]; o < operation; o++) {
            if (table.operationKeys()[o] >>> 1 == key) {
                if ((table.operationKeys()[o] & 1) != 0) {
                    overwritten |= table.operationValues()[o] == value;
                    own = o;
                } else if (own < 0) {
                    earlier = o;
                }
            }
        }
        String read = "read " + label(key, value);
        if (own < 0) {
            return violation(
                    Anomaly.NON_REPEATABLE_READ,
                    transaction,
                    key,
                    read + " after it had read " + table.values().label(table.operationValues()[earlier])
                            + " from the same key");
        }
        return violation(
                overwritten ? Anomaly.NOT_MY_LAST_WRITE : Anomaly.NOT_MY_OWN_WRITE,
                transaction,
                key,
                read + " after its own write of " + table.values().label(table.operationValues()[own]));
    }

    /** An external read that has no counted final writer. */
    Violation impossible(int key, int transaction) {
        return impossible(externalRead(key, transaction), key, transaction);
    }

    /** The same, told by its operation. */
    Violation impossible(int read) {
        int transaction = 0;
        while (table.operationStarts()[transaction + 1] <= read) {
            transaction++;
        }
        return impossible(read, table.operationKeys()[read] >>> 1, transaction);
    }

    private Violation impossible(int read, int key, int transaction) {
        long value = table.operationValues()[read];
        String what = "read " + label(key, value) + ", ";
        for (int o = read + 1; o < table.operationStarts()[transaction + 1]; o++) {
            if (isWrite(o, key, value)) {
                return violation(Anomaly.FUTURE_READ, transaction, key, what + "which it wrote itself only later");
            }
        }
        int aborted = -1;
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.operationStarts()[t]; o < table.operationStarts()[t + 1]; o++) {
                if (isWrite(o, key, value)) {
                    if (counting.of(t) == Counting.DROPPED) {
                        aborted = t;
                    } else {
                        return violation(
                                Anomaly.INTERMEDIATE_READ,
                                transaction,
                                t,
                                key,
                                what + "which its writer overwrote before it committed");
                    }
                }
            }
        }
        if (aborted >= 0) {
            return violation(
                    Anomaly.ABORTED_READ,
                    transaction,
                    aborted,
                    key,
                    what + "which only a transaction wrote that is "
                            + table.outcome(aborted).label() + " and cannot have committed");
        }
        return violation(Anomaly.THIN_AIR_READ, transaction, key, what + "which no transaction wrote");
    }

    private int externalRead(int key, int transaction) {
        for (int o = table.operationStarts()[transaction]; o < table.operationStarts()[transaction + 1]; o++) {
            if (table.operationKeys()[o] == key << 1) {
                return o;
            }
        }
        throw new IllegalStateException("transaction " + transaction + " does not read key " + key);
    }

    private boolean isWrite(int operation, int key, long value) {
        return table.operationKeys()[operation] == (key << 1 | 1) && table.operationValues()[operation] == value;
    }

    private String label(int key, long value) {
        return table.values().label(value) + " from key " + table.keys().label(key);
    }

    private static Violation violation(Anomaly anomaly, int transaction, int key, String detail) {
        return new Violation(anomaly, List.of(transaction), List.of(key), List.of(), detail);
    }

    private static Violation violation(Anomaly anomaly, int transaction, int other, int key, String detail) {
        List<Integer> transactions = new ArrayList<>();
        transactions.add(transaction);
        if (other != transaction) {
            transactions.add(other);
        }
        return new Violation(anomaly, transactions, List.of(key), List.of(), detail);
    }
}
