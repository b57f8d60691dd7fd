package org.polygraph.partitioner.sliced;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.index.VersionIndex;

/**
 * Merges the slices of a key that was split by value. {@link #add} copies each slice behind the previous one, into the
 * space of the key in the index of all keys. After the last slice, writers are sorted by transaction, and readers by
 * writer. All writers and readers of a value are in the same slice, so that nothing else has to be restored.
 *
 * <p>Time: that of merging the sorted writers of the slices. Memory: 4 bytes for each reader until the last slice
 * comes, then 12 for each writer and 8 for each reader more. Not thread-safe.
 */
final class SplitKeyMerge {
    private final VersionIndex all;
    private final int key;
    private final int firstWriter;
    private final int firstReader;
    private int missing;
    private int writers;
    /** By reader so far: its slot in the order in which slices were added. */
    private final int[] slots;

    private int readers;

    /**
     * A key of which no slice has been added.
     *
     * @param all the index of all keys, with space for this key
     * @param parts the number of slices of the key
     */
    SplitKeyMerge(VersionIndex all, int key, int parts) {
        this.all = all;
        this.key = key;
        this.firstWriter = all.writerStarts()[key];
        this.firstReader = all.readerStarts()[key];
        this.slots = new int[all.readerStarts()[key + 1] - firstReader];
        this.missing = parts;
    }

    /**
     * Adds a slice, in any order.
     *
     * @return whether it was the last one, so that the key is complete
     * @throws IllegalStateException if the sizes of the slices are not those that were announced
     */
    boolean add(VersionIndex part) {
        int total = all.writerStarts()[key + 1] - firstWriter;
        if (part.writers() > total - writers || part.readers() > slots.length - readers) {
            throw new IllegalStateException("key " + key + " has other sizes than announced");
        }
        int w = firstWriter + writers;
        int r = firstReader + readers;
        System.arraycopy(part.writerTransactions(), 0, all.writerTransactions(), w, part.writers());
        System.arraycopy(part.readerTransactions(), 0, all.readerTransactions(), r, part.readers());
        VersionIndex.shift(part.writerClasses(), 0, all.writerClasses(), w, part.writers(), w);
        VersionIndex.shift(part.readerClasses(), 0, all.readerClasses(), r, part.readers(), w);
        if (part.classLinks() != null && all.classLinks() != null) {
            VersionIndex.shift(part.classLinks(), 0, all.classLinks(), w, part.writers(), w);
        }
        if (part.initialWriters() != null && all.initialWriters() != null && part.initialWriters()[0] >= 0) {
            all.initialWriters()[key] = part.initialWriters()[0] + w;
        }
        int open = part.writers() + 1;
        Arrays.fill(slots, readers + part.slotStarts()[open], readers + part.readers(), total + 1);
        for (int s = 1; s < open; s++) {
            Arrays.fill(slots, readers + part.slotStarts()[s], readers + part.slotStarts()[s + 1], writers + s);
        }
        writers += part.writers();
        readers += part.readers();
        if (--missing > 0) {
            return false;
        }
        if (writers != total || readers != slots.length) {
            throw new IllegalStateException("key " + key + " has other sizes than announced");
        }
        int[] places = orderWriters();
        orderReaders(places);
        return true;
    }

    /** @return by writer, in the order in which slices were added: its place among all writers of the key */
    private int[] orderWriters() {
        long[] sorted = new long[writers];
        for (int i = 0; i < writers; i++) {
            sorted[i] = (long) all.writerTransactions()[firstWriter + i] << Integer.SIZE | i;
        }
        Arrays.sort(sorted);
        int[] places = new int[writers];
        for (int i = 0; i < writers; i++) {
            places[(int) sorted[i]] = i;
            all.writerTransactions()[firstWriter + i] = (int) (sorted[i] >>> Integer.SIZE);
        }
        moveWriters(all.writerClasses(), places);
        moveWriters(all.classLinks(), places);
        if (all.initialWriters() != null && all.initialWriters()[key] >= 0) {
            all.initialWriters()[key] = moved(all.initialWriters()[key], places);
        }
        return places;
    }

    private int moved(int writer, int[] places) {
        return writer < 0 ? writer : firstWriter + places[writer - firstWriter];
    }

    /** @param byWriter by writer: the number of another writer, or -1; null if the index has no such array */
    private void moveWriters(int @Nullable [] byWriter, int[] places) {
        if (byWriter != null) {
            int[] old = Arrays.copyOfRange(byWriter, firstWriter, firstWriter + writers);
            for (int i = 0; i < writers; i++) {
                byWriter[firstWriter + places[i]] = moved(old[i], places);
            }
        }
    }

    private void orderReaders(int[] places) {
        int[] slotStarts = all.slotStarts();
        int base = all.slot(key);
        int open = writers + 1;
        Arrays.fill(slotStarts, base, base + open + 1, 0);
        for (int r = 0; r < readers; r++) {
            if (slots[r] > 0 && slots[r] < open) {
                slots[r] = 1 + places[slots[r] - 1];
            }
            slotStarts[base + slots[r]]++;
        }
        int next = firstReader;
        for (int s = base; s <= base + open; s++) {
            int count = slotStarts[s];
            slotStarts[s] = next;
            next += count;
        }
        int[] transactions = Arrays.copyOfRange(all.readerTransactions(), firstReader, firstReader + readers);
        int[] classes = Arrays.copyOfRange(all.readerClasses(), firstReader, firstReader + readers);
        for (int r = 0; r < readers; r++) {
            int place = slotStarts[base + slots[r]]++;
            all.readerTransactions()[place] = transactions[r];
            all.readerClasses()[place] = moved(classes[r], places);
        }
        System.arraycopy(slotStarts, base, slotStarts, base + 1, open);
        slotStarts[base] = firstReader;
        orderOpen(slotStarts[base + open], firstReader + readers);
    }

    /** Sorts the readers of the initial value, the only ones of a slot that may come from several slices. */
    private void orderOpen(int from, int to) {
        long[] sorted = new long[to - from];
        for (int i = 0; i < sorted.length; i++) {
            sorted[i] = (long) all.readerTransactions()[from + i] << Integer.SIZE
                    | Integer.toUnsignedLong(all.readerClasses()[from + i]);
        }
        Arrays.sort(sorted);
        for (int i = 0; i < sorted.length; i++) {
            all.readerTransactions()[from + i] = (int) (sorted[i] >>> Integer.SIZE);
            all.readerClasses()[from + i] = (int) sorted[i];
        }
    }

    /**
     * One slice of a key whose index is complete: every n-th written value, and in the first slice also the initial
     * value.
     *
     * @param parts n
     * @param part the number of the slice, from 0
     */
    static VersionIndex part(VersionIndex all, int key, int parts, int part) {
        int w0 = all.writerStarts()[key];
        int total = all.writerStarts()[key + 1] - w0;
        int[] chosen = new int[total];
        int[] numbers = new int[total];
        int count = 0;
        for (int i = 0; i < total; i++) {
            numbers[i] = count;
            if (isOf(all.writerClasses()[w0 + i], w0, parts, part)) {
                chosen[count++] = w0 + i;
            }
        }
        int base = all.slot(key);
        int most = 0;
        for (int r = all.readerStarts()[key]; r < all.readerStarts()[key + 1]; r++) {
            most += isOf(all.readerClasses()[r], w0, parts, part) ? 1 : 0;
        }
        int[] transactions = new int[count];
        int[] classes = new int[count];
        int @Nullable [] nextInClass = all.classLinks() == null ? null : new int[count];
        for (int i = 0; i < count; i++) {
            int w = chosen[i];
            transactions[i] = all.writerTransactions()[w];
            classes[i] = numbered(all.writerClasses()[w], w0, numbers);
            if (all.classLinks() != null && nextInClass != null) {
                nextInClass[i] = numbered(all.classLinks()[w], w0, numbers);
            }
        }
        int[] readerTransactions = new int[most];
        int[] readerClasses = new int[most];
        int[] slotStarts = new int[count + 3];
        int readers = 0;
        for (int s = 0; s < count + 2; s++) {
            slotStarts[s] = readers;
            int slot = s == 0 ? base : s > count ? base + total + 1 : base + 1 + chosen[s - 1] - w0;
            for (int r = all.slotStarts()[slot]; r < all.slotStarts()[slot + 1]; r++) {
                if (isOf(all.readerClasses()[r], w0, parts, part)) {
                    readerTransactions[readers] = all.readerTransactions()[r];
                    readerClasses[readers++] = numbered(all.readerClasses()[r], w0, numbers);
                }
            }
        }
        slotStarts[count + 2] = readers;
        int[] initialWriters = all.initialWriters() == null
                ? null
                : new int[] {part == 0 ? numbered(all.initialWriters()[key], w0, numbers) : -1};
        return new VersionIndex(
                new VersionIndex.Writers(new int[] {0, count}, transactions, classes, nextInClass, initialWriters),
                new VersionIndex.Readers(new int[] {0, readers}, readerTransactions, readerClasses, slotStarts),
                readers - slotStarts[count + 1]);
    }

    private static boolean isOf(int valueClass, int firstWriter, int parts, int part) {
        return (valueClass == VersionIndex.INITIAL ? 0 : (valueClass - firstWriter) % parts) == part;
    }

    private static int numbered(int writer, int firstWriter, int[] numbers) {
        return writer < 0 ? writer : numbers[writer - firstWriter];
    }
}
