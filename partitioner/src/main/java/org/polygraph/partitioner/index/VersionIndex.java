package org.polygraph.partitioner.index;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.ArrayFile;

/**
 * Per key: its writers, the value each wrote, and its external reads grouped by the version they read.
 *
 * <p>Shapes, for K keys, W visible writes, R external reads (of resolved reads of one version by one session only the
 * first and the last are kept; those between follow from them):
 *
 * <ul>
 *   <li>writers of key k: [writerStarts[k], writerStarts[k+1]), ascending by transaction, hence by session and position;
 *   <li>writerClasses[w]: identity of the value within the key: the first writer of that value, or {@link #INITIAL};
 *   <li>readers of key k: [readerStarts[k], readerStarts[k+1]), by slot and in a slot ascending by transaction. Slots of k
 *       start at slot(k): the initial version, each writer in order, then the reads that are still ambiguous; slot i has
 *       the readers [slotStarts[i], slotStarts[i+1]);
 *   <li>readerClasses[r]: the class of the value read. Candidates of a read are the writers of its class but its own
 *       transaction, and the initial version if the class is INITIAL.
 * </ul>
 *
 * <p>Memory: 12 bytes a writer, 8 a reader, 16 a key; 4 more a writer where values repeat.
 */
public final class VersionIndex {
    /** The class of the initial value. */
    public static final int INITIAL = -1;

    final int[] writerStarts;
    final int[] writerTransactions;
    final int[] writerClasses;
    final int[] readerStarts;
    final int[] readerTransactions;
    final int[] readerClasses;
    final int[] slotStarts;
    /** The next writer of the same class, or -1; null where no value repeats. */
    final int @Nullable [] nextInClass;
    /** By key: the first writer of the initial value, or -1; null where there is none at all. */
    final int @Nullable [] initialWriters;

    private int ambiguous;

    VersionIndex(
            int[] writerStarts,
            int[] writerTransactions,
            int[] writerClasses,
            int[] readerStarts,
            int[] readerTransactions,
            int[] readerClasses,
            int[] slotStarts,
            int @Nullable [] nextInClass,
            int @Nullable [] initialWriters,
            int ambiguous) {
        this.writerStarts = writerStarts;
        this.writerTransactions = writerTransactions;
        this.writerClasses = writerClasses;
        this.readerStarts = readerStarts;
        this.readerTransactions = readerTransactions;
        this.readerClasses = readerClasses;
        this.slotStarts = slotStarts;
        this.nextInClass = nextInClass;
        this.initialWriters = initialWriters;
        this.ambiguous = ambiguous;
    }

    /** A copy in which reads may be decided without deciding them here; shares what never changes. */
    VersionIndex copy() {
        return new VersionIndex(
                writerStarts,
                writerTransactions,
                writerClasses,
                readerStarts,
                readerTransactions.clone(),
                readerClasses.clone(),
                slotStarts.clone(),
                nextInClass,
                initialWriters,
                ambiguous);
    }

    /** Adds what it is made of to a stage file. */
    void saveTo(ArrayFile file) {
        file.put("writerStarts", writerStarts)
                .put("writerTransactions", writerTransactions)
                .put("writerClasses", writerClasses)
                .put("readerStarts", readerStarts)
                .put("nextInClass", nextInClass == null ? new int[0] : nextInClass)
                .put("initialWriters", initialWriters == null ? new int[0] : initialWriters)
                .put(
                        "optionalArrays",
                        new byte[] {(byte) (nextInClass == null ? 0 : 1), (byte) (initialWriters == null ? 0 : 1)});
        saveReadsTo(file);
    }

    /** Adds what {@link #resolve} changes. */
    public void saveReadsTo(ArrayFile file) {
        file.put("readerTransactions", readerTransactions)
                .put("readerClasses", readerClasses)
                .put("slotStarts", slotStarts)
                .put("ambiguous", new int[] {ambiguous});
    }

    /** The inverse of {@link #saveTo}. */
    static VersionIndex of(ArrayFile file) throws ArrayFile.DamagedException {
        byte[] has = file.bytes("optionalArrays");
        return new VersionIndex(
                file.ints("writerStarts"),
                file.ints("writerTransactions"),
                file.ints("writerClasses"),
                file.ints("readerStarts"),
                file.ints("readerTransactions"),
                file.ints("readerClasses"),
                file.ints("slotStarts"),
                has[0] == 0 ? null : file.ints("nextInClass"),
                has[1] == 0 ? null : file.ints("initialWriters"),
                file.ints("ambiguous")[0]);
    }

    /** The same keys and writers with the reads that a stage file has. */
    VersionIndex withReadsOf(ArrayFile file) throws ArrayFile.DamagedException {
        return new VersionIndex(
                writerStarts,
                writerTransactions,
                writerClasses,
                readerStarts,
                file.ints("readerTransactions"),
                file.ints("readerClasses"),
                file.ints("slotStarts"),
                nextInClass,
                initialWriters,
                file.ints("ambiguous")[0]);
    }

    /** The same with other numbers of transactions, which must ascend as the old ones do. */
    public VersionIndex renumbered(IntUnaryOperator number) {
        int[] writers = new int[writers()];
        for (int w = 0; w < writers.length; w++) {
            writers[w] = number.applyAsInt(writerTransactions[w]);
        }
        int[] readers = new int[readers()];
        for (int r = 0; r < readers.length; r++) {
            readers[r] = number.applyAsInt(readerTransactions[r]);
        }
        return new VersionIndex(
                writerStarts,
                writers,
                writerClasses,
                readerStarts,
                readers,
                readerClasses.clone(),
                slotStarts.clone(),
                nextInClass,
                initialWriters,
                ambiguous);
    }

    /** Some keys, ascending, numbered from 0; -1 is one that nobody reads or writes. Linear in what they have. */
    public VersionIndex part(int[] chosen) {
        int keys = chosen.length;
        int writers = 0;
        int readers = 0;
        for (int k = 0; k < keys; k++) {
            int key = chosen[k];
            writers += key < 0 ? 0 : writerStarts[key + 1] - writerStarts[key];
            readers += key < 0 ? 0 : readerStarts[key + 1] - readerStarts[key];
        }
        int[] next = nextInClass == null ? null : new int[writers];
        int[] initial = initialWriters == null ? null : new int[keys];
        VersionIndex part = new VersionIndex(
                new int[keys + 1],
                new int[writers],
                new int[writers],
                new int[keys + 1],
                new int[readers],
                new int[readers],
                new int[writers + 2 * keys + 1],
                next,
                initial,
                0);
        int w = 0;
        int r = 0;
        for (int k = 0; k < keys; k++) {
            int key = chosen[k];
            part.writerStarts[k] = w;
            part.readerStarts[k] = r;
            if (key < 0) {
                Arrays.fill(part.slotStarts, part.slot(k), part.slot(k) + 2, r);
                if (initial != null) {
                    initial[k] = -1;
                }
                continue;
            }
            int w0 = writerStarts[key];
            int r0 = readerStarts[key];
            int ws = writerStarts[key + 1] - w0;
            int rs = readerStarts[key + 1] - r0;
            System.arraycopy(writerTransactions, w0, part.writerTransactions, w, ws);
            System.arraycopy(readerTransactions, r0, part.readerTransactions, r, rs);
            shift(writerClasses, w0, part.writerClasses, w, ws, w - w0);
            shift(readerClasses, r0, part.readerClasses, r, rs, w - w0);
            if (nextInClass != null && next != null) {
                shift(nextInClass, w0, next, w, ws, w - w0);
            }
            if (initialWriters != null && initial != null) {
                shift(initialWriters, key, initial, k, 1, w - w0);
            }
            for (int s = 0; s < ws + 2; s++) {
                part.slotStarts[part.slot(k) + s] = slotStarts[slot(key) + s] + r - r0;
            }
            int open = ambiguousSlot(key);
            part.ambiguous += slotStarts[open + 1] - slotStarts[open];
            w += ws;
            r += rs;
        }
        part.writerStarts[keys] = w;
        part.readerStarts[keys] = r;
        part.slotStarts[w + 2 * keys] = r;
        return part;
    }

    /**
     * One key, of which every read is decided.
     *
     * @param writers transactions, ascending
     * @param slotStarts where the readers of the initial version begin, of each writer, and twice the number of readers
     * @param readers transactions, ascending within a slot
     */
    public static VersionIndex ofKey(int[] writers, int[] slotStarts, int[] readers) {
        int[] classes = new int[writers.length];
        int[] readClasses = new int[readers.length];
        Arrays.fill(readClasses, 0, slotStarts[1], INITIAL);
        for (int w = 0; w < writers.length; w++) {
            classes[w] = w;
            Arrays.fill(readClasses, slotStarts[w + 1], slotStarts[w + 2], w);
        }
        return new VersionIndex(
                new int[] {0, writers.length},
                writers,
                classes,
                new int[] {0, readers.length},
                readers,
                readClasses,
                slotStarts,
                null,
                null,
                0);
    }

    /** Copies numbers of writers; negative ones (none, INITIAL) stay as they are. */
    static void shift(int[] source, int from, int[] target, int at, int count, int by) {
        for (int i = 0; i < count; i++) {
            target[at + i] = source[from + i] < 0 ? source[from + i] : source[from + i] + by;
        }
    }

    public int keys() {
        return writerStarts.length - 1;
    }

    public int writers() {
        return writerTransactions.length;
    }

    public int readers() {
        return readerTransactions.length;
    }

    /** Whether no counted value of a key was written twice, nor an initial value again. */
    public boolean hasUniqueValues() {
        return nextInClass == null && initialWriters == null;
    }

    /** Bytes of the arrays. */
    public long bytes() {
        return 4L
                * (writerStarts.length
                        + readerStarts.length
                        + slotStarts.length
                        + 2L * writers()
                        + 2L * readers()
                        + (nextInClass == null ? 0 : writers())
                        + (initialWriters == null ? 0 : keys()));
    }

    /** How many reads still have several candidate writers. */
    public int ambiguous() {
        return ambiguous;
    }

    public int[] writerStarts() {
        return writerStarts;
    }

    public int[] writerTransactions() {
        return writerTransactions;
    }

    public int[] writerClasses() {
        return writerClasses;
    }

    public int[] readerStarts() {
        return readerStarts;
    }

    public int[] readerTransactions() {
        return readerTransactions;
    }

    public int[] readerClasses() {
        return readerClasses;
    }

    /** Length writers + 2 * keys + 1, see the class comment. */
    public int[] slotStarts() {
        return slotStarts;
    }

    /** The slot of key k's initial version; writer w of k has {@code slot(k) + 1 + w - writerStarts[k]}. */
    public int slot(int key) {
        return writerStarts[key] + 2 * key;
    }

    /** The slot of key k's ambiguous reads. */
    public int ambiguousSlot(int key) {
        return writerStarts[key + 1] + 2 * key + 1;
    }

    /** The first candidate writer of a class; walk on with {@link #nextInClass}. -1 if there is none. */
    public int firstInClass(int key, int valueClass) {
        if (valueClass != INITIAL) {
            return valueClass;
        }
        return initialWriters == null ? -1 : initialWriters[key];
    }

    /** The next writer of the same class as w, or -1. */
    public int nextInClass(int writer) {
        return nextInClass == null ? -1 : nextInClass[writer];
    }

    /**
     * Files ambiguous reads of a key under the version that was found to be theirs.
     *
     * @param slots for each ambiguous reader of the key, in order: its new slot relative to slot(key), or -1 to stay
     */
    public void resolve(int key, int[] slots) {
        int base = slot(key);
        int last = ambiguousSlot(key);
        int from = slotStarts[base];
        int to = slotStarts[last + 1];
        int open = slotStarts[last];
        int count = last - base + 1;
        int[] sizes = new int[count + 1];
        for (int s = 0; s < count; s++) {
            sizes[s + 1] = slotStarts[base + s + 1] - slotStarts[base + s];
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
            while (r >= slotStarts[base + slot + 1]) {
                slot++;
            }
            int target = r >= open && slots[r - open] >= 0 ? slots[r - open] : slot;
            int place = next[target]++;
            transactions[place] = readerTransactions[r];
            classes[place] = readerClasses[r];
        }
        System.arraycopy(transactions, 0, readerTransactions, from, to - from);
        System.arraycopy(classes, 0, readerClasses, from, to - from);
        for (int s = 0; s < count; s++) {
            slotStarts[base + s] = from + sizes[s];
            sortByTransaction(from + sizes[s], from + sizes[s + 1], s == count - 1);
        }
        ambiguous -= resolved;
    }

    /** Restores ascending transactions in a slot that got new readers; all of a resolved slot have one class. */
    private void sortByTransaction(int from, int to, boolean stays) {
        if (!stays) {
            Arrays.sort(readerTransactions, from, to);
        }
    }
}
