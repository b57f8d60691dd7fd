package org.polygraph.partitioner.index;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.model.Outcome;

/**
 * The same {@link IndexedHistory}, to the last reader and violation, put together from {@link IndexSlice}s: what is done
 * where the whole history is, while slices are made elsewhere.
 *
 * <p>Unknown outcomes are resolved here (they need both ends of every read, and are few); where there are none, nothing
 * is scanned here.
 */
public final class SlicedIndexing {
    private final HistoryTable table;
    private final KeySlices slices;
    private final Counting counting;
    private final List<Violation> violations;

    private SlicedIndexing(HistoryTable table, KeySlices slices, Counting counting, List<Violation> violations) {
        this.table = table;
        this.slices = slices;
        this.counting = counting;
        this.violations = violations;
    }

    /**
     * Decides who counts.
     *
     * @param slices how many to make of the keys
     */
    public static SlicedIndexing of(HistoryTable table, IndexedHistory.Indeterminate indeterminate, int slices) {
        KeySlices keySlices = new KeySlices(table.keys().size(), slices);
        if (indeterminate == IndexedHistory.Indeterminate.MAYBE && anyUnknown(table.outcomes())) {
            FirstPass pass = FirstPass.of(table, indeterminate, TransactionScan.Reads.FIRST);
            return new SlicedIndexing(table, keySlices, pass.counting(), pass.violations());
        }
        return new SlicedIndexing(table, keySlices, Counting.ofCommitted(table), List.of());
    }

    private static boolean anyUnknown(byte[] outcomes) {
        byte unknown = Outcome.INDETERMINATE.code();
        for (byte outcome : outcomes) {
            if (outcome == unknown) {
                return true;
            }
        }
        return false;
    }

    public KeySlices slices() {
        return slices;
    }

    /** Who counts: dropped transactions need not be dealt out. */
    public Counting counting() {
        return counting;
    }

    /** The result, if it is known without any slice: some transaction contradicts itself. */
    public @Nullable IndexedHistory known() {
        return violations.isEmpty() ? null : IndexedHistory.impossible(table, counting, violations);
    }

    /**
     * Puts slices together. Holds their bytes and the result at once: twice {@link VersionIndex#bytes}.
     *
     * @param bytes by slice; null for one without operations
     */
    public IndexedHistory merge(IntFunction<byte @Nullable []> bytes) {
        IndexSlice[] parts = new IndexSlice[slices.slices()];
        for (int s = 0; s < parts.length; s++) {
            byte[] part = bytes.apply(s);
            parts[s] = part == null ? IndexSlice.empty(slices, s) : IndexSlice.ofBytes(part);
        }
        IntArrayList broken = IntArrayList.wrap(parts[0].broken());
        if (!broken.isEmpty()) {
            for (int i = 0; i < broken.size(); i += 2) {
                broken.set(i + 1, broken.getInt(i + 1) + table.operationStarts()[broken.getInt(i)]);
            }
            return IndexedHistory.impossible(table, counting, FirstPass.inconsistent(table, counting, broken));
        }
        IntArrayList impossible = impossible(parts);
        if (!impossible.isEmpty()) {
            return IndexedHistory.impossible(table, counting, FirstPass.impossible(table, counting, impossible));
        }
        return IndexedHistory.of(table, counting, new Merge(slices, parts).result());
    }

    /** (key, transaction) pairs of all slices, ascending by key. */
    private IntArrayList impossible(IndexSlice[] parts) {
        int total = 0;
        for (IndexSlice part : parts) {
            total += part.impossible().length / 2;
        }
        long[] pairs = new long[total];
        int next = 0;
        for (IndexSlice part : parts) {
            int[] found = part.impossible();
            for (int i = 0; i < found.length; i += 2) {
                pairs[next++] = (long) slices.keyOf(part.slice(), found[i]) << 32 | found[i + 1];
            }
        }
        Arrays.sort(pairs);
        IntArrayList result = new IntArrayList(2 * total);
        for (long pair : pairs) {
            result.add((int) (pair >>> 32));
            result.add((int) pair);
        }
        return result;
    }

    /** Copies slices into one index, key by key. */
    private static final class Merge {
        private final KeySlices slices;
        private final IndexSlice[] parts;

        Merge(KeySlices slices, IndexSlice[] parts) {
            this.slices = slices;
            this.parts = parts;
        }

        VersionIndex result() {
            long writers = 0;
            long readers = 0;
            int ambiguous = 0;
            boolean repeated = false;
            boolean initial = false;
            for (IndexSlice part : parts) {
                VersionIndex v = part.versions();
                writers += v.writers();
                readers += v.readers();
                ambiguous += v.ambiguous();
                repeated |= v.nextInClass != null;
                initial |= v.initialWriters != null;
            }
            int keys = slices.keys();
            VersionIndex all = new VersionIndex(
                    new int[keys + 1],
                    new int[Math.toIntExact(writers)],
                    new int[(int) writers],
                    new int[keys + 1],
                    new int[Math.toIntExact(readers)],
                    new int[(int) readers],
                    new int[Math.toIntExact(writers + 2L * keys + 1)],
                    repeated ? filled((int) writers) : null,
                    initial ? filled(keys) : null,
                    ambiguous);
            int w = 0;
            int r = 0;
            int slice = 0;
            int local = 0;
            for (int key = 0; key < keys; key++) {
                all.writerStarts[key] = w;
                all.readerStarts[key] = r;
                VersionIndex part = parts[slice].versions();
                copy(part, local, all, key);
                w += part.writerStarts[local + 1] - part.writerStarts[local];
                r += part.readerStarts[local + 1] - part.readerStarts[local];
                if (++slice == slices.slices()) {
                    slice = 0;
                    local++;
                }
            }
            all.writerStarts[keys] = w;
            all.readerStarts[keys] = r;
            all.slotStarts[w + 2 * keys] = r;
            return all;
        }

        private static void copy(VersionIndex part, int local, VersionIndex all, int key) {
            int w0 = part.writerStarts[local];
            int w1 = part.writerStarts[local + 1];
            int r0 = part.readerStarts[local];
            int r1 = part.readerStarts[local + 1];
            int toW = all.writerStarts[key];
            int toR = all.readerStarts[key];
            System.arraycopy(part.writerTransactions, w0, all.writerTransactions, toW, w1 - w0);
            System.arraycopy(part.readerTransactions, r0, all.readerTransactions, toR, r1 - r0);
            shift(part.writerClasses, w0, w1, all.writerClasses, toW, toW - w0);
            shift(part.readerClasses, r0, r1, all.readerClasses, toR, toW - w0);
            int slot = part.slot(local);
            int slots = w1 - w0 + 2;
            for (int s = 0; s < slots; s++) {
                all.slotStarts[all.slot(key) + s] = part.slotStarts[slot + s] + toR - r0;
            }
            if (part.nextInClass != null && all.nextInClass != null) {
                shift(part.nextInClass, w0, w1, all.nextInClass, toW, toW - w0);
            }
            if (part.initialWriters != null && all.initialWriters != null && part.initialWriters[local] >= 0) {
                all.initialWriters[key] = part.initialWriters[local] + toW - w0;
            }
        }

        /** Copies numbers of writers; negative ones (none, INITIAL) stay as they are. */
        private static void shift(int[] source, int from, int to, int[] target, int at, int by) {
            for (int i = from; i < to; i++) {
                target[at + i - from] = source[i] < 0 ? source[i] : source[i] + by;
            }
        }

        private static int[] filled(int length) {
            int[] ints = new int[length];
            Arrays.fill(ints, -1);
            return ints;
        }
    }
}
