package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.ArrayList;
import java.util.List;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.TransactionStatus;

/**
 * Events of neighbouring places in memory, by place once they are sorted. At SER a transaction is one event. At SI it is two: its
 * snapshot, with the reads before its own writes of their keys and an {@link #INTENT} for each key that it writes; and its commit, with
 * all other operations. Sessions are numbers of the whole history; ids of keys and codes of values are this object's own.
 *
 * <p>Memory: the blocks, 66 bytes an event, 16 an operation, 8 a key, and the labels of keys and values.
 */
final class Cell {
    /** Kinds of operations: a read; a write without an intent. */
    static final int READ = 0;

    static final int WRITE = 1;
    /** At a snapshot: the transaction writes the key at its commit. It has no value. */
    static final int INTENT = 2;
    /** At a commit: a write, whose key has an intent at the snapshot. */
    static final int INTENDED = 3;

    private static final int KIND_BITS = 4;
    private static final int KIND = 3;
    private static final int MARK_SHIFT = 2;

    /** The approximate length of an operation in a block. */
    private static final int BYTES_PER_OPERATION = 10;

    private final KeyDictionary keys = new KeyDictionary();
    private final ValueDictionary values = new ValueDictionary();
    private final IntArrayList sessions = new IntArrayList();
    private final LongArrayList indexes = new LongArrayList();
    /** Times by which places are chosen; the place itself is the number of the event in the order. */
    private final LongArrayList clocks = new LongArrayList();

    /** By event: those of {@link EventReader}. */
    private final IntArrayList flags = new IntArrayList();

    private final IntArrayList files = new IntArrayList();
    private final LongArrayList positions = new LongArrayList();
    private final LongArrayList starts = new LongArrayList();
    private final LongArrayList ends = new LongArrayList();
    private final IntArrayList operationStarts = new IntArrayList();
    /** The blocks that were read; and by event the number of its block, and where it is there. */
    private final List<EventReader> blocks = new ArrayList<>();

    private final IntArrayList blockOf = new IntArrayList();
    private final IntArrayList offsets = new IntArrayList();
    /** Key x 16 + mark x 4 + kind. */
    private final IntArrayList operations = new IntArrayList();

    private final LongArrayList codes = new LongArrayList();
    /** By operation: if it belongs to a commit, how many reads of the snapshot precede it in the transaction; else 0. */
    private final IntArrayList readsBefore = new IntArrayList();

    Cell() {
        operationStarts.add(0);
    }

    int size() {
        return sessions.size();
    }

    int operations() {
        return operations.size();
    }

    KeyDictionary keys() {
        return keys;
    }

    ValueDictionary values() {
        return values;
    }

    boolean isSameTransaction(int a, int b) {
        return compareTransactions(a, b) == 0;
    }

    /** Compares the transactions of two events by session and index. */
    int compareTransactions(int a, int b) {
        int bySession = Integer.compare(session(a), session(b));
        return bySession != 0 ? bySession : Long.compare(index(a), index(b));
    }

    int session(int transaction) {
        return sessions.getInt(transaction);
    }

    long index(int transaction) {
        return indexes.getLong(transaction);
    }

    long clock(int transaction) {
        return clocks.getLong(transaction);
    }

    TransactionStatus status(int transaction) {
        return TransactionStatus.ofCode((byte) (flags.getInt(transaction) & EventReader.STATUS));
    }

    private boolean has(int event, int flag) {
        return (flags.getInt(event) & flag) != 0;
    }

    boolean isCounted(int transaction) {
        return has(transaction, EventReader.COUNTED);
    }

    void count(int transaction, boolean counts) {
        int others = flags.getInt(transaction) & ~EventReader.COUNTED;
        flags.set(transaction, others | (counts ? EventReader.COUNTED : 0));
    }

    /** Whether the outcome of a transaction is unknown, and it is not decided yet whether it counts. */
    boolean isOptional(int transaction) {
        return has(transaction, EventReader.OPTIONAL);
    }

    void optional(int transaction) {
        flags.set(transaction, flags.getInt(transaction) | EventReader.OPTIONAL);
    }

    int file(int transaction) {
        return files.getInt(transaction);
    }

    long position(int transaction) {
        return positions.getLong(transaction);
    }

    long start(int transaction) {
        return starts.getLong(transaction);
    }

    long end(int transaction) {
        return ends.getLong(transaction);
    }

    int firstOperation(int transaction) {
        return operationStarts.getInt(transaction);
    }

    int operationsEnd(int transaction) {
        return operationStarts.getInt(transaction + 1);
    }

    /** Whether the event is the snapshot of a transaction, whose commit is another one. */
    boolean isSnapshot(int event) {
        return has(event, EventReader.SNAPSHOT);
    }

    /** Whether the event is the commit of a transaction, whose snapshot is another one. */
    boolean isCommit(int event) {
        return has(event, EventReader.COMMIT);
    }

    int key(int operation) {
        return operations.getInt(operation) >>> KIND_BITS;
    }

    int kind(int operation) {
        return operations.getInt(operation) & KIND;
    }

    boolean isWrite(int operation) {
        return isWriteKind(kind(operation));
    }

    /** What {@link BlockWriter#mark} wrote before the operation; 0 if there is nothing. */
    byte mark(int operation) {
        return (byte) (operations.getInt(operation) >>> MARK_SHIFT & KIND);
    }

    static boolean isWriteKind(int kind) {
        return (kind & 1) != 0;
    }

    long code(int operation) {
        return codes.getLong(operation);
    }

    /** Of an operation of a commit: how many reads of the snapshot precede it in the transaction. */
    int readsBefore(int operation) {
        return readsBefore.getInt(operation);
    }

    /** Adds all events of a block. */
    void read(byte[] block) {
        int about = operations.size() + block.length / BYTES_PER_OPERATION;
        operations.ensureCapacity(about);
        codes.ensureCapacity(about);
        readsBefore.ensureCapacity(about);
        EventReader in = new EventReader(block, values);
        while (in.next()) {
            while (in.nextOperation()) {
                add(in.key(keys), in.mark() << MARK_SHIFT | in.kind(), in.value());
            }
            int before = 0;
            for (int i = in.isCommit() ? in.operations() : 0; i > 0; i--) {
                before += in.moreReads();
                readsBefore.set(operations.size() - i, before);
            }
            end(in);
        }
        blocks.add(in);
    }

    private void end(EventReader in) {
        sessions.add(in.session());
        indexes.add(in.index());
        clocks.add(in.clock());
        flags.add(in.flags());
        files.add(in.file());
        positions.add(in.position());
        starts.add(in.start());
        ends.add(in.end());
        blockOf.add(blocks.size());
        offsets.add(in.offset());
        operationStarts.add(operations.size());
    }

    private void add(int key, int kind, long code) {
        operations.add(key << KIND_BITS | kind);
        codes.add(code);
        readsBefore.add(0);
    }

    /** Copies an event to a block. Only whether its transaction counts may have changed. */
    void write(int event, EventWriter to) {
        EventReader from = blocks.get(blockOf.getInt(event));
        from.moveTo(offsets.getInt(event), clock(event));
        to.add(from, flags.getInt(event));
    }
}
