package org.polygraph.partitioner.linear;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.function.BooleanSupplier;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.storage.artifact.ArrayFile;
import org.polygraph.storage.table.HistoryTable;

/**
 * The result for each key: an order, or operations that have none. {@link KeyOrder} decides keys whose values are
 * unique, in linear time apart from sorting; {@link KeySearch} decides the others.
 *
 * <p>Memory: 5 bytes per key, 4 per operation.
 */
public final class KeyOrders {
    /** The most steps of the search of one key. */
    private static final int MOST_STEPS = 4_000_000;

    private static final int CHECK_EVERY = 1 << 10;

    /** There is an order; also for keys without operations. */
    static final byte ORDERED = 0;
    /** The search gave up, or the budget ended before the key was decided. */
    static final byte OPEN = 1;
    /** There is no order; the anomaly's ordinal is added. */
    private static final byte VIOLATED = 2;

    private static final String RESULTS = "keyResults";
    private static final String STARTS = "keyStarts";
    private static final String TRANSACTIONS = "keyTransactions";
    private static final String UNIQUE = "uniqueValues";

    private static final Anomaly[] ANOMALIES = Anomaly.values();

    private final byte[] results;
    /** Key k has transactions[starts[k] .. starts[k + 1]). */
    private final int[] starts;

    private final IntArrayList transactions;
    private int done;
    private boolean uniqueValues = true;

    /** Starts without keys. Keys are added in turn. */
    KeyOrders(int keys, int operations) {
        results = new byte[keys];
        starts = new int[keys + 1];
        transactions = new IntArrayList(operations);
    }

    /**
     * Orders all keys of a history.
     *
     * @param table without a {@link Linearizability#problem}
     * @param maybe whether unknown outcomes may have taken effect; else they did not
     * @param stop whether the budget has ended; the remaining keys are then left open
     */
    public static KeyOrders of(HistoryTable table, long skewNanos, boolean maybe, BooleanSupplier stop) {
        return of(LinearOperations.of(new RecordedOperations(table, skewNanos, maybe), null), stop);
    }

    /** Adds them to a checkpoint or scratch file. */
    public void saveTo(ArrayFile file) {
        file.put(RESULTS, results)
                .put(STARTS, starts)
                .put(TRANSACTIONS, transactions.toIntArray())
                .put(UNIQUE, new byte[] {(byte) (uniqueValues ? 1 : 0)});
    }

    /**
     * The inverse of {@link #saveTo}.
     *
     * @throws ArrayFile.DamagedException if they are of another history
     */
    public static KeyOrders of(HistoryTable table, ArrayFile file) throws ArrayFile.DamagedException {
        byte[] results = file.bytes(RESULTS);
        int[] starts = file.ints(STARTS);
        int[] transactions = file.ints(TRANSACTIONS);
        byte[] unique = file.bytes(UNIQUE);
        int keys = table.keys().size();
        boolean fits = results.length == keys && starts.length == keys + 1 && unique.length == 1 && starts[0] == 0;
        for (int k = 0; fits && k < keys; k++) {
            fits = starts[k] <= starts[k + 1] && results[k] >= 0 && results[k] < VIOLATED + ANOMALIES.length;
        }
        for (int i = 0; fits && i < transactions.length; i++) {
            fits = transactions[i] >= 0 && transactions[i] < table.transactions();
        }
        if (!fits || starts[keys] != transactions.length) {
            throw new ArrayFile.DamagedException("found orders of keys of another history");
        }
        KeyOrders orders = new KeyOrders(keys, 0);
        System.arraycopy(results, 0, orders.results, 0, keys);
        System.arraycopy(starts, 0, orders.starts, 0, keys + 1);
        orders.transactions.addElements(0, transactions);
        orders.done = keys;
        orders.uniqueValues = unique[0] != 0;
        return orders;
    }

    /** Whether no key is open. */
    public boolean isComplete() {
        for (byte result : results) {
            if (result == OPEN) {
                return false;
            }
        }
        return true;
    }

    static KeyOrders of(LinearOperations all, BooleanSupplier stop) {
        KeyOrders result = new KeyOrders(all.keys(), all.transactions.length);
        boolean stopped = false;
        IntArrayList none = new IntArrayList();
        for (int key = 0; key < all.keys(); key++) {
            stopped = stopped || (key % CHECK_EVERY == 0 && stop.getAsBoolean());
            if (stopped) {
                result.add(OPEN, all, none);
            } else if (all.keyStarts[key] == all.keyStarts[key + 1]) {
                result.add(ORDERED, all, none);
            } else {
                result.decide(all, key, stop);
            }
        }
        return result;
    }

    private void decide(LinearOperations all, int key, BooleanSupplier stop) {
        KeyOrder order = new KeyOrder(all, key);
        KeyResult result = order.run();
        uniqueValues &= !order.repeats();
        switch (result) {
            case ORDERED -> add(ORDERED, all, order.order());
            case VIOLATED -> add(violated(order.anomaly()), all, order.offending());
            case OPEN -> search(all, key, stop);
        }
    }

    private void search(LinearOperations all, int key, BooleanSupplier stop) {
        KeySearch search = new KeySearch(all, all.ofKey(key), MOST_STEPS, stop);
        switch (search.run()) {
            case ORDERED -> add(ORDERED, all, search.order());
            case OPEN -> add(OPEN, all, new IntArrayList());
            case VIOLATED -> {
                int impossible = impossibleRead(all, key);
                add(
                        violated(impossible >= 0 ? Anomaly.THIN_AIR_READ : Anomaly.NO_VALID_ORDER),
                        all,
                        IntArrayList.of(impossible >= 0 ? impossible : search.failed()));
            }
        }
    }

    /** A committed operation that read a value which no other operation wrote, or -1. */
    private static int impossibleRead(LinearOperations all, int key) {
        LongOpenHashSet written = new LongOpenHashSet();
        written.add(all.initialValue(key));
        for (int o = all.keyStarts[key]; o < all.keyStarts[key + 1]; o++) {
            if (all.isWrite(o) && !(all.isRead(o) && all.read(o) == all.written(o))) {
                written.add(all.written(o));
            }
        }
        for (int o = all.keyStarts[key]; o < all.keyStarts[key + 1]; o++) {
            if (all.isRead(o) && !all.isMaybe(o) && !written.contains(all.read(o))) {
                return o;
            }
        }
        return -1;
    }

    private static byte violated(Anomaly anomaly) {
        return (byte) (VIOLATED + anomaly.ordinal());
    }

    private void add(byte result, LinearOperations all, IntArrayList operations) {
        for (int i = 0; i < operations.size(); i++) {
            transactions.add(all.transactions[operations.getInt(i)]);
        }
        results[done++] = result;
        starts[done] = transactions.size();
    }

    int keys() {
        return results.length;
    }

    boolean isOrdered(int key) {
        return results[key] == ORDERED;
    }

    boolean isViolated(int key) {
        return results[key] >= VIOLATED;
    }

    /** The anomaly of a violated key. */
    Anomaly anomaly(int key) {
        return ANOMALIES[results[key] - VIOLATED];
    }

    int first(int key) {
        return starts[key];
    }

    int count(int key) {
        return starts[key + 1] - starts[key];
    }

    /** From {@link #first} on: the transactions of an order, or those that have none. */
    int transaction(int place) {
        return transactions.getInt(place);
    }

    /** Whether no key has a value that is written twice, or written and initial. */
    boolean hasUniqueValues() {
        return uniqueValues;
    }
}
