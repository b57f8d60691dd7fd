package org.polygraph.partitioner.subhistory;

import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.ints.IntSet;
import java.util.Arrays;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;

/**
 * What a part of a history must keep so that it says something of the whole. A part is closed iff with each read of a
 * transaction that may count (committed, or indeterminate unless those are dropped) it keeps
 *
 * <ol>
 *   <li>if the transaction had written the key before: the last such write, or one of the same value directly before it;
 *   <li>else every possible source: each other transaction's last write of the key, if it wrote the value read, the
 *       transaction may count, and it does not follow the reader in its session; or again one of the same value directly
 *       before it.
 * </ol>
 *
 * <p><b>If a closed part violates, the whole does.</b> Take an order that explains the whole, with some of the
 * indeterminate transactions counted, and leave out what is not in the part. Sessions ascend and writers of a key do not
 * overlap as before. A read of the second kind returned in the whole what the last writer W before it wrote. W is one of
 * its sources and is kept, with the same last write; no writer of the key came between in the whole and none does now. If
 * no writer came before it, it returned the initial value, and none comes before it now. Reads of the first kind return
 * what they did. So the order explains the part. It does not matter that a write that its own transaction overwrote may
 * become the last one in the part, or that a source is aborted in truth: each only allows more.
 *
 * <p>Two more writes are kept, which the proof does not need but a reader of the part does: a read that no source explains
 * keeps the write that its name speaks of (its own later write, one that its writer overwrote, an aborted one), and a read
 * that contradicts its own transaction keeps the earlier own write whose value it returned.
 *
 * <p>Nothing depends on reads, so requirements are one level deep.
 */
final class ReadSources {
    private static final int NONE = -1;

    private final HistoryTable table;
    private final boolean maybe;
    /** By key that was asked for: the operations that write it, ascending. */
    private final Int2ObjectOpenHashMap<IntArrayList> writes = new Int2ObjectOpenHashMap<>();

    ReadSources(HistoryTable table, IndexedHistory.Indeterminate indeterminate) {
        this.table = table;
        this.maybe = indeterminate == IndexedHistory.Indeterminate.MAYBE;
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

    /** The operations and all that they require, ascending. A pass over the history if there are keys not yet seen. */
    int[] closed(IntSet operations) {
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

    private void load(IntSet operations) {
        int before = writes.size();
        for (int o : operations) {
            int key = table.key(o);
            if (!table.isWrite(o) && !writes.containsKey(key)) {
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

    /** What an operation requires; only after {@link #closed} has seen it. */
    IntArrayList required(int operation) {
        IntArrayList required = new IntArrayList(2);
        int t = HistorySelection.transactionOf(table, operation);
        if (table.isWrite(operation) || !mayCount(t)) {
            return required;
        }
        int own = lastWriteBefore(operation, t);
        if (own != NONE) {
            ownWrites(operation, t, own, required);
        } else {
            sources(operation, t, required);
            if (required.isEmpty() && table.value(operation) != table.initialValue()) {
                int named = named(operation, t);
                if (named != NONE) {
                    required.add(named);
                }
            }
        }
        return required;
    }

    private int lastWriteBefore(int operation, int transaction) {
        int key = table.key(operation);
        for (int o = operation - 1; o >= table.firstOperation(transaction); o--) {
            if (table.isWriteOf(o, key)) {
                return o;
            }
        }
        return NONE;
    }

    private void ownWrites(int read, int transaction, int last, IntArrayList required) {
        long written = table.value(last);
        long returned = table.value(read);
        int first = last;
        int before = lastWriteBefore(last, transaction);
        while (before != NONE && table.value(before) == written) {
            first = before;
            before = lastWriteBefore(before, transaction);
        }
        required.add(first);
        while (returned != written && before != NONE) {
            if (table.value(before) == returned) {
                required.add(before);
                break;
            }
            before = lastWriteBefore(before, transaction);
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
                            && table.value(ofKey.getInt(first - 1)) == value) {
                        first--;
                    }
                    required.add(ofKey.getInt(first));
                }
            }
        }
    }

    private boolean isLast(IntArrayList ofKey, int i, int transaction) {
        return i + 1 == ofKey.size() || ofKey.getInt(i + 1) >= table.operationsEnd(transaction);
    }

    /** The write that tells what is wrong with a read that has no source: an own later one, an overwritten one, any. */
    private int named(int read, int reader) {
        IntArrayList ofKey = writes.get(table.key(read));
        long value = table.value(read);
        int own = NONE;
        int overwritten = NONE;
        int other = NONE;
        for (int i = 0; ofKey != null && i < ofKey.size(); i++) {
            int o = ofKey.getInt(i);
            if (table.value(o) == value) {
                int t = HistorySelection.transactionOf(table, o);
                if (t == reader) {
                    // The same write that those require who read it in truth: the first of the last run.
                    boolean goesOn = own != NONE && table.value(ofKey.getInt(i - 1)) == value;
                    own = goesOn ? own : o;
                } else if (mayCount(t) && !isLast(ofKey, i, t)) {
                    overwritten = overwritten == NONE ? o : overwritten;
                } else if (!mayCount(t)) {
                    other = other == NONE ? o : other;
                }
            }
        }
        if (own != NONE) {
            return own;
        }
        return overwritten == NONE ? other : overwritten;
    }
}
