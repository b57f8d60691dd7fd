package org.polygraph.partitioner.linear;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntLinkedOpenHashSet;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongLinkedOpenHashSet;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;

/** Shows why keys have no order: in words, and by a few operations of the key that have no order either. */
final class KeyEvidence {
    /** If more values may be the last before an operation, the whole key is not asked for them. */
    private static final int MOST_VALUES = 16;

    private final RecordedOperations recorded;
    private final LinearOperations all;
    private final StrictJudge judge;
    private final BooleanSupplier stop;

    /** @param keys the keys that are described */
    KeyEvidence(RecordedOperations recorded, BitSet keys, StrictJudge judge, BooleanSupplier stop) {
        this.judge = judge;
        this.recorded = recorded;
        this.all = LinearOperations.of(recorded, keys);
        this.stop = stop;
    }

    /** Describes a violated key. */
    Violation of(KeyOrders orders, int key) {
        IntArrayList some = new IntArrayList();
        for (int i = 0; i < orders.count(key); i++) {
            some.add(all.ofTransaction(key, orders.transaction(orders.first(key) + i)));
        }
        if (orders.anomaly(key) == Anomaly.THIN_AIR_READ) {
            return impossible(key, some.getInt(0));
        }
        ClosedOperations operations = new ClosedOperations(all, key, judge);
        ClosedOperations.Closure violating = operations.violating(some);
        ClosedOperations.Shrunk closed = operations.shrink(violating == null ? operations.all() : violating, stop);
        KeyOrder order = new KeyOrder(closed.operations(), 0);
        if (order.run() != KeyResult.VIOLATED) {
            return repeated(key, closed);
        }
        return order.anomaly() == Anomaly.THIN_AIR_READ
                ? impossible(
                        key,
                        all.ofTransaction(
                                key,
                                closed.operations()
                                        .transactions[order.offending().getInt(0)]))
                : unique(key, order.anomaly(), order.offending(), closed);
    }

    /** @param offending as {@link KeyOrder} finds them among the operations shown */
    private Violation unique(int key, Anomaly anomaly, IntArrayList offending, ClosedOperations.Shrunk closed) {
        LinearOperations shown = closed.operations();
        if (offending.size() == 4 && shown.isWrite(offending.getInt(1)) && !shown.isWrite(offending.getInt(3))) {
            // Either pair contradicts the other. The one with a read shows more.
            return unique(
                    key,
                    anomaly,
                    IntArrayList.of(offending.getInt(2), offending.getInt(3), offending.getInt(0), offending.getInt(1)),
                    closed);
        }
        if (anomaly == Anomaly.REAL_TIME_VIOLATION && !shown.isWrite(offending.getInt(1))) {
            String detail = recorded.action(shown.transactions[offending.getInt(1)]) + ", although "
                    + name(shown, offending, 0) + " had ended before it started, and can only come after it"
                    + because(shown, offending);
            IntArrayList named = new IntArrayList(offending);
            named.set(0, offending.getInt(1));
            named.set(1, offending.getInt(0));
            return violation(anomaly, key, named, closed, detail);
        }
        int subject = offending.getInt(0);
        String did = recorded.action(shown.transactions[subject]);
        String detail =
                switch (anomaly) {
                    case LOST_UPDATE -> did + "; " + name(shown, offending, 1) + " replaced the same version";
                    case CIRCULAR_INFORMATION_FLOW ->
                        did + ", which depends on its own write"
                                + (offending.size() == 1 ? "" : " through " + name(shown, offending, 1));
                    default ->
                        did + " and ended before " + name(shown, offending, 1)
                                + " started, but it can only come after it" + because(shown, offending);
                };
        return violation(anomaly, key, offending, closed, detail);
    }

    private String because(LinearOperations shown, IntArrayList offending) {
        return offending.size() < 4
                ? ""
                : ", because " + name(shown, offending, 2) + " had ended before " + name(shown, offending, 3)
                        + " started";
    }

    /**
     * Names the operation that ended last of those shown: the others have orders, but none in which the key has a value
     * that this one may find.
     */
    private Violation repeated(int key, ClosedOperations.Shrunk closed) {
        LinearOperations shown = closed.operations();
        int failed = -1;
        for (int o = 0; o < shown.transactions.length; o++) {
            boolean finds = shown.isRead(o) || shown.isRefused(o);
            failed = finds && !shown.isMaybe(o) && (failed < 0 || shown.ends[o] > shown.ends[failed]) ? o : failed;
        }
        if (failed < 0) {
            throw new IllegalStateException("writes that find no value have an order");
        }
        LongArrayList values = new LongArrayList();
        for (long value : values(shown)) {
            if (!judge.violates(StrictHistory.of(shown.reading(failed, value)).table())) {
                values.add(value);
            }
        }
        LongArrayList ofWhole = ofWhole(key, all.ofTransaction(key, shown.transactions[failed]));
        String then;
        if (!ofWhole.isEmpty()) {
            then = "all other operations of the key have orders up to its end, in which the key then has the value"
                    + labels(key, ofWhole);
        } else if (values.isEmpty()) {
            then = "the other operations shown have an order up to its end, but none with a time at which it can have"
                    + " taken effect";
        } else {
            then = "the other operations shown have an order up to its end, but then the key can only have the value"
                    + labels(key, values);
        }
        String detail = recorded.action(shown.transactions[failed]) + "; " + then;
        return violation(Anomaly.NO_VALID_ORDER, key, IntArrayList.of(failed), closed, detail);
    }

    /**
     * Values that a key has at an operation in orders of all operations of the key until then. Empty if no order is found
     * with little work, or if the last writes before it may have many values.
     */
    private LongArrayList ofWhole(int key, int operation) {
        LinearOperations whole = all.until(key, operation);
        int failed = whole.ofTransaction(0, all.transactions[operation]);
        long bound = Long.MIN_VALUE;
        for (int o = 0; o < whole.transactions.length; o++) {
            boolean isBefore = whole.isWrite(o) && !whole.isMaybe(o) && whole.ends[o] < whole.starts[failed];
            bound = isBefore ? Math.max(bound, whole.starts[o]) : bound;
        }
        LongLinkedOpenHashSet values = new LongLinkedOpenHashSet();
        if (bound == Long.MIN_VALUE) {
            values.add(whole.initialValue(0));
        }
        for (int o = 0; o < whole.transactions.length; o++) {
            if (whole.isWrite(o) && whole.ends[o] >= bound) {
                values.add(whole.written(o));
            }
        }
        LongArrayList found = new LongArrayList();
        if (values.size() <= MOST_VALUES) {
            for (long value : values) {
                if (!stop.getAsBoolean() && KeyOrders.isOrdered(whole.reading(failed, value), judge)) {
                    found.add(value);
                }
            }
        }
        return found;
    }

    private String labels(int key, LongArrayList values) {
        StringBuilder labels = new StringBuilder(values.size() == 1 ? " " : "s ");
        for (int i = 0; i < values.size(); i++) {
            labels.append(i == 0 ? "" : ", ").append(recorded.label(key, values.getLong(i)));
        }
        return labels.toString();
    }

    /** The initial value of a key and those that the operations write. */
    private static LongLinkedOpenHashSet values(LinearOperations shown) {
        LongLinkedOpenHashSet values = new LongLinkedOpenHashSet();
        values.add(shown.initialValue(0));
        for (int o = 0; o < shown.transactions.length; o++) {
            if (shown.isWrite(o)) {
                values.add(shown.written(o));
            }
        }
        return values;
    }

    private String name(LinearOperations of, IntArrayList operations, int i) {
        return recorded.name(of.transactions[operations.getInt(i)]);
    }

    /** A read of a value that no operation wrote that may have taken effect. */
    private Violation impossible(int key, int read) {
        int reader = all.transactions[read];
        int dropped = recorded.droppedWrite(reader);
        ClosedOperations.Shrunk shown =
                new ClosedOperations.Shrunk(all.select(key, untilCertain(key, read), o -> true), true);
        if (dropped < 0) {
            String detail = recorded.action(reader) + ", which no "
                    + (isWritten(key, all.read(read))
                            ? "operation wrote that started before its end"
                            : "operation wrote");
            return violation(
                    Anomaly.THIN_AIR_READ,
                    key,
                    IntArrayList.of(shown.operations().ofTransaction(0, reader)),
                    shown,
                    detail);
        }
        HistoryTable table = recorded.table();
        int writer = HistorySelection.transactionOf(table, dropped);
        String detail = recorded.action(reader) + ", which only " + table.name(writer) + " wrote; it is "
                + table.status(writer).label() + " and cannot have taken effect";
        // If the outcome of the read is unknown, the sub-history contains a reader of its write, and so on, because
        // otherwise the read need not have taken effect.
        return new Violation(Anomaly.ABORTED_READ, List.of(reader, writer), List.of(key), List.of(), detail)
                .shownBy(shown(shown, dropped));
    }

    private boolean isWritten(int key, long value) {
        for (int o = all.keyStarts[key]; o < all.keyStarts[key + 1]; o++) {
            if (all.isWrite(o) && all.written(o) == value && !(all.isRead(o) && all.read(o) == value)) {
                return true;
            }
        }
        return false;
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
        throw new IllegalStateException("no operation that took effect read the value of " + name(all, reached, 0));
    }

    /** @param named those of the operations shown that the detail names, its subject first */
    private Violation violation(
            Anomaly anomaly, int key, IntArrayList named, ClosedOperations.Shrunk closed, String detail) {
        SubHistory shown = shown(closed, -1);
        IntLinkedOpenHashSet transactions = new IntLinkedOpenHashSet();
        for (int i = 0; i < named.size(); i++) {
            transactions.add(closed.operations().transactions[named.getInt(i)]);
        }
        for (int t : shown.transactions()) {
            transactions.add(t);
        }
        return new Violation(anomaly, new IntArrayList(transactions), List.of(key), List.of(), detail).shownBy(shown);
    }

    /** @param dropped a write of the table that cannot have taken effect, to be shown too; or -1 */
    private SubHistory shown(ClosedOperations.Shrunk closed, int dropped) {
        HistoryTable table = recorded.table();
        LinearOperations some = closed.operations();
        IntArrayList transactions = new IntArrayList(some.transactions);
        IntArrayList operations = new IntArrayList();
        for (int o = 0; o < some.transactions.length; o++) {
            int t = some.transactions[o];
            // A compare-and-set of which only the write is needed is shown without its read.
            int first = some.isRead(o) || some.isRefused(o) ? table.firstOperation(t) : table.operationsEnd(t) - 1;
            for (int i = first; i < table.operationsEnd(t); i++) {
                operations.add(i);
            }
        }
        if (dropped >= 0) {
            transactions.add(HistorySelection.transactionOf(table, dropped));
            operations.add(dropped);
        }
        int[] ofWhole = operations.toIntArray();
        int[] ascending = transactions.toIntArray();
        Arrays.sort(ofWhole);
        Arrays.sort(ascending);
        return new SubHistory(ascending, ofWhole, closed.minimal(), SubHistory.Judge.CHECKER);
    }
}
