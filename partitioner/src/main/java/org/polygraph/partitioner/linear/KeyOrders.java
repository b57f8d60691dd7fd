package org.polygraph.partitioner.linear;

import it.unimi.dsi.fastutil.ints.Int2ObjectLinkedOpenHashMap;
import it.unimi.dsi.fastutil.ints.Int2ObjectMap;
import it.unimi.dsi.fastutil.ints.Int2ObjectMaps;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import java.io.Serializable;
import java.util.BitSet;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.storage.artifact.ObjectFile;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.StoppedException;
import org.polygraph.storage.table.HistoryTable;

/**
 * The result for each key: an order, or operations that have none. {@link KeyOrder} decides keys whose values are
 * unique, in linear time apart from sorting; the others are decided together, as strict serializability of their operations
 * ({@link StrictHistory}), beginning with a {@link GuessedOrder}.
 *
 * <p>Memory: 9 bytes per key, 4 per operation.
 */
public final class KeyOrders implements Serializable {
    private static final long serialVersionUID = 1L;
    private static final int CHECK_EVERY = 1 << 10;

    /** There is an order; also for keys without operations. */
    static final byte ORDERED = 0;
    /** The budget ended before the key was decided. */
    static final byte OPEN = 1;
    /** There is no order; the anomaly's ordinal is added. */
    private static final byte VIOLATED = 2;

    private static final Anomaly[] ANOMALIES = Anomaly.values();

    private final byte[] results;
    /** Key k has transactions[starts[k] .. starts[k] + counts[k]). */
    private final int[] starts;

    private final int[] counts;
    private final IntArrayList transactions;
    private @Nullable BudgetException ended;
    private boolean uniqueValues = true;

    KeyOrders(int keys, int operations) {
        results = new byte[keys];
        starts = new int[keys];
        counts = new int[keys];
        transactions = new IntArrayList(operations);
    }

    /**
     * Orders all keys of a history.
     *
     * @param table without a {@link Linearizability#problem}
     * @param maybe whether unknown outcomes may have taken effect; else they did not
     * @param judge decides keys whose values repeat
     * @throws StoppedException if it is to stop
     */
    public static KeyOrders of(
            HistoryTable table, long skewNanos, boolean maybe, StrictJudge judge, BooleanSupplier stop) {
        return of(LinearOperations.of(new RecordedOperations(table, skewNanos, maybe), null), judge, stop);
    }

    /** Returns them if they are of a history. @throws ObjectFile.DamagedException if they are of another one */
    public KeyOrders of(HistoryTable table) throws ObjectFile.DamagedException {
        boolean fits = results.length == table.keys().size();
        for (int k = 0; fits && k < results.length; k++) {
            fits = starts[k] >= 0 && counts[k] >= 0 && starts[k] <= transactions.size() - counts[k];
        }
        if (!fits || transactions.intStream().anyMatch(t -> t < 0 || t >= table.transactions())) {
            throw new ObjectFile.DamagedException("found orders of keys of another history");
        }
        return this;
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

    static KeyOrders of(LinearOperations all, StrictJudge judge, BooleanSupplier stop) {
        KeyOrders result = new KeyOrders(all.keys(), all.transactions.length);
        LinearOperations soon = all.hasMaybe() ? all.soonOrNever() : all;
        Int2ObjectMap<IntArrayList> open = new Int2ObjectLinkedOpenHashMap<>();
        for (int key = 0; key < all.keys(); key++) {
            if (key % CHECK_EVERY == 0) {
                StoppedException.check(stop);
            }
            if (all.keyStarts[key] < all.keyStarts[key + 1]) {
                result.decide(all, key, open, soon);
            }
        }
        result.decide(all, soon, open, judge);
        return result;
    }

    /** Decides a key by the rules for unique values, or adds it to the open ones with an order to try first. */
    private void decide(LinearOperations all, int key, Int2ObjectMap<IntArrayList> open, LinearOperations soon) {
        KeyOrder order = new KeyOrder(all, key);
        KeyResult result = order.run();
        uniqueValues &= !order.repeats();
        switch (result) {
            case ORDERED -> set(key, ORDERED, all, order.order());
            case VIOLATED -> set(key, violated(order.anomaly()), all, order.offending());
            case OPEN -> {
                results[key] = OPEN;
                open.put(key, order.repeats() ? new GuessedOrder(soon, key).run() : order.order());
            }
        }
    }

    /**
     * Decides keys: all together by an order near the guesses, or else each alone.
     *
     * @param soon the same operations with assumed ends
     * @param guesses an order to try first, by key
     */
    private void decide(
            LinearOperations all, LinearOperations soon, Int2ObjectMap<IntArrayList> guesses, StrictJudge judge) {
        if (guesses.isEmpty()) {
            return;
        }
        IntArrayList guessed = new IntArrayList();
        guesses.forEach((key, guess) -> guessed.addAll(guess));
        try {
            StrictHistory history = StrictHistory.of(soon, guessed);
            IntOpenHashSet refuting = new IntOpenHashSet();
            int[] order = judge.near(history, refuting);
            if (order != null) {
                order(all, operations(history, order));
            } else if (guesses.size() > 1) {
                guesses.forEach((key, guess) -> decide(all, soon, Int2ObjectMaps.singleton(key, guess), judge));
            } else {
                int key = guesses.keySet().iterator().nextInt();
                IntArrayList named = operations(history, refuting.toIntArray());
                ClosedOperations closed = new ClosedOperations(all, key, judge);
                ClosedOperations.Closure violating = closed.violating(named);
                if (violating != null) {
                    violate(all, key, violating.named());
                } else if (soon != all && closed.widen(soon, named)) {
                    decide(all, soon, Int2ObjectMaps.singleton(key, new GuessedOrder(soon, key).run()), judge);
                } else {
                    decide(all, key, guessed, judge);
                }
            }
        } catch (BudgetException e) {
            ended = e;
        }
    }

    /** Decides a key with no order near the guess. */
    private void decide(LinearOperations all, int key, IntArrayList guess, StrictJudge judge) {
        IntArrayList every = new IntArrayList();
        addAll(all, key, guess, every);
        StrictHistory history = StrictHistory.of(all, every);
        IntOpenHashSet named = new IntOpenHashSet();
        int[] order = judge.order(history, named);
        if (order != null) {
            order(all, operations(history, order));
        } else {
            violate(all, key, operations(history, named.toIntArray()));
        }
    }

    /** Whether operations of key 0 are seen to have an order with little work; false also if the budget ends. */
    static boolean isOrdered(LinearOperations all, StrictJudge judge) {
        LinearOperations soon = all.soonOrNever();
        try {
            return judge.near(StrictHistory.of(soon, new GuessedOrder(soon, 0).run()), new IntOpenHashSet()) != null;
        } catch (BudgetException e) {
            return false;
        }
    }

    private static IntArrayList operations(StrictHistory history, int[] transactions) {
        IntArrayList operations = new IntArrayList(transactions.length);
        for (int transaction : transactions) {
            operations.add(history.operation(transaction));
        }
        return operations;
    }

    /** Adds the guessed order of a key, and behind it the operations that are not in it. */
    private static void addAll(LinearOperations all, int key, IntArrayList guess, IntArrayList to) {
        BitSet guessed = new BitSet();
        for (int i = 0; i < guess.size(); i++) {
            guessed.set(guess.getInt(i));
        }
        to.addAll(guess);
        for (int o = all.keyStarts[key]; o < all.keyStarts[key + 1]; o++) {
            if (!guessed.get(o)) {
                to.add(o);
            }
        }
    }

    /** Records an order of the operations of several keys. */
    private void order(LinearOperations all, IntArrayList order) {
        Int2ObjectLinkedOpenHashMap<IntArrayList> ofKeys = new Int2ObjectLinkedOpenHashMap<>();
        for (int i = 0; i < order.size(); i++) {
            ofKeys.computeIfAbsent(all.keyOf(order.getInt(i)), key -> new IntArrayList())
                    .add(order.getInt(i));
        }
        ofKeys.forEach((key, operations) -> set(key, ORDERED, all, operations));
    }

    /** @param refuting operations that the refutation names */
    private void violate(LinearOperations all, int key, IntArrayList refuting) {
        int impossible = impossibleRead(all, key);
        set(
                key,
                violated(impossible >= 0 ? Anomaly.THIN_AIR_READ : Anomaly.NO_VALID_ORDER),
                all,
                impossible >= 0 ? IntArrayList.of(impossible) : refuting);
    }

    /** A committed operation that read a value which no other operation wrote, or -1. */
    private static int impossibleRead(LinearOperations all, int key) {
        Long2IntOpenHashMap writers = new Long2IntOpenHashMap();
        for (int o = all.keyStarts[key]; o < all.keyStarts[key + 1]; o++) {
            if (all.isWrite(o)) {
                writers.addTo(all.written(o), 1);
            }
        }
        for (int o = all.keyStarts[key]; o < all.keyStarts[key + 1]; o++) {
            if (all.isRead(o) && !all.isMaybe(o) && all.read(o) != all.initialValue(key)) {
                int own = all.isWrite(o) && all.written(o) == all.read(o) ? 1 : 0;
                if (writers.get(all.read(o)) == own) {
                    return o;
                }
            }
        }
        return -1;
    }

    private static byte violated(Anomaly anomaly) {
        return (byte) (VIOLATED + anomaly.ordinal());
    }

    private void set(int key, byte result, LinearOperations all, IntArrayList operations) {
        results[key] = result;
        starts[key] = transactions.size();
        counts[key] = operations.size();
        for (int i = 0; i < operations.size(); i++) {
            transactions.add(all.transactions[operations.getInt(i)]);
        }
    }

    /** Why keys are open; null if none is. */
    @Nullable
    BudgetException ended() {
        return ended;
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
        return counts[key];
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
