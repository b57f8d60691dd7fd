package org.polygraph.jobs.windows;

import org.polygraph.jobs.certificate.format.TransactionHash;
import org.polygraph.jobs.certificate.replay.PlacedSessions;
import org.polygraph.jobs.certificate.replay.Tally;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Passes over the events of a block of a cell one by one, and over their operations. Nothing is held of those that were passed, and keys get
 * no ids, because a dictionary of the keys of a cell costs more time than all else that most tasks do. {@link Cell} holds events in memory.
 */
final class EventReader {
    /** Flags: the status of the transaction; whether it counts; whether its outcome is unknown and it may count. */
    static final int STATUS = 3;

    static final int COUNTED = 4;
    static final int OPTIONAL = 8;
    /** Flags: whether the transaction has a start and an end. */
    static final int START = 16;

    static final int END = 32;
    /** Flags: whether the event is the snapshot or the commit of its transaction; neither is set if it is the whole transaction. */
    static final int SNAPSHOT = 64;

    static final int COMMIT = 128;
    /** Flag: whether a whole transaction has the hash of what was recorded, because the level judges other operations. */
    static final int HASHED = 256;

    private final BlockReader in;
    private final ValueDictionary values;
    /** Where the event begins, its {@link EventBody}, and the next event. */
    private int begin;

    private int body;
    private int next;

    private int session;
    private long index;
    private long clock;
    private int flags;
    private int file;
    private long position;
    private long start;
    private long end;
    private int operations;
    private int hash;

    private int passed;
    private int operation;
    private int kind;
    private int mark;
    private boolean isText;
    private long integer;
    /** Where the key begins if it is a text, and its hash. */
    private int text;

    private int textHash;

    /** @param values receives the values that are read */
    EventReader(byte[] block, ValueDictionary values) {
        this.in = new BlockReader(block);
        this.values = values;
    }

    EventReader(byte[] block) {
        this(block, new ValueDictionary());
    }

    /** The flags of a transaction that is one event. */
    static int flags(byte status, boolean isCounted, long start, long end) {
        return status
                | (isCounted ? COUNTED : 0)
                | (start == HistoryTable.NO_TIME ? 0 : START)
                | (end == HistoryTable.NO_TIME ? 0 : END);
    }

    /** Moves to the next event. @return false if there is none */
    boolean next() {
        in.moveTo(next);
        if (!in.hasMore()) {
            return false;
        }
        begin = next;
        session = in.count();
        index = in.signed();
        clock += in.signed();
        readRest();
        return true;
    }

    /** Moves to an event that was passed. @param there its {@link #offset} */
    void moveTo(int there, long clockThere) {
        begin = there;
        in.moveTo(there);
        session = in.count();
        index = in.signed();
        in.signed();
        clock = clockThere;
        readRest();
    }

    private void readRest() {
        flags = in.count();
        int length = in.count();
        body = in.at();
        next = body + length;
        file = in.count();
        position = in.unsigned();
        start = (flags & START) != 0 ? clock + in.signed() : HistoryTable.NO_TIME;
        end = (flags & END) != 0 ? clock + in.signed() : HistoryTable.NO_TIME;
        operations = in.count();
        hash = in.at();
        if (hasHash()) {
            in.moveTo(hash + TransactionHash.BYTES);
        }
        passed = 0;
    }

    /** Where the event is in the block. */
    int offset() {
        return begin;
    }

    int session() {
        return session;
    }

    long index() {
        return index;
    }

    long clock() {
        return clock;
    }

    int flags() {
        return flags;
    }

    TransactionStatus status() {
        return TransactionStatus.ofCode((byte) (flags & STATUS));
    }

    boolean isCounted() {
        return (flags & COUNTED) != 0;
    }

    /** Whether its transaction counts, or may count. */
    boolean mayCount() {
        return (flags & (COUNTED | OPTIONAL)) != 0;
    }

    boolean isSnapshot() {
        return (flags & SNAPSHOT) != 0;
    }

    boolean isCommit() {
        return (flags & COMMIT) != 0;
    }

    /** Whether the event is the snapshot of its transaction, its commit or all of it. */
    PlacedSessions.Event event() {
        return isSnapshot()
                ? PlacedSessions.Event.SNAPSHOT
                : isCommit() ? PlacedSessions.Event.COMMIT : PlacedSessions.Event.WHOLE;
    }

    int file() {
        return file;
    }

    long position() {
        return position;
    }

    long start() {
        return start;
    }

    long end() {
        return end;
    }

    /** The number of its operations. */
    int operations() {
        return operations;
    }

    /** Whether the event has the hash of its transaction: a commit has it. */
    boolean hasHash() {
        return (flags & (COMMIT | HASHED)) != 0;
    }

    /** The hash of its transaction, see {@link #hasHash}. */
    byte[] hash() {
        return in.copy(hash, hash + TransactionHash.BYTES);
    }

    void copyBody(BlockWriter to) {
        to.unsigned(next - body);
        in.copy(body, next, to);
    }

    /** Moves to the next operation of the event; then its value must be read or passed. @return false if there is none */
    boolean nextOperation() {
        if (passed == operations) {
            return false;
        }
        passed++;
        operation = in.at();
        long keyAndKind = in.unsigned();
        boolean isMarked = BlockWriter.isMark(keyAndKind);
        mark = isMarked ? BlockWriter.kind(keyAndKind) : 0;
        if (isMarked) {
            keyAndKind = in.unsigned();
        }
        kind = BlockWriter.kind(keyAndKind);
        int type = BlockWriter.keyType(keyAndKind);
        isText = type == BlockWriter.TEXT_KEY;
        if (isText) {
            text = in.at();
            textHash = in.textHash();
        } else {
            integer = type == BlockWriter.NEAR_KEY ? BlockReader.nearKey(keyAndKind) : in.signed();
        }
        return true;
    }

    /** The number of the operation in its event. */
    int number() {
        return passed - 1;
    }

    /** Its kind, a constant of {@link Cell}. */
    int kind() {
        return kind;
    }

    boolean isWrite() {
        return Cell.isWriteKind(kind);
    }

    /** What {@link BlockWriter#mark} wrote before the operation; 0 if there is nothing. */
    int mark() {
        return mark;
    }

    /** Reads the value of the operation; 0 for an intent. @return its code in the dictionary */
    long value() {
        return kind == Cell.INTENT ? 0 : in.value(values);
    }

    void skipValue() {
        if (kind != Cell.INTENT) {
            in.skipValue();
        }
    }

    /** Of a commit, after all operations, for each: see {@link EventBody#moreReads}. */
    int moreReads() {
        return in.count();
    }

    /** Adds the operation to a block, after its value was read or passed. */
    void copyOperation(BlockWriter to) {
        in.copy(operation, in.at(), to);
    }

    /** The slice of its key. */
    int slice(int slices) {
        return DealTask.slice(isText ? textHash : integer, slices);
    }

    /** The id of its key, which is added if it is new. */
    int key(KeyDictionary keys) {
        return isText ? keys.id(text()) : keys.id(integer);
    }

    /** The hash of its key in a {@link Tally}. */
    long tallyKey() {
        return isText ? Tally.key(text()) : Tally.key(integer);
    }

    /** Adds the operation to the hash of its transaction. @param code of its value */
    void addTo(TransactionHash hashed, long code) {
        if (isText) {
            hashed.operation(text(), isWrite(), values, code);
        } else {
            hashed.operation(integer, isWrite(), values, code);
        }
    }

    private String text() {
        int at = in.at();
        in.moveTo(text);
        String key = in.text();
        in.moveTo(at);
        return key;
    }
}
