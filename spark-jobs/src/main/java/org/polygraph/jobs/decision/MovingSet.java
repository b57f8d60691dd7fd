package org.polygraph.jobs.decision;

import it.unimi.dsi.fastutil.ints.Int2IntOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.Arrays;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;

/**
 * A set M of transactions that may move between two places; the order of all others, the frozen ones, is fixed. Two small
 * histories belong to it:
 *
 * <ul>
 *   <li>R(M), {@link #problem}: M in full, and the frozen transactions that have operations on keys of M, reduced to these
 *       operations. Those before the first place are represented by the values at that border, and
 *       those behind the last place by a transaction that reads the values expected there. An order of R(M) gives M new places at
 *       which all reads of M return the last write, and no other read becomes violated.
 *   <li>U(M), {@link #alone}: M without the reads for which some possible writer lies outside M. Every order that explains the whole
 *       history, restricted to M, explains U(M). If U(M) violates the level, so does the whole history.
 * </ul>
 */
final class MovingSet {
    /** Stands for no operation in a list of operations by place. */
    private static final int NO_OPERATION = Integer.MAX_VALUE;

    private final PlacedHistory placed;
    private final HistoryTable table;
    private final int[] moving;
    private final int from;
    private final int to;
    private final IntOpenHashSet members;
    private final IntArrayList keys = new IntArrayList();
    private final Int2IntOpenHashMap keyIds = new Int2IntOpenHashMap();
    /** The frozen transactions between the borders that are in R(M), ascending by place. */
    private final IntArrayList frozen = new IntArrayList();

    /**
     * A set between two places.
     *
     * @param moving active transactions with places in [from, to), ascending by id; kept
     */
    MovingSet(PlacedHistory placed, int[] moving, int from, int to) {
        this.placed = placed;
        this.table = placed.table();
        this.moving = moving;
        this.from = from;
        this.to = to;
        members = new IntOpenHashSet(moving);
        keyIds.defaultReturnValue(-1);
        for (int t : moving) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (placed.isVisible(o) && keyIds.putIfAbsent(table.key(o), keys.size()) < 0) {
                    keys.add(table.key(o));
                }
            }
        }
    }

    /** The window of all active transactions between two places. */
    static MovingSet window(PlacedHistory placed, int from, int to) {
        IntArrayList moving = new IntArrayList();
        for (int place = from; place < to; place++) {
            if (placed.isActive(placed.atPlace(place))) {
                moving.add(placed.atPlace(place));
            }
        }
        int[] ids = moving.toIntArray();
        Arrays.sort(ids);
        return new MovingSet(placed, ids, from, to);
    }

    /** U(M), whose ids of transactions and operations ascend with those of the whole. */
    HistorySelection alone() {
        LongOpenHashSet[] outside = new LongOpenHashSet[keys.size()];
        for (int id = 0; id < outside.length; id++) {
            outside[id] = new LongOpenHashSet();
            int key = keys.getInt(id);
            for (int i = placed.firstOf(key); i < placed.firstOf(key + 1); i++) {
                int o = placed.operation(i);
                if (table.isWrite(o) && !members.contains(placed.transactionOf(o))) {
                    outside[id].add(table.value(o));
                }
            }
        }
        IntArrayList operations = new IntArrayList();
        for (int t : moving) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (placed.isVisible(o)
                        && (table.isWrite(o) || !outside[keyIds.get(table.key(o))].contains(table.value(o)))) {
                    operations.add(o);
                }
            }
        }
        return HistorySelection.of(table, moving, operations.toIntArray());
    }

    /**
     * R(M).
     *
     * @param strict whether violated reads of M have to be explained that no write between the borders can explain
     */
    WindowProblem problem(boolean strict) {
        return new Extraction(strict).problem();
    }

    /** The transactions, of the whole history, that a refutation names. */
    int[] named(WindowProblem.Answer answer) {
        return Arrays.stream(answer.named())
                .map(t -> frozen.getInt(t - moving.length))
                .filter(placed::isActive)
                .toArray();
    }

    /** Moves M as an answer says. */
    void apply(WindowProblem.Answer answer) {
        for (int i = 0; i < moving.length; i++) {
            if (placed.isOptional(moving[i])) {
                placed.count(moving[i], answer.counted()[i]);
            }
        }
        placed.reorder(from, merged(answer.order()));
    }

    /** All transactions between the borders: those of the problem in their order, the rest right after the frozen one before it. */
    private int[] merged(int[] ordered) {
        int[] merged = new int[to - from];
        int count = 0;
        int next = from;
        for (int i : ordered) {
            if (i < moving.length) {
                merged[count++] = moving[i];
                continue;
            }
            int end = i - moving.length < frozen.size() ? placed.place(frozen.getInt(i - moving.length)) + 1 : to;
            for (; next < end; next++) {
                int other = placed.atPlace(next);
                if (!members.contains(other)) {
                    merged[count++] = other;
                }
            }
        }
        return merged;
    }

    /** Takes R(M) out of the history. */
    private final class Extraction {
        private final IntArrayList starts = new IntArrayList();
        private final IntArrayList operationKeys = new IntArrayList();
        private final LongArrayList values = new LongArrayList();
        private final boolean[] optional = new boolean[moving.length];
        private final boolean strict;

        Extraction(boolean strict) {
            this.strict = strict;
            frozen.clear();
            starts.add(0);
        }

        WindowProblem problem() {
            IntArrayList sessions = new IntArrayList();
            for (int i = 0; i < moving.length; i++) {
                int t = moving[i];
                optional[i] = placed.isOptional(t);
                if (i == 0 || table.sessionOf(t) != table.sessionOf(moving[i - 1])) {
                    sessions.add(i);
                }
                for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                    if (placed.isVisible(o) && (strict || table.isWrite(o) || isExplainable(o))) {
                        add(o);
                    }
                }
                starts.add(values.size());
            }
            sessions.add(moving.length);
            addFrozen();
            addExpected();
            long[] initial = new long[keys.size()];
            for (int id = 0; id < initial.length; id++) {
                initial[id] = placed.valueAt(keys.getInt(id), from);
            }
            int[] order = new int[frozen.size() + 1];
            for (int i = 0; i < order.length; i++) {
                order[i] = moving.length + i;
            }
            Operations operations =
                    new Operations(starts.toIntArray(), operationKeys.toIntArray(), values.toLongArray(), null);
            return new WindowProblem(1, sessions.toIntArray(), optional, operations, initial, order, 0, edges());
        }

        /** Session order between members and the frozen transactions next to them. */
        private int[] edges() {
            Int2IntOpenHashMap numbers = new Int2IntOpenHashMap();
            for (int i = 0; i < frozen.size(); i++) {
                numbers.put(frozen.getInt(i), moving.length + i);
            }
            IntArrayList edges = new IntArrayList();
            for (int i = 0; i < moving.length; i++) {
                int previous = neighbour(moving[i], -1);
                int next = neighbour(moving[i], 1);
                if (isFrozenInside(previous)) {
                    edges.add(numbers.get(previous));
                    edges.add(i);
                }
                if (isFrozenInside(next)) {
                    edges.add(i);
                    edges.add(numbers.get(next));
                }
            }
            return edges.toIntArray();
        }

        private void add(int operation) {
            add(keyIds.get(table.key(operation)), table.isWrite(operation), table.value(operation));
        }

        private void add(int keyId, boolean isWrite, long value) {
            operationKeys.add(keyId << 1 | (isWrite ? 1 : 0));
            values.add(value);
        }

        /** Whether a read returns the value at the border, or one that is written between the borders. */
        private boolean isExplainable(int read) {
            int key = table.key(read);
            long value = table.value(read);
            if (placed.valueAt(key, from) == value) {
                return true;
            }
            for (int i = placed.indexAt(key, from); i < placed.firstOf(key + 1); i++) {
                int o = placed.operation(i);
                if (placed.place(placed.transactionOf(o)) >= to) {
                    return false;
                }
                if (table.isWrite(o)
                        && table.value(o) == value
                        && placed.transactionOf(o) != placed.transactionOf(read)) {
                    return true;
                }
            }
            return false;
        }

        /** What is frozen between the borders: operations on keys of M without violated reads, and neighbours in sessions of M. */
        private void addFrozen() {
            LongOpenHashSet seen = new LongOpenHashSet();
            LongArrayList byPlace = new LongArrayList();
            for (int id = 0; id < keys.size(); id++) {
                int key = keys.getInt(id);
                for (int i = placed.indexAt(key, from); i < placed.firstOf(key + 1); i++) {
                    int o = placed.operation(i);
                    int t = placed.transactionOf(o);
                    if (placed.place(t) >= to) {
                        break;
                    }
                    if (!members.contains(t) && placed.isCounted(t) && (table.isWrite(o) || !placed.isViolated(o))) {
                        byPlace.add((long) placed.place(t) << 32 | (table.isWrite(o) ? 1L << 31 : 0) | o);
                    }
                }
            }
            for (int t : moving) {
                for (int neighbour : new int[] {neighbour(t, -1), neighbour(t, 1)}) {
                    if (isFrozenInside(neighbour) && seen.add(neighbour)) {
                        byPlace.add((long) placed.place(neighbour) << 32 | 1L << 31 | NO_OPERATION);
                    }
                }
            }
            byPlace.sort(null);
            for (int i = 0; i < byPlace.size(); i++) {
                long item = byPlace.getLong(i);
                int t = placed.atPlace((int) (item >>> 32));
                if (frozen.isEmpty() || frozen.getInt(frozen.size() - 1) != t) {
                    if (!frozen.isEmpty()) {
                        starts.add(values.size());
                    }
                    frozen.add(t);
                }
                int o = (int) item & Integer.MAX_VALUE;
                if (o != NO_OPERATION) {
                    add(o);
                }
            }
            if (!frozen.isEmpty()) {
                starts.add(values.size());
            }
        }

        /** By key, the value that is read behind the last place before the key is written there. */
        private void addExpected() {
            for (int id = 0; id < keys.size(); id++) {
                int key = keys.getInt(id);
                long value = placed.valueAt(key, to);
                for (int i = placed.indexAt(key, to); i < placed.firstOf(key + 1); i++) {
                    int o = placed.operation(i);
                    if (placed.isCountedWrite(o)) {
                        break;
                    }
                    if (!table.isWrite(o) && placed.isCounted(placed.transactionOf(o)) && table.value(o) == value) {
                        add(id, false, value);
                        break;
                    }
                }
            }
            starts.add(values.size());
        }

        /** The next or previous active transaction of a session, or -1. */
        private int neighbour(int transaction, int step) {
            int session = table.sessionOf(transaction);
            int t = transaction + step;
            while (t >= table.firstTransaction(session) && t < table.transactionsEnd(session)) {
                if (placed.isActive(t)) {
                    return t;
                }
                t += step;
            }
            return -1;
        }

        private boolean isFrozenInside(int transaction) {
            return transaction >= 0
                    && !members.contains(transaction)
                    && placed.place(transaction) >= from
                    && placed.place(transaction) < to;
        }
    }
}
