package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.booleans.BooleanArrayList;
import it.unimi.dsi.fastutil.bytes.ByteArrayList;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.objects.ObjectArrayList;
import java.util.Arrays;
import org.polygraph.jobs.certificate.replay.PlacedSessions;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Events of neighbouring places in memory, by place once they are sorted. At SER a transaction is one event. At SI it is two: its
 * snapshot, with the reads before its own writes of their keys and an {@link #INTENT} for each key that it writes; and its commit, with
 * all other operations. Sessions are numbers of the whole history; ids of keys and codes of values are this object's own.
 *
 * <p>Memory: 62 bytes an event, 16 an operation, 8 a key, 48 a commit at SI, and the labels of keys and values.
 */
final class Cell {
    /** Kinds of operations: a read; a write of a transaction that is one event. */
    static final int READ = 0;

    static final int WRITE = 1;
    /** At a snapshot: the transaction writes the key at its commit. It has no value. */
    static final int INTENT = 2;
    /** At a commit: a write, whose key has an intent at the snapshot. */
    static final int INTENDED = 3;

    private static final int KIND_BITS = 2;
    private static final int KIND = 3;

    private static final int STATUS = 3;
    private static final int COUNTED = 4;
    private static final int OPTIONAL = 8;
    private static final int START = 16;
    private static final int END = 32;
    private static final int SNAPSHOT = 64;
    private static final int COMMIT = 128;
    /** Of a block, about. */
    private static final int BYTES_PER_OPERATION = 10;

    private final KeyDictionary keys = new KeyDictionary();
    private final ValueDictionary values = new ValueDictionary();
    private final IntArrayList sessions = new IntArrayList();
    private final LongArrayList indexes = new LongArrayList();
    /** Times by which places are chosen; the place itself is the number of the transaction in the order. */
    private final LongArrayList clocks = new LongArrayList();

    private final ByteArrayList statuses = new ByteArrayList();
    private final BooleanArrayList counted = new BooleanArrayList();
    private final BooleanArrayList optional = new BooleanArrayList();
    private final IntArrayList files = new IntArrayList();
    private final LongArrayList positions = new LongArrayList();
    private final LongArrayList starts = new LongArrayList();
    private final LongArrayList ends = new LongArrayList();
    private final IntArrayList operationStarts = new IntArrayList();
    /** 0 for a whole transaction, {@link #SNAPSHOT} or {@link #COMMIT}. */
    private final IntArrayList eventKinds = new IntArrayList();
    /** By event: of a commit the hash of its transaction. */
    private final ObjectArrayList<byte[]> hashes = new ObjectArrayList<>();
    /** Key x 4 + kind. */
    private final IntArrayList operations = new IntArrayList();

    private final LongArrayList codes = new LongArrayList();
    /** By operation: of one of a commit, how many reads of the snapshot precede it in the transaction; else 0. */
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
        return TransactionStatus.ofCode(statuses.getByte(transaction));
    }

    boolean isCounted(int transaction) {
        return counted.getBoolean(transaction);
    }

    void count(int transaction, boolean counts) {
        counted.set(transaction, counts);
    }

    /** Whether its outcome is unknown, and whether it counts is open. */
    boolean isOptional(int transaction) {
        return optional.getBoolean(transaction);
    }

    void optional(int transaction) {
        optional.set(transaction, true);
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
        return eventKinds.getInt(event) == SNAPSHOT;
    }

    /** Whether the event is the commit of a transaction, whose snapshot is another one. */
    boolean isCommit(int event) {
        return eventKinds.getInt(event) == COMMIT;
    }

    /** What an event is of its transaction. */
    PlacedSessions.Event event(int event) {
        return isSnapshot(event)
                ? PlacedSessions.Event.SNAPSHOT
                : isCommit(event) ? PlacedSessions.Event.COMMIT : PlacedSessions.Event.WHOLE;
    }

    /** Of a commit: the hash of its transaction. */
    byte[] hash(int event) {
        return hashes.get(event);
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

    /** Adds an operation of the event that {@link #end} adds. @param code of its value; 0 for an intent */
    void add(int key, int kind, long code) {
        addAtCommit(key, kind, code, 0);
    }

    /** Adds an operation of the commit that {@link #endCommit} adds. @param before see {@link #readsBefore} */
    void addAtCommit(int key, int kind, long code, int before) {
        operations.add(key << KIND_BITS | kind);
        codes.add(code);
        readsBefore.add(before);
    }

    /** Adds the snapshot of a transaction, as {@link #end} does a whole transaction. */
    void endSnapshot(int session, long index, long clock, byte status, int file, long position, long start, long end) {
        end(session, index, clock, status, file, position, start, end);
        eventKinds.set(size() - 1, SNAPSHOT);
    }

    /** Adds the commit of a transaction, as {@link #end} does a whole transaction. @param hash of the transaction */
    void endCommit(
            int session,
            long index,
            long clock,
            byte status,
            int file,
            long position,
            long start,
            long end,
            byte[] hash) {
        end(session, index, clock, status, file, position, start, end);
        eventKinds.set(size() - 1, COMMIT);
        hashes.set(size() - 1, hash);
    }

    /** Adds a transaction with the operations since the event before. A committed one counts. */
    void end(int session, long index, long clock, byte status, int file, long position, long start, long end) {
        sessions.add(session);
        indexes.add(index);
        clocks.add(clock);
        statuses.add(status);
        counted.add(status == TransactionStatus.COMMITTED.code());
        optional.add(false);
        files.add(file);
        positions.add(position);
        starts.add(start);
        ends.add(end);
        eventKinds.add(0);
        hashes.add(null);
        operationStarts.add(operations.size());
    }

    /** Adds all transactions of a block. */
    void read(BlockReader in) {
        IntArrayList ids = new IntArrayList();
        long clock = 0;
        operations.ensureCapacity(operations.size() + in.left() / BYTES_PER_OPERATION);
        codes.ensureCapacity(operations.size() + in.left() / BYTES_PER_OPERATION);
        readsBefore.ensureCapacity(operations.size() + in.left() / BYTES_PER_OPERATION);
        while (in.hasMore()) {
            int session = in.count();
            long index = in.signed();
            clock += in.signed();
            int flags = in.count();
            boolean hasStart = (flags & START) != 0;
            boolean hasEnd = (flags & END) != 0;
            int file = in.count();
            long position = in.unsigned();
            long start = hasStart ? clock + in.signed() : HistoryTable.NO_TIME;
            long end = hasEnd ? clock + in.signed() : HistoryTable.NO_TIME;
            int count = in.count();
            int before = 0;
            for (int i = 0; i < count; i++) {
                int keyAndKind = in.count();
                int key = keyAndKind >>> KIND_BITS;
                if (key == ids.size()) {
                    ids.add(in.key(keys));
                }
                int kind = keyAndKind & KIND;
                long code = kind == INTENT ? 0 : in.value(values);
                before += (flags & COMMIT) == 0 ? 0 : in.count();
                addAtCommit(ids.getInt(key), kind, code, before);
            }
            end(session, index, clock, (byte) (flags & STATUS), file, position, start, end);
            counted.set(size() - 1, (flags & COUNTED) != 0);
            optional.set(size() - 1, (flags & OPTIONAL) != 0);
            eventKinds.set(size() - 1, flags & (SNAPSHOT | COMMIT));
            if ((flags & COMMIT) != 0) {
                hashes.set(size() - 1, in.bytes());
            }
        }
    }

    /** By key: the output that used it last, and its id there. */
    private int[] outputOfKey = new int[0];

    private int[] idOfKey = new int[0];
    private int outputs;

    /** Writes transactions of this cell to a block, which has no others. Ends the output before it. */
    final class Output {
        private final BlockWriter out;
        private final int number = ++outputs;
        private int ids;
        private long lastClock;

        Output(BlockWriter out) {
            this.out = out;
            if (outputOfKey.length < keys.size()) {
                outputOfKey = Arrays.copyOf(outputOfKey, keys.size());
                idOfKey = Arrays.copyOf(idOfKey, keys.size());
            }
        }

        void write(int t) {
            long clock = clock(t);
            boolean hasStart = start(t) != HistoryTable.NO_TIME;
            boolean hasEnd = end(t) != HistoryTable.NO_TIME;
            out.unsigned(session(t)).signed(index(t)).signed(clock - lastClock);
            lastClock = clock;
            out.unsigned(statuses.getByte(t)
                    | (isCounted(t) ? COUNTED : 0)
                    | (isOptional(t) ? OPTIONAL : 0)
                    | (hasStart ? START : 0)
                    | (hasEnd ? END : 0)
                    | eventKinds.getInt(t));
            out.unsigned(file(t)).unsigned(position(t));
            if (hasStart) {
                out.signed(start(t) - clock);
            }
            if (hasEnd) {
                out.signed(end(t) - clock);
            }
            out.unsigned(operationsEnd(t) - firstOperation(t));
            int before = 0;
            for (int o = firstOperation(t); o < operationsEnd(t); o++) {
                int key = key(o);
                boolean isNew = outputOfKey[key] != number;
                if (isNew) {
                    outputOfKey[key] = number;
                    idOfKey[key] = ids++;
                }
                out.unsigned((long) idOfKey[key] << KIND_BITS | kind(o));
                if (isNew) {
                    out.key(keys, key);
                }
                if (kind(o) != INTENT) {
                    out.value(values, code(o));
                }
                if (isCommit(t)) {
                    out.unsigned(readsBefore(o) - before);
                    before = readsBefore(o);
                }
            }
            if (isCommit(t)) {
                out.bytes(hash(t));
            }
        }
    }
}
