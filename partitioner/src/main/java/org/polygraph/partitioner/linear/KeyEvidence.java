package org.polygraph.partitioner.linear;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.ArrayList;
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

/** Tells why keys have no order: in words, and by a part of the key's operations that has none either. */
final class KeyEvidence {
    /** Steps of the search of a part. */
    private static final int MOST_STEPS = 100_000;
    /** Beyond so many operations a part is told as it is. */
    private static final int MOST_SHRUNK = 240;

    private final RecordedOperations recorded;
    private final Operations all;
    private final BooleanSupplier stop;

    /** @param keys that are asked for */
    KeyEvidence(RecordedOperations recorded, BitSet keys, BooleanSupplier stop) {
        this.recorded = recorded;
        this.all = Operations.of(recorded, keys);
        this.stop = stop;
    }

    /** How many operations a key has. */
    int operations(int key) {
        return all.keyStarts[key + 1] - all.keyStarts[key];
    }

    /** Of a violated key. */
    Violation of(KeyOrders orders, int key) {
        Anomaly anomaly = orders.anomaly(key);
        IntArrayList part = new IntArrayList();
        for (int i = 0; i < orders.count(key); i++) {
            part.add(all.ofTransaction(key, orders.transaction(orders.first(key) + i)));
        }
        String detail = detail(anomaly, part);
        if (anomaly == Anomaly.THIN_AIR_READ) {
            int dropped = recorded.droppedWrite(all.transactions[part.getInt(0)]);
            return dropped >= 0 ? aborted(key, part.getInt(0), dropped) : violation(anomaly, key, part, detail);
        }
        if (anomaly == Anomaly.NO_VALID_ORDER) {
            int failed = part.getInt(0);
            part.clear();
            for (int o = all.keyStarts[key]; o < all.keyStarts[key + 1]; o++) {
                if (all.starts[o] <= all.ends[failed]) {
                    part.add(o);
                }
            }
        }
        return violation(anomaly, key, part, detail);
    }

    /** @param offending as {@link KeyOrder} finds them, or where a search failed */
    private String detail(Anomaly anomaly, IntArrayList offending) {
        String first = name(offending, 0);
        return switch (anomaly) {
            case THIN_AIR_READ -> first + ": nobody wrote that value";
            case LOST_UPDATE -> first + " and " + name(offending, 1) + " replaced the same version";
            case CIRCULAR_INFORMATION_FLOW -> first + " read what follows from itself";
            case NO_VALID_ORDER -> first + " returned what no order of the operations on its key up to its end gives";
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
     * A read of what only a transaction wrote that cannot have taken effect. Where the read's own outcome is unknown, the part
     * has who read what it wrote, and so on: without them it need not have taken effect.
     */
    private Violation aborted(int key, int read, int dropped) {
        HistoryTable table = recorded.table();
        int reader = all.transactions[read];
        int writer = HistorySelection.transactionOf(table, dropped);
        String detail = recorded.name(reader) + ": only a transaction wrote that value that is "
                + table.status(writer).label() + " and cannot have taken effect (session "
                + table.sessionLabel(table.sessionOf(writer)) + ", index " + table.index(writer) + ")";
        return new Violation(Anomaly.ABORTED_READ, List.of(reader, writer), List.of(key), List.of(), detail)
                .shownBy(shown(untilCertain(key, read), dropped, true));
    }

    /** An operation, who read what it wrote, and so on to the first that is known to have taken effect: the shortest way. */
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
        throw new IllegalStateException("what " + name(reached, 0) + " wrote was read by nothing that took effect");
    }

    private Violation violation(Anomaly anomaly, int key, IntArrayList offending, String detail) {
        IntArrayList part = new IntArrayList(offending);
        boolean minimal = smallest(key, part);
        SubHistory shown = shown(part, -1, minimal);
        List<Integer> named = new ArrayList<>();
        for (int t : shown.transactions()) {
            named.add(t);
        }
        return new Violation(anomaly, named, List.of(key), List.of(), detail).shownBy(shown);
    }

    /** Makes a part, or if that has an order all of its key, as small as is possible; whether it got through. */
    private boolean smallest(int key, IntArrayList part) {
        IntArrayList closed = closed(key, part);
        if (!isViolated(closed)) {
            closed = closed(key, IntArrayList.wrap(all.ofKey(key)));
        }
        boolean minimal = closed.size() <= MOST_SHRUNK && shrink(closed);
        part.clear();
        part.addAll(closed);
        return minimal;
    }

    /** @param dropped a write of the table that cannot have taken effect, to be shown too; or -1 */
    private SubHistory shown(IntArrayList part, int dropped, boolean minimal) {
        HistoryTable table = recorded.table();
        int writer = dropped < 0 ? -1 : HistorySelection.transactionOf(table, dropped);
        IntArrayList transactions = new IntArrayList();
        for (int i = 0; i < part.size(); i++) {
            transactions.add(all.transactions[part.getInt(i)]);
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
     * With every write that one of them may have read, and so on; with all writes of the key where a refused compare-and-set is
     * among them. What such a part contradicts, the whole does: taking away a write that nobody of the rest may have read leaves
     * the rest in order.
     */
    private IntArrayList closed(int key, IntArrayList part) {
        IntOpenHashSet members = new IntOpenHashSet(part);
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

    private boolean isViolated(IntArrayList part) {
        int[] operations = part.toIntArray();
        Arrays.sort(operations);
        return switch (new KeyOrder(all, operations).run()) {
            case VIOLATED -> true;
            case ORDERED -> false;
            case OPEN -> new KeySearch(all, operations, MOST_STEPS, stop).run() == KeyResult.VIOLATED;
        };
    }

    /** Leaves out what can be left out, one operation with what rests on it at a time; whether it got through. */
    private boolean shrink(IntArrayList part) {
        // What writes nothing goes first: without refused ones, writes may go too.
        for (int pass = 0; pass < 2; pass++) {
            for (int i = part.size() - 1; i >= 0; i--) {
                if (i >= part.size()) {
                    continue;
                }
                if (stop.getAsBoolean()) {
                    return false;
                }
                int o = part.getInt(i);
                if (pass == 0 ? all.isWrite(o) : !all.isWrite(o)) {
                    continue;
                }
                IntArrayList rest = without(part, o);
                if (rest != null && isViolated(rest)) {
                    part.clear();
                    part.addAll(rest);
                }
            }
        }
        // What rested on a write that stayed may go now.
        for (int i = part.size() - 1; i >= 0; i--) {
            IntArrayList rest = i < part.size() ? without(part, part.getInt(i)) : null;
            if (rest != null && isViolated(rest)) {
                part.clear();
                part.addAll(rest);
            }
        }
        return true;
    }

    /** Without an operation and all that may have read what it wrote; null if a refused one forbids that. */
    private @Nullable IntArrayList without(IntArrayList part, int out) {
        IntArrayList rest = new IntArrayList(part);
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
