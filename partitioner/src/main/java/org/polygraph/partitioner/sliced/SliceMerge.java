package org.polygraph.partitioner.sliced;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.FirstPass;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.storage.table.HistoryTable;

/**
 * Merges {@link IndexSlice}s into one index. It gets their {@link IndexSlice#sizes} first and allocates the index; each
 * slice is then copied to its place and need not be kept.
 *
 * <p>Memory: the index, a bit for each slice, and a {@link SplitKeyMerge} for each split key of which some slices have
 * come, but not all. Time: linear, except for the writers of split keys. Not thread-safe.
 */
public final class SliceMerge {
    private final HistoryTable table;
    private final CommitStatus commitStatus;
    private final KeySlices slices;
    /** The slices that have operations and are not yet added. */
    private final BitSet awaited = new BitSet();

    private final long[] bytes;
    /** By place of a split key: the number of its slices that are not yet added. */
    private final int[] partsToCome;

    /** By place of a split key: the slices that were added. */
    private final @Nullable SplitKeyMerge[] parts;

    private final @Nullable IndexedHistory refuted;
    private final VersionIndex all;

    /** @param sizes of every slice that has operations, in any order */
    SliceMerge(HistoryTable table, CommitStatus commitStatus, KeySlices slices, Iterable<byte[]> sizes) {
        this.table = table;
        this.commitStatus = commitStatus;
        this.slices = slices;
        this.bytes = new long[slices.slices()];
        this.partsToCome = new int[slices.splitKeys().length];
        this.parts = new @Nullable SplitKeyMerge[partsToCome.length];
        Sizes sum = new Sizes();
        for (byte[] each : sizes) {
            sum.add(each);
        }
        refuted = sum.refuted();
        all = refuted == null
                ? sum.room()
                : new VersionIndex(
                        VersionIndex.Writers.room(0, 0, false, false), VersionIndex.Readers.room(0, 0, 0), 0);
    }

    /**
     * The violated history, if the sizes alone decide: some transaction contradicts itself, or a read is impossible.
     */
    public @Nullable IndexedHistory known() {
        return refuted;
    }

    /**
     * The number of bytes of a slice as {@link IndexSlice#toBytes}; 0 for a slice without operations, which need not be
     * added.
     */
    public long bytesOf(int slice) {
        return bytes[slice];
    }

    /**
     * Copies a slice to its places.
     *
     * @param slice {@link IndexSlice#toBytes}; not kept
     * @throws IllegalStateException if its sizes were not given, or if it is added twice
     */
    public void add(byte[] slice) {
        IndexSlice part = IndexSlice.ofBytes(slice);
        if (!awaited.get(part.slice())) {
            throw new IllegalStateException("slice " + part.slice() + " is there twice, or has grown");
        }
        awaited.clear(part.slice());
        if (slices.isOfSplitKey(part.slice())) {
            addPart(slices.placeOf(part.slice()), part.versions());
            return;
        }
        int keys = slices.keysOf(part.slice());
        for (int local = 0; local < keys; local++) {
            int key = slices.keyOf(part.slice(), local);
            if (!slices.isSplit(key)) {
                copy(part.versions(), local, key);
            }
        }
    }

    private void addPart(int place, VersionIndex part) {
        SplitKeyMerge key = parts[place];
        if (key == null) {
            key = new SplitKeyMerge(all, slices.splitKeys()[place], partsToCome[place]);
            parts[place] = key;
        }
        if (key.add(part)) {
            parts[place] = null;
        }
    }

    /** @throws IllegalStateException if a slice is missing */
    public IndexedHistory result() {
        if (!awaited.isEmpty()) {
            throw new IllegalStateException("slice " + awaited.nextSetBit(0) + " is missing");
        }
        return refuted == null ? IndexedHistory.of(table, commitStatus, all) : refuted;
    }

    private void copy(VersionIndex part, int local, int key) {
        if (size(part.writerStarts(), local) != size(all.writerStarts(), key)
                || size(part.readerStarts(), local) != size(all.readerStarts(), key)) {
            throw new IllegalStateException("key " + key + " has other sizes than announced");
        }
        all.copyKey(part, local, key);
    }

    private static int size(int[] starts, int key) {
        return starts[key + 1] - starts[key];
    }

    /** The sums of the sizes of all slices. */
    private final class Sizes {
        private final int[] writerStarts = new int[slices.keys() + 1];
        private final int[] readerStarts = new int[slices.keys() + 1];
        private int ambiguous;
        private boolean repeated;
        private boolean initial;
        private final IntArrayList broken = new IntArrayList();
        private final IntArrayList impossible = new IntArrayList();

        /** Stores the counts of keys one place higher, where the prefix sums are computed. */
        void add(byte[] sizes) {
            ByteBuffer in = ByteBuffer.wrap(sizes).order(ByteOrder.LITTLE_ENDIAN);
            IndexSlice.Header header = IndexSlice.Header.of(in);
            int slice = header.slice();
            if (awaited.get(slice) || header.keys() != slices.keysOf(slice)) {
                throw new IllegalStateException("slice " + slice + " is there twice, or is another's");
            }
            awaited.set(slice);
            bytes[slice] = header.bytes();
            if (slices.isOfSplitKey(slice)) {
                partsToCome[slices.placeOf(slice)]++;
            }
            ambiguous += header.ambiguous();
            repeated |= header.repeated();
            initial |= header.initial();
            counts(in, slice, writerStarts);
            counts(in, slice, readerStarts);
            for (int i = 0; i < header.impossible(); i++) {
                impossible.add(slices.keyOf(slice, in.getInt()));
                impossible.add(in.getInt());
            }
            for (int i = 0; i < header.broken(); i++) {
                int transaction = in.getInt();
                broken.add(transaction);
                broken.add(table.firstOperation(transaction) + in.getInt());
            }
        }

        private void counts(ByteBuffer in, int slice, int[] starts) {
            int keys = slices.keysOf(slice);
            int last = in.getInt();
            for (int local = 0; local < keys; local++) {
                int next = in.getInt();
                starts[slices.keyOf(slice, local) + 1] += next - last;
                last = next;
            }
        }

        @Nullable
        IndexedHistory refuted() {
            if (!broken.isEmpty()) {
                awaited.clear();
                return IndexedHistory.impossible(
                        table, commitStatus, FirstPass.inconsistent(table, commitStatus, broken));
            }
            if (!impossible.isEmpty()) {
                awaited.clear();
                return IndexedHistory.impossible(
                        table, commitStatus, FirstPass.impossible(table, commitStatus, ascending(impossible)));
            }
            return null;
        }

        /** The index, without the content of the arrays that slices fill. */
        VersionIndex room() {
            int keys = slices.keys();
            for (int key = 0; key < keys; key++) {
                writerStarts[key + 1] = Math.addExact(writerStarts[key + 1], writerStarts[key]);
                readerStarts[key + 1] = Math.addExact(readerStarts[key + 1], readerStarts[key]);
            }
            int writers = writerStarts[keys];
            int readers = readerStarts[keys];
            int[] slotStarts = new int[Math.toIntExact(writers + 2L * keys + 1)];
            for (int key = 0; key < keys; key++) {
                // A slice without operations is not added.
                if (writerStarts[key + 1] == writerStarts[key] && readerStarts[key + 1] == readerStarts[key]) {
                    int slot = writerStarts[key] + 2 * key;
                    slotStarts[slot] = readerStarts[key];
                    slotStarts[slot + 1] = readerStarts[key];
                }
            }
            slotStarts[writers + 2 * keys] = readers;
            return new VersionIndex(
                    new VersionIndex.Writers(
                            writerStarts,
                            new int[writers],
                            new int[writers],
                            repeated ? filled(writers) : null,
                            initial ? filled(keys) : null),
                    new VersionIndex.Readers(readerStarts, new int[readers], new int[readers], slotStarts),
                    ambiguous);
        }
    }

    /** (key, transaction) pairs, ascending by key. */
    private static IntArrayList ascending(IntArrayList pairs) {
        long[] packed = new long[pairs.size() / 2];
        for (int i = 0; i < packed.length; i++) {
            packed[i] = (long) pairs.getInt(2 * i) << 32 | pairs.getInt(2 * i + 1);
        }
        Arrays.sort(packed);
        IntArrayList result = new IntArrayList(pairs.size());
        for (long pair : packed) {
            result.add((int) (pair >>> 32));
            result.add((int) pair);
        }
        return result;
    }

    private static int[] filled(int length) {
        int[] ints = new int[length];
        Arrays.fill(ints, -1);
        return ints;
    }
}
