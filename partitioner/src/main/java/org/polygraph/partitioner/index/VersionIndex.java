package org.polygraph.partitioner.index;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.RecordedCounts;

/**
 * Per key: its writers, the value that each one wrote, and its external reads grouped by the version that they read.
 *
 * <p>Shapes, for K keys, W visible writes and R external reads (of the decided reads of one version by one session only
 * the first and the last are kept, because those between follow from them):
 *
 * <ul>
 *   <li>writers of key k: [writerStarts[k], writerStarts[k+1]), ascending by transaction, hence by session and
 *       position;
 *   <li>writerClasses[w]: identity of the value within the key: the first writer of that value, or {@link #INITIAL};
 *   <li>readers of key k: [readerStarts[k], readerStarts[k+1]), by slot and in a slot ascending by transaction. Slots
 *       of k start at slot(k): the initial version, each writer in order, then the reads that are still ambiguous; slot
 *       i has the readers [slotStarts[i], slotStarts[i+1]);
 *   <li>readerClasses[r]: the class of the value read. The candidates of a read are the writers of its class but its
 *       own transaction, and the initial version if the class is INITIAL.
 * </ul>
 *
 * <p>A history with inserts and deletes has more keys here than it has, see {@link RowKeys}.
 *
 * <p>Memory: 12 bytes a writer, 8 a reader, 16 a key; 4 more a writer where values repeat.
 */
public final class VersionIndex {
    /** The class of the initial value. */
    public static final int INITIAL = -1;

    /**
     * The writers of all keys, see {@link VersionIndex}.
     *
     * @param next by writer: the next writer of the same class, or -1; null where no value repeats
     * @param initial by key: the first writer of the initial value, or -1; null where no transaction wrote it
     */
    @SuppressWarnings("ArrayRecordComponent") // columns, never compared
    record Writers(int[] starts, int[] transactions, int[] classes, int @Nullable [] next, int @Nullable [] initial) {}

    /** The external reads of all keys, see {@link VersionIndex}. */
    @SuppressWarnings("ArrayRecordComponent") // columns, never compared
    record Readers(int[] starts, int[] transactions, int[] classes, int[] slotStarts) {

        private Readers copy() {
            return new Readers(starts, transactions.clone(), classes.clone(), slotStarts.clone());
        }
    }

    private final Writers writers;
    private final Readers readers;
    private final @Nullable RowKeys rows;
    private int ambiguous;

    /** @param ambiguous how many reads have several candidates */
    VersionIndex(Writers writers, Readers readers, int ambiguous) {
        this(writers, readers, null, ambiguous);
    }

    private VersionIndex(Writers writers, Readers readers, @Nullable RowKeys rows, int ambiguous) {
        this.rows = rows;
        this.writers = writers;
        this.readers = readers;
        this.ambiguous = ambiguous;
    }

    /** A copy in which reads can be decided without deciding them here; it shares what never changes. */
    VersionIndex copy() {
        return new VersionIndex(writers, readers.copy(), rows, ambiguous);
    }

    /** The same index with a description of its keys. */
    VersionIndex with(RowKeys kinds) {
        return new VersionIndex(writers, readers, kinds, ambiguous);
    }

    /** The description of its keys; null in a history without inserts and deletes. */
    public @Nullable RowKeys rows() {
        return rows;
    }

    /** The key of the history that a key of the index is about. */
    public int keyOf(int key) {
        return rows == null ? key : rows.keyOf(key);
    }

    public int keys() {
        return writers.starts.length - 1;
    }

    public int writers() {
        return writers.transactions.length;
    }

    public int readers() {
        return readers.transactions.length;
    }

    /** Whether no counted value of a key was written twice, nor an initial value again. */
    public boolean hasUniqueValues() {
        return writers.next == null && writers.initial == null;
    }

    /**
     * Whether this is so for the keys that were recorded, and for the values that are not those of deleted rows.
     *
     * @param table of the index
     */
    public boolean hasUniqueValues(HistoryTable table) {
        int[] next = writers.next;
        int[] initial = writers.initial;
        int keys = hasUniqueValues() ? 0 : RecordedCounts.of(table).keys();
        for (int k = 0; k < keys; k++) {
            boolean isUnique = initial == null || initial[k] < 0 || deletes(table, initial[k], k);
            for (int w = writers.starts[k]; isUnique && next != null && w < writers.starts[k + 1]; w++) {
                isUnique = next[w] < 0 || (deletes(table, w, k) && deletes(table, next[w], k));
            }
            if (!isUnique) {
                return false;
            }
        }
        return true;
    }

    private boolean deletes(HistoryTable table, int writer, int key) {
        int write = table.lastWrite(writers.transactions[writer], key);
        return write >= 0 && table.isDelete(write);
    }

    /** The bytes of the arrays. */
    public long bytes() {
        int arrays = 2 + (writers.next == null ? 0 : 1);
        return 4L
                * (writers.starts.length
                        + readers.starts.length
                        + readers.slotStarts.length
                        + (long) arrays * writers()
                        + 2L * readers()
                        + (writers.initial == null ? 0 : keys()));
    }

    /** How many reads still have several candidate writers. */
    public int ambiguous() {
        return ambiguous;
    }

    public int[] writerStarts() {
        return writers.starts;
    }

    public int[] writerTransactions() {
        return writers.transactions;
    }

    public int[] writerClasses() {
        return writers.classes;
    }

    public int[] readerStarts() {
        return readers.starts;
    }

    public int[] readerTransactions() {
        return readers.transactions;
    }

    public int[] readerClasses() {
        return readers.classes;
    }

    /** Length writers + 2 * keys + 1, see the class comment. */
    public int[] slotStarts() {
        return readers.slotStarts;
    }

    /** The slot of key k's initial version; writer w of k has {@code slot(k) + 1 + w - writers.starts[k]}. */
    public int slot(int key) {
        return writers.starts[key] + 2 * key;
    }

    /** The slot of key k's ambiguous reads. */
    public int ambiguousSlot(int key) {
        return writers.starts[key + 1] + 2 * key + 1;
    }

    /** The first candidate writer of a class; walk on with {@link #nextInClass}. -1 if there is none. */
    public int firstInClass(int key, int valueClass) {
        if (valueClass != INITIAL) {
            return valueClass;
        }
        return writers.initial == null ? -1 : writers.initial[key];
    }

    /** The next writer of the same class as w, or -1. */
    public int nextInClass(int writer) {
        return writers.next == null ? -1 : writers.next[writer];
    }

    /**
     * Moves ambiguous reads of a key to the versions that they were found to read.
     *
     * @param slots for each ambiguous reader of the key, in order: its new slot relative to slot(key), or -1 to stay
     */
    public void resolve(int key, int[] slots) {
        int base = slot(key);
        int last = ambiguousSlot(key);
        int from = readers.slotStarts[base];
        int to = readers.slotStarts[last + 1];
        int open = readers.slotStarts[last];
        int count = last - base + 1;
        int[] sizes = new int[count + 1];
        for (int s = 0; s < count; s++) {
            sizes[s + 1] = readers.slotStarts[base + s + 1] - readers.slotStarts[base + s];
        }
        int resolved = 0;
        for (int i = 0; i < to - open; i++) {
            if (slots[i] >= 0) {
                sizes[slots[i] + 1]++;
                sizes[count]--;
                resolved++;
            }
        }
        for (int s = 0; s < count; s++) {
            sizes[s + 1] += sizes[s];
        }
        int[] next = Arrays.copyOf(sizes, count);
        int[] transactions = new int[to - from];
        int[] classes = new int[to - from];
        int slot = 0;
        for (int r = from; r < to; r++) {
            while (r >= readers.slotStarts[base + slot + 1]) {
                slot++;
            }
            int target = r >= open && slots[r - open] >= 0 ? slots[r - open] : slot;
            int place = next[target]++;
            transactions[place] = readers.transactions[r];
            classes[place] = readers.classes[r];
        }
        System.arraycopy(transactions, 0, readers.transactions, from, to - from);
        System.arraycopy(classes, 0, readers.classes, from, to - from);
        for (int s = 0; s < count; s++) {
            readers.slotStarts[base + s] = from + sizes[s];
            if (s < count - 1) {
                // All readers of a decided slot have one class.
                Arrays.sort(readers.transactions, from + sizes[s], from + sizes[s + 1]);
            }
        }
        ambiguous -= resolved;
    }
}
