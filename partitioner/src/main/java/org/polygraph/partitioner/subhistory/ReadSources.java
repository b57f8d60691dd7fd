package org.polygraph.partitioner.subhistory;

import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntLinkedOpenHashSet;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.ints.IntSet;
import java.util.Arrays;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;

/**
 * The writes that a set of operations must contain so that its violation implies one of the whole history. A set is
 * closed iff with each read of a transaction that may count (committed, or indeterminate unless those are dropped) it
 * contains
 *
 * <ol>
 *   <li>if the transaction wrote the key before: the last such write, or one of the same value directly before it;
 *   <li>else every possible source: each other transaction's last write of the key, if it wrote the value read, the
 *       transaction may count, and it does not follow the reader in its session; or again one of the same value
 *       directly before it, if neither is an insert or a delete.
 * </ol>
 *
 * <p>A key that a transaction which may count adds to is like a row at SI, at every level: with an operation on it the
 * set contains every write of it, so each read finds the same sum.
 *
 * <p>A key that a transaction which may count inserts or deletes is a row. At SI, with an operation on a row the set
 * contains every write of it by a transaction that may count. At SER the set contains, with each insert or delete,
 *
 * <ol>
 *   <li>the writes of the row before it in its transaction;
 *   <li>if that is the first one: the first read of the row in its transaction, if there is one before it; else, with
 *       an insert, each last write of the row by another transaction that may count and does not follow in the session,
 *       if it is a delete; with a delete, if it is not.
 * </ol>
 *
 * <p><b>If a closed set violates the level, the whole history does.</b> Take an order that explains the whole history,
 * with some of the indeterminate transactions counted, and remove the operations outside the set. Sessions still
 * ascend, and writers of a key still do not overlap. In the whole history, a read of the second kind returned what the
 * last writer W before it wrote. W is one of its sources, so the set contains the same last write of W, and there is
 * still no writer of the key between them. If there was no writer before the read, it returned the initial value, and
 * there is none now. Reads of the first kind return what they did. So the order explains the set. In the set, a write
 * that its own transaction overwrote may become the last one, and a source may have aborted; both only allow more
 * orders.
 *
 * <p>At SI the set has all writers of a row, in the same order, or none. So each insert finds no row, each delete finds
 * one, and writers of one incarnation do not overlap. At SER an insert or delete finds what the last writer W before
 * its transaction left, if the transaction did not write the row before. If the transaction has a read of that, W is a
 * source of it; else what W left is what the insert or the delete needs. So the set has the last write of W in both
 * cases, and no writer between them.
 *
 * <p>A history without some appends of lists has lists without their elements, as {@link HistorySelection} makes them.
 * So a set of operations on lists needs no appends for the proof; it has that of the last element of each list, so that
 * people see the version that was read.
 *
 * <p>Three more writes are kept for people who read the set, although the proof does not need them. A read without a
 * source keeps the write that its anomaly names: its own later write, a later one of its session, one that its writer
 * overwrote, or an aborted one. A read that contradicts its own transaction keeps the earlier own write whose value it
 * returned, or else that of another transaction.
 *
 * <p>A repeated row requires the rows with its key before it in the result. No order explains a result with one.
 *
 * <p>Only operations on the same key are required. A write of a plain key requires nothing.
 */
final class ReadSources {
    private static final int NONE = -1;

    private final HistoryTable table;
    private final boolean maybe;
    /** Whether all operations of a transaction take place at once. */
    private final boolean isSerial;
    /** By key of a read seen so far: the operations that write the key, ascending. */
    private final Int2ObjectOpenHashMap<IntArrayList> writes = new Int2ObjectOpenHashMap<>();
    /** By key: whether a transaction that may count inserts or deletes it; empty if none does. */
    private final boolean[] rows;

    ReadSources(HistoryTable table, IndexedHistory.Indeterminate indeterminate, boolean isSerial) {
        this.table = table;
        this.isSerial = isSerial;
        this.maybe = indeterminate == IndexedHistory.Indeterminate.MAYBE;
        rows = new boolean
                [table.hasRows() || table.hasAdditions() ? table.keys().size() : 0];
        for (int t = 0; rows.length > 0 && t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); mayCount(t) && o < table.operationsEnd(t); o++) {
                rows[table.key(o)] |= table.isInsert(o) || table.isDelete(o) || table.isAddition(o);
            }
        }
    }

    private boolean isRow(int key) {
        return rows.length > 0 && rows[key];
    }

    /** Whether some row has more than this many writes, all of which each operation on it requires. */
    boolean requiresMore(int most) {
        int[] counts = new int[rows.length];
        for (int o = 0; rows.length > 0 && o < table.operations(); o++) {
            if (table.isWrite(o) && isRow(table.key(o)) && ++counts[table.key(o)] > most) {
                return true;
            }
        }
        return false;
    }

    HistoryTable table() {
        return table;
    }

    boolean isIndeterminate(int transaction) {
        return maybe && table.status(transaction) == TransactionStatus.INDETERMINATE;
    }

    boolean mayCount(int transaction) {
        return table.status(transaction) == TransactionStatus.COMMITTED || isIndeterminate(transaction);
    }

    /** The operations and those that they require, ascending. Scans the history for a key that was not seen before. */
    int[] closed(IntSet some) {
        IntOpenHashSet operations = explicit(some);
        load(operations);
        IntOpenHashSet all = new IntOpenHashSet(operations);
        for (int o : operations) {
            IntArrayList required = required(o);
            for (int i = 0; i < required.size(); i++) {
                all.add(required.getInt(i));
            }
        }
        int[] sorted = all.toIntArray();
        Arrays.sort(sorted);
        return sorted;
    }

    /** The appends and reads of lists in place of what they imply; all if the table has no recorded lists. */
    private IntOpenHashSet explicit(IntSet operations) {
        if (table.listVersions() == null) {
            return new IntOpenHashSet(operations);
        }
        IntOpenHashSet explicit = new IntOpenHashSet(operations.size());
        for (int o : operations) {
            explicit.add(table.implying(o));
        }
        return explicit;
    }

    private void load(IntSet operations) {
        int before = writes.size();
        for (int o : operations) {
            int key = table.key(o);
            if ((!table.isWrite(o) || isRow(key)) && !writes.containsKey(key)) {
                writes.put(key, new IntArrayList(4));
            }
        }
        if (writes.size() == before) {
            return;
        }
        writes.values().forEach(IntArrayList::clear);
        for (int o = 0; o < table.operations(); o++) {
            if (table.isWrite(o)) {
                IntArrayList ofKey = writes.get(table.key(o));
                if (ofKey != null) {
                    ofKey.add(o);
                }
            }
        }
    }

    /**
     * The operations that an operation requires, with those that these require. Only for operations that {@link
     * #closed} has seen.
     */
    IntArrayList required(int operation) {
        if (!isRow(table.key(operation))) {
            return withLasts(operation, direct(operation));
        }
        IntLinkedOpenHashSet all = new IntLinkedOpenHashSet();
        IntArrayList next = IntArrayList.of(operation);
        while (!next.isEmpty()) {
            for (int o : direct(next.popInt())) {
                if (o != operation && all.add(o)) {
                    next.add(o);
                }
            }
        }
        return new IntArrayList(all);
    }

    /** Adds the last writes of the transactions that wrote with versions: these place the transactions. */
    private IntArrayList withLasts(int operation, IntArrayList required) {
        int direct = table.values().hasGiven() ? required.size() : -1;
        for (int i = direct; i >= 0; i--) {
            int o = i == direct ? operation : required.getInt(i);
            int last = table.isWrite(o) && table.values().isGiven(table.value(o))
                    ? table.lastWrite(HistorySelection.transactionOf(table, o), table.key(o))
                    : o;
            if (last != o) {
                required.add(last);
            }
        }
        return required;
    }

    /** The writes that an operation requires, and of a repeated row those before it in its result. */
    private IntArrayList direct(int operation) {
        IntArrayList required = new IntArrayList(2);
        if (table.isRepeatedRow(operation)) {
            int before = table.rowBefore(operation);
            required.addAll(direct(before));
            required.add(before);
        }
        int t = HistorySelection.transactionOf(table, operation);
        if (isRow(table.key(operation)) && mayCount(t)) {
            if (isSerial && !table.hasAdditions()) {
                found(operation, t, required);
            } else {
                writes.get(table.key(operation)).forEach(o -> {
                    if (o != operation && mayCount(HistorySelection.transactionOf(table, o))) {
                        required.add(o);
                    }
                });
            }
        }
        if (table.isWrite(operation) || !mayCount(t)) {
            return required;
        }
        int own = table.lastWrite(t, table.key(operation), operation);
        if (own >= 0) {
            ownWrites(operation, t, own, required);
        } else {
            int others = required.size();
            sources(operation, t, required);
            if (required.size() == others && table.value(operation) != table.initialValue(table.key(operation))) {
                int named = named(operation, t);
                if (named != NONE) {
                    required.add(named);
                }
            }
        }
        return required;
    }

    /** Adds what shows which row an insert or a delete finds at SER. */
    private void found(int operation, int transaction, IntArrayList required) {
        if (!table.isInsert(operation) && !table.isDelete(operation)) {
            return;
        }
        int key = table.key(operation);
        for (int o = table.firstOperation(transaction); o < operation; o++) {
            if (table.isWriteOf(o, key)) {
                required.add(o);
            }
        }
        if (!required.isEmpty()) {
            return;
        }
        int read = table.firstRead(transaction, key);
        if (read >= 0 && read < operation) {
            required.add(read);
            return;
        }
        IntArrayList ofKey = writes.get(key);
        int end = table.transactionsEnd(table.sessionOf(transaction));
        for (int i = 0; i < ofKey.size(); i++) {
            int t = HistorySelection.transactionOf(table, ofKey.getInt(i));
            boolean follows = t >= transaction && t < end;
            if (!follows
                    && mayCount(t)
                    && isLast(ofKey, i, t)
                    && table.isDelete(ofKey.getInt(i)) == table.isInsert(operation)) {
                required.add(ofKey.getInt(i));
            }
        }
    }

    private void ownWrites(int read, int transaction, int last, IntArrayList required) {
        long written = table.value(last);
        long returned = table.value(read);
        int first = last;
        int key = table.key(read);
        int before = table.lastWrite(transaction, key, last);
        while (before >= 0 && table.value(before) == written) {
            first = before;
            before = table.lastWrite(transaction, key, before);
        }
        required.add(first);
        while (returned != written && before >= 0) {
            if (table.value(before) == returned) {
                required.add(before);
                return;
            }
            before = table.lastWrite(transaction, key, before);
        }
        // One of unknown outcome that contradicts itself did not commit, and its read says nothing.
        boolean isAnomaly = returned != written && table.status(transaction) == TransactionStatus.COMMITTED;
        int named = isAnomaly ? named(read, transaction) : NONE;
        if (named != NONE) {
            required.add(named);
        }
    }

    private void sources(int read, int reader, IntArrayList required) {
        IntArrayList ofKey = writes.get(table.key(read));
        long value = table.value(read);
        int session = table.sessionOf(reader);
        for (int i = 0; ofKey != null && i < ofKey.size(); i++) {
            int o = ofKey.getInt(i);
            if (table.value(o) == value) {
                int t = HistorySelection.transactionOf(table, o);
                boolean follows = t >= reader && t < table.transactionsEnd(session);
                if (!follows && mayCount(t) && isLast(ofKey, i, t)) {
                    int first = i;
                    while (first > 0
                            && ofKey.getInt(first - 1) >= table.firstOperation(t)
                            && isPlain(ofKey.getInt(first))
                            && isPlain(ofKey.getInt(first - 1))
                            && table.value(ofKey.getInt(first - 1)) == value) {
                        first--;
                    }
                    required.add(ofKey.getInt(first));
                }
            }
        }
    }

    private boolean isPlain(int write) {
        return !table.isInsert(write) && !table.isDelete(write);
    }

    private boolean isLast(IntArrayList ofKey, int i, int transaction) {
        return i + 1 == ofKey.size() || ofKey.getInt(i + 1) >= table.operationsEnd(transaction);
    }

    /**
     * Returns the write that best explains a read without a source: a later one of its own transaction, a later one of
     * its session, an overwritten one, or any.
     */
    private int named(int read, int reader) {
        IntArrayList ofKey = writes.get(table.key(read));
        long value = table.value(read);
        int own = NONE;
        int later = NONE;
        int overwritten = NONE;
        int other = NONE;
        for (int i = 0; ofKey != null && i < ofKey.size(); i++) {
            int o = ofKey.getInt(i);
            if (table.value(o) == value) {
                int t = HistorySelection.transactionOf(table, o);
                if (t == reader) {
                    // The write that its readers require too: the first of the last run of equal values.
                    boolean goesOn = own != NONE && table.value(ofKey.getInt(i - 1)) == value;
                    own = goesOn ? own : o;
                } else if (mayCount(t) && isLast(ofKey, i, t)) {
                    // It has no source, so this one follows it in its session.
                    later = later == NONE ? o : later;
                } else if (mayCount(t)) {
                    overwritten = overwritten == NONE ? o : overwritten;
                } else {
                    other = other == NONE ? o : other;
                }
            }
        }
        if (own != NONE || later != NONE) {
            return own != NONE ? own : later;
        }
        return overwritten == NONE ? other : overwritten;
    }
}
