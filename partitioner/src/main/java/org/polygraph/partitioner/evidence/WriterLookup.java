package org.polygraph.partitioner.evidence;

import java.util.Arrays;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.RowKeys;
import org.polygraph.partitioner.index.VersionIndex;

/** Lookups of single reads and writes in the index, by linear search within a key. */
final class WriterLookup {
    /** The reader's version is the initial one. */
    static final int INITIAL_WRITER = -1;
    /** The reader has several candidates and none was decided, or there is no such read. */
    static final int UNDECIDED = -2;

    private final VersionIndex index;
    private final CommitStatus commitStatus;

    WriterLookup(VersionIndex index, CommitStatus commitStatus) {
        this.index = index;
        this.commitStatus = commitStatus;
    }

    /** Whether a key of the index is the existence of a row. */
    boolean isExistence(int key) {
        RowKeys rows = index.rows();
        return rows != null && rows.isExistence(key);
    }

    /** The key of the history that a key of the index is about. */
    int keyOf(int key) {
        return index.keyOf(key);
    }

    /** Whether writers of a key may overlap under SI if a delete is between them. */
    boolean isRow(int key) {
        RowKeys rows = index.rows();
        return rows != null && rows.isRow(key);
    }

    /** Whether a transaction is known to have committed. */
    boolean isCounted(int transaction) {
        return commitStatus.isCounted(transaction);
    }

    /** Whether a read had more than one candidate before any rule was applied. */
    boolean isChoice(int key, int valueClass, int reader) {
        return candidates(key, valueClass, reader, 2) > 1;
    }

    /** How many candidates a read had before any rule was applied. */
    int candidates(int key, int reader) {
        return candidates(key, index.readerClasses()[read(key, reader)], reader, Integer.MAX_VALUE);
    }

    /** @param most counts up to this number */
    private int candidates(int key, int valueClass, int reader, int most) {
        int candidates = valueClass == VersionIndex.INITIAL ? 1 : 0;
        for (int w = index.firstInClass(key, valueClass); w >= 0 && candidates < most; w = index.nextInClass(w)) {
            int t = index.writerTransactions()[w];
            candidates += t != reader && commitStatus.of(t) != CommitStatus.DROPPED ? 1 : 0;
        }
        return candidates;
    }

    /** The index entry of a transaction's read of a key, or -1 (also for reads left out between two others). */
    int read(int key, int transaction) {
        for (int r = index.readerStarts()[key]; r < index.readerStarts()[key + 1]; r++) {
            if (index.readerTransactions()[r] == transaction) {
                return r;
            }
        }
        return -1;
    }

    /** The transaction that a decided read reads from, {@link #INITIAL_WRITER} or {@link #UNDECIDED}. */
    int writerOf(int key, int reader) {
        int r = read(key, reader);
        if (r < 0) {
            return UNDECIDED;
        }
        int base = index.slot(key);
        int slot = base;
        while (r >= index.slotStarts()[slot + 1]) {
            slot++;
        }
        if (slot == base) {
            return INITIAL_WRITER;
        }
        return slot == index.ambiguousSlot(key)
                ? UNDECIDED
                : index.writerTransactions()[index.writerStarts()[key] + slot - base - 1];
    }

    /** Whether two decided reads of a key read from the same transaction, or both from the initial state. */
    boolean readOneVersion(int key, int a, int b) {
        int writer = writerOf(key, a);
        return writer != UNDECIDED && writer == writerOf(key, b);
    }

    boolean writes(int key, int transaction) {
        for (int w = index.writerStarts()[key]; w < index.writerStarts()[key + 1]; w++) {
            if (index.writerTransactions()[w] == transaction) {
                return true;
            }
        }
        return false;
    }

    /** The decided readers of a transaction's write of a key; none if it does not write the key. */
    int[] readersOf(int key, int writer) {
        int first = index.writerStarts()[key];
        for (int w = first; w < index.writerStarts()[key + 1]; w++) {
            if (index.writerTransactions()[w] == writer) {
                int slot = index.slot(key) + 1 + w - first;
                return Arrays.copyOfRange(
                        index.readerTransactions(), index.slotStarts()[slot], index.slotStarts()[slot + 1]);
            }
        }
        return new int[0];
    }
}
