package org.polygraph.partitioner.sliced;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.TransactionScan;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.partitioner.index.VersionIndexBuilder;
import org.polygraph.storage.model.BudgetException;

/**
 * The {@link VersionIndex} of one slice of the keys, numbered densely, and the few reads that are impossible. It is an
 * object in the task that makes or checks it, and bytes in transport and in files.
 *
 * <p>Bytes, little-endian ints: slice, keys K, writers W, readers R, ambiguous, whether values repeat, whether an
 * initial value was written, impossible pairs I, broken pairs B; then writerStarts K + 1, writerTransactions W,
 * writerClasses W, readerStarts K + 1, readerTransactions R, readerClasses R, slotStarts W + 2K + 1, nextInClass W or
 * none, initialWriters K or none, impossible 2I, broken 2B.
 */
public final class IndexSlice {
    private static final int HEADER_INTS = 9;
    /** The remedy in the message about a slice that is too large. */
    static final String REMEDY =
            "with more spark.sql.shuffle.partitions slices are smaller; where one value of a key has most of that, or all of a"
                    + " key is needed at once, give --engine embedded";

    private final int slice;
    private final VersionIndex versions;
    private final int[] impossible;
    private final int[] broken;

    private IndexSlice(int slice, VersionIndex versions, int[] impossible, int[] broken) {
        this.slice = slice;
        this.versions = versions;
        this.impossible = impossible;
        this.broken = broken;
    }

    /**
     * Indexes one slice in linear time, with 37 bytes of memory for each operation beside the blocks.
     *
     * @param blocks what {@link SliceDealer} dealt to it, ascending by first transaction
     * @param states {@link CommitStatus#states}
     */
    public static IndexSlice of(
            KeySlices slices,
            int slice,
            Iterable<byte[]> blocks,
            int[] sessionStarts,
            byte[] states,
            long initialValue) {
        SliceDealer.Blocks operations = new SliceDealer.Blocks(blocks);
        int n = operations.keys.length;
        int[] starts = new int[n + 1];
        for (int i = 0; i <= n; i++) {
            starts[i] = i;
        }
        byte[] roles = new byte[n];
        Arrays.fill(roles, TransactionScan.EXTERNAL_READ);
        VersionIndexBuilder builder = new VersionIndexBuilder(
                slices.keysOf(slice), IndexedHistory.sessionOf(sessionStarts), states, key -> initialValue);
        VersionIndex versions =
                builder.build(starts, operations.transactions, operations.keys, operations.values, roles);
        return new IndexSlice(slice, versions, few(builder.impossible()), few(operations.broken));
    }

    /**
     * One slice of an index of all keys: the inverse of {@link SliceMerge}. An index has no values, so those of a split
     * key are dealt to its slices in turn. Time: linear in the slice, or in the whole key if it is split.
     */
    public static IndexSlice of(KeySlices slices, int slice, VersionIndex all) {
        if (slices.isOfSplitKey(slice)) {
            int place = slices.placeOf(slice);
            int first = slices.firstSlice(place);
            VersionIndex part = SplitKeyMerge.part(
                    all, slices.splitKeys()[place], slices.firstSlice(place + 1) - first, slice - first);
            return new IndexSlice(slice, part, new int[0], new int[0]);
        }
        int[] keys = new int[slices.keysOf(slice)];
        for (int local = 0; local < keys.length; local++) {
            int key = slices.keyOf(slice, local);
            keys[local] = slices.isSplit(key) ? -1 : key;
        }
        return new IndexSlice(slice, all.part(keys), new int[0], new int[0]);
    }

    private static int[] few(IntArrayList pairs) {
        return Arrays.copyOf(pairs.elements(), Math.min(pairs.size(), 2 * IndexedHistory.MOST_VIOLATIONS));
    }

    /** The number of this slice. */
    public int slice() {
        return slice;
    }

    /** The number of the slice in {@code bytes}, which are those of {@link #toBytes}. */
    public static int slice(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt();
    }

    /** The index, by numbers of keys within the slice. */
    public VersionIndex versions() {
        return versions;
    }

    /** The bytes, in the layout of the class comment. @throws BudgetException if they are more than an array holds */
    public byte[] toBytes() {
        VersionIndex v = versions;
        long ints = HEADER_INTS + v.bytes() / 4 + impossible.length + broken.length;
        if (4 * ints > Integer.MAX_VALUE - 8) {
            throw new BudgetException("the index of slice " + slice + " takes " + 4 * ints
                    + " bytes, more than an array holds; " + REMEDY);
        }
        byte[] bytes = new byte[(int) (4 * ints)];
        ByteBuffer out = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(slice)
                .putInt(v.keys())
                .putInt(v.writers())
                .putInt(v.readers())
                .putInt(v.ambiguous());
        out.putInt(v.classLinks() == null ? 0 : 1).putInt(v.initialWriters() == null ? 0 : 1);
        out.putInt(impossible.length / 2).putInt(broken.length / 2);
        put(out, v.writerStarts());
        put(out, v.writerTransactions());
        put(out, v.writerClasses());
        put(out, v.readerStarts());
        put(out, v.readerTransactions());
        put(out, v.readerClasses());
        put(out, v.slotStarts());
        put(out, v.classLinks());
        put(out, v.initialWriters());
        put(out, impossible);
        put(out, broken);
        return bytes;
    }

    private static void put(ByteBuffer out, int @Nullable [] ints) {
        if (ints != null) {
            out.asIntBuffer().put(ints);
            out.position(out.position() + 4 * ints.length);
        }
    }

    /**
     * The numbers of writers and readers of each key of a slice: its bytes without all arrays other than writerStarts,
     * readerStarts and the pairs.
     *
     * @param bytes {@link #toBytes}
     */
    public static byte[] sizes(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        Header header = Header.of(in);
        int starts = 4 * (header.keys + 1);
        int pairs = 8 * (header.impossible + header.broken);
        ByteBuffer out = ByteBuffer.allocate(4 * HEADER_INTS + 2 * starts + pairs);
        out.put(bytes, 0, 4 * HEADER_INTS + starts);
        out.put(bytes, 4 * HEADER_INTS + starts + 8 * header.writers, starts);
        out.put(bytes, bytes.length - pairs, pairs);
        return out.array();
    }

    /** The ints at the beginning of the bytes. */
    record Header(
            int slice,
            int keys,
            int writers,
            int readers,
            int ambiguous,
            boolean repeated,
            boolean initial,
            int impossible,
            int broken) {
        static Header of(ByteBuffer in) {
            return new Header(
                    in.getInt(),
                    in.getInt(),
                    in.getInt(),
                    in.getInt(),
                    in.getInt(),
                    in.getInt() != 0,
                    in.getInt() != 0,
                    in.getInt(),
                    in.getInt());
        }

        /** The number of bytes of the whole slice. */
        long bytes() {
            return 4L
                    * (HEADER_INTS
                            + 4L * keys
                            + 3
                            + 3L * writers
                            + 2L * readers
                            + (repeated ? writers : 0)
                            + (initial ? keys : 0)
                            + 2L * impossible
                            + 2L * broken);
        }
    }

    /** The inverse of {@link #toBytes}. */
    public static IndexSlice ofBytes(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        Header h = Header.of(in);
        int[] writerStarts = get(in, h.keys + 1);
        int[] writerTransactions = get(in, h.writers);
        int[] writerClasses = get(in, h.writers);
        VersionIndex.Readers readers = new VersionIndex.Readers(
                get(in, h.keys + 1), get(in, h.readers), get(in, h.readers), get(in, h.writers + 2 * h.keys + 1));
        VersionIndex.Writers writers = new VersionIndex.Writers(
                writerStarts,
                writerTransactions,
                writerClasses,
                h.repeated ? get(in, h.writers) : null,
                h.initial ? get(in, h.keys) : null);
        VersionIndex versions = new VersionIndex(writers, readers, h.ambiguous);
        return new IndexSlice(h.slice, versions, get(in, 2 * h.impossible), get(in, 2 * h.broken));
    }

    private static int[] get(ByteBuffer in, int count) {
        int[] ints = new int[count];
        in.asIntBuffer().get(ints);
        in.position(in.position() + 4 * count);
        return ints;
    }
}
