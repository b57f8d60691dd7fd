package org.polygraph.partitioner.linear;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;

/** Shows why keys have no order: in words, and by a few operations of the key that have no order either. */
final class KeyEvidence {
    /** The most steps of a search over a few operations. */
    private static final int MOST_STEPS = 100_000;
    /** Sets of more operations are not shrunk. */
    private static final int MOST_SHRUNK = 240;

    private final RecordedOperations recorded;
    private final LinearOperations all;
    private final BooleanSupplier stop;

    /** @param keys the keys that are described */
    KeyEvidence(RecordedOperations recorded, BitSet keys, BooleanSupplier stop) {
        this.recorded = recorded;
        this.all = LinearOperations.of(recorded, keys);
        this.stop = stop;
    }

    int operations(int key) {
        return all.keyStarts[key + 1] - all.keyStarts[key];
    }

    /** Describes a violated key. */
    Violation of(KeyOrders orders, int key) {
        Anomaly anomaly = orders.anomaly(key);
        IntArrayList some = new IntArrayList();
        for (int i = 0; i < orders.count(key); i++) {
            some.add(all.ofTransaction(key, orders.transaction(orders.first(key) + i)));
        }
        String detail = detail(anomaly, some);
        if (anomaly == Anomaly.THIN_AIR_READ) {
            int read = some.getInt(0);
            int dropped = recorded.droppedWrite(all.transactions[read]);
            return dropped >= 0
                    ? aborted(key, read, dropped)
                    : violation(anomaly, key, untilCertain(key, read), detail);
        }
        if (anomaly == Anomaly.NO_VALID_ORDER) {
            int failed = some.getInt(0);
            some.clear();
            for (int o = all.keyStarts[key]; o < all.keyStarts[key + 1]; o++) {
                if (all.starts[o] <= all.ends[failed]) {
                    some.add(o);
                }
            }
        }
        return violation(anomaly, key, some, detail);
    }

    /** @param offending as {@link KeyOrder} finds them, or where a search failed */
    private String detail(Anomaly anomaly, IntArrayList offending) {
        String first = name(offending, 0);
        return switch (anomaly) {
            case THIN_AIR_READ -> first + ": no operation wrote that value";
            case LOST_UPDATE -> first + " and " + name(offending, 1) + " replaced the same version";
            case CIRCULAR_INFORMATION_FLOW -> first + " read a value that depends on its own write";
            case NO_VALID_ORDER ->
                first + " returned a value that no order of the operations on its key up to its end produces";
            default ->
                first + " ended before " + name(offending, 1) + " started, and can only come after it"
                        + (offending.size() < 4
                                ? ""
                                : ", as " + name(offending, 2) + " ended before " + name(offending, 3) + " started");
        };
    }

    private String name(IntArrayList operations, int i) {
        return recorded.name(all.transactions[operations.getInt(i)]);
    }

    /**
     * A read of a value whose only writer cannot have taken effect. If the outcome of the read is unknown, the
     * sub-history contains a reader of its write, and so on, because otherwise the read need not have taken effect.
     */
    private Violation aborted(int key, int read, int dropped) {
        HistoryTable table = recorded.table();
        int reader = all.transactions[read];
        int writer = HistorySelection.transactionOf(table, dropped);
        String detail = recorded.name(reader) + ": the value was written only by a transaction that is "
                + table.status(writer).label() + " and cannot have taken effect (session "
                + table.sessionLabel(table.sessionOf(writer)) + ", index " + table.index(writer) + ")";
        return new Violation(Anomaly.ABORTED_READ, List.of(reader, writer), List.of(key), List.of(), detail)
                .shownBy(shown(untilCertain(key, read), dropped, true));
    }

    /**
     * The shortest chain from an operation over a reader of its write, and so on, to one that is known to have taken
     * effect.
     */
    private IntArrayList untilCertain(int key, int operation) {
        IntArrayList reached = IntArrayList.of(operation);
        IntArrayList from = IntArrayList.of(-1);
        IntOpenHashSet seen = new IntOpenHashSet(reached);
        for (int i = 0; i < reached.size(); i++) {
            int at = reached.getInt(i);
            if (!all.isMaybe(at)) {
                IntArrayList way = new IntArrayList();
                for (int step = i; step >= 0; step = from.getInt(step)) {
                    way.add(reached.getInt(step));
                }
                return way;
            }
            for (int o = all.keyStarts[key]; all.isWrite(at) && o < all.keyStarts[key + 1]; o++) {
                if (all.isRead(o) && all.read(o) == all.written(at) && seen.add(o)) {
                    reached.add(o);
                    from.add(i);
                }
            }
        }
        throw new IllegalStateException("no operation that took effect read the value of " + name(reached, 0));
    }

    private Violation violation(Anomaly anomaly, int key, IntArrayList offending, String detail) {
        IntArrayList some = new IntArrayList(offending);
        boolean minimal = smallest(key, some);
        SubHistory shown = shown(some, -1, minimal);
        List<Integer> named = IntArrayList.wrap(shown.transactions());
        return new Violation(anomaly, named, List.of(key), List.of(), detail).shownBy(shown);
    }

    /** Shrinks the operations, or all of the key if these have an order. Returns whether the result is minimal. */
    private boolean smallest(int key, IntArrayList some) {
        IntArrayList closed = closed(key, some);
        if (!isViolated(closed)) {
            closed = closed(key, IntArrayList.wrap(all.ofKey(key)));
        }
        boolean minimal = closed.size() <= MOST_SHRUNK && shrink(closed);
        some.clear();
        some.addAll(closed);
        return minimal;
    }

    /** @param dropped a write of the table that cannot have taken effect, to be shown too; or -1 */
    private SubHistory shown(IntArrayList some, int dropped, boolean minimal) {
        HistoryTable table = recorded.table();
        int writer = dropped < 0 ? -1 : HistorySelection.transactionOf(table, dropped);
        IntArrayList transactions = new IntArrayList();
        for (int i = 0; i < some.size(); i++) {
            transactions.add(all.transactions[some.getInt(i)]);
        }
        if (dropped >= 0) {
            transactions.add(writer);
        }
        int[] ascending = transactions.toIntArray();
        Arrays.sort(ascending);
        IntArrayList operations = new IntArrayList();
        for (int t : ascending) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (t != writer || o == dropped) {
                    operations.add(o);
                }
            }
        }
        return new SubHistory(ascending, operations.toIntArray(), minimal, SubHistory.Judge.CHECKER);
    }

    /**
     * The operations, with every write that one of them may have read, repeated until no write is missing; with all
     * writes of the key if one is a refused compare-and-set. If these have no order, neither has the key: an order of
     * the key stays one without a write that none of the rest may have read.
     */
    private IntArrayList closed(int key, IntArrayList some) {
        IntOpenHashSet members = new IntOpenHashSet(some);
        IntArrayList closed = new IntArrayList(members.toIntArray());
        LongOpenHashSet read = new LongOpenHashSet();
        boolean refused = false;
        for (int done = 0, before = -1; before != closed.size(); ) {
            before = closed.size();
            for (; done < closed.size(); done++) {
                int o = closed.getInt(done);
                refused |= all.isRefused(o);
                if (all.isRead(o)) {
                    read.add(all.read(o));
                }
            }
            for (int i = all.keyStarts[key]; i < all.keyStarts[key + 1]; i++) {
                if (all.isWrite(i) && (refused || read.contains(all.written(i))) && members.add(i)) {
                    closed.add(i);
                }
            }
        }
        return closed;
    }

    private boolean isViolated(IntArrayList some) {
        int[] operations = some.toIntArray();
        Arrays.sort(operations);
        return switch (new KeyOrder(all, operations).run()) {
            case VIOLATED -> true;
            case ORDERED -> false;
            case OPEN -> new KeySearch(all, operations, MOST_STEPS, stop).run() == KeyResult.VIOLATED;
        };
    }

    /** Removes one operation at a time, with those that depend on it. Returns false if it was stopped. */
    private boolean shrink(IntArrayList some) {
        // Operations that write nothing go first: only without refused compare-and-sets may writes go.
        for (int pass = 0; pass < 2; pass++) {
            for (int i = some.size() - 1; i >= 0; i--) {
                if (i >= some.size()) {
                    continue;
                }
                if (stop.getAsBoolean()) {
                    return false;
                }
                int o = some.getInt(i);
                if (pass == 0 ? all.isWrite(o) : !all.isWrite(o)) {
                    continue;
                }
                IntArrayList rest = without(some, o);
                if (rest != null && isViolated(rest)) {
                    some.clear();
                    some.addAll(rest);
                }
            }
        }
        // Operations that depended on a write that stayed may go now.
        for (int i = some.size() - 1; i >= 0; i--) {
            if (stop.getAsBoolean()) {
                return false;
            }
            IntArrayList rest = i < some.size() ? without(some, some.getInt(i)) : null;
            if (rest != null && isViolated(rest)) {
                some.clear();
                some.addAll(rest);
            }
        }
        return true;
    }

    /** Without an operation and all that may have read its write; null if a refused compare-and-set forbids that. */
    private @Nullable IntArrayList without(IntArrayList some, int out) {
        IntArrayList rest = new IntArrayList(some);
        LongOpenHashSet gone = new LongOpenHashSet();
        rest.rem(out);
        boolean writes = all.isWrite(out);
        if (writes) {
            gone.add(all.written(out));
        }
        for (boolean changed = writes; changed; ) {
            changed = false;
            for (int i = rest.size() - 1; i >= 0; i--) {
                int o = rest.getInt(i);
                if (all.isRead(o) && gone.contains(all.read(o))) {
                    rest.removeInt(i);
                    if (all.isWrite(o)) {
                        gone.add(all.written(o));
                        changed = true;
                    }
                }
            }
        }
        for (int i = 0; writes && i < rest.size(); i++) {
            if (all.isRefused(rest.getInt(i))) {
                return null;
            }
        }
        return rest;
    }
}
