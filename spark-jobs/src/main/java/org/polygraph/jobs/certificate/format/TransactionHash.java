package org.polygraph.jobs.certificate.format;

import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.format.jsonl.OperationWalk;

/**
 * Computes the SHA-256 of a transaction with the labels of its keys and values: a leaf of a {@link ContentTree}. It
 * depends only on the transaction, so any process that has the transaction can compute it. One object serves many
 * transactions, one after another; not thread-safe.
 */
public final class TransactionHash {
    /** The bytes of a hash. */
    public static final int BYTES = 32;

    private static final byte LEAF = 0;
    static final byte INSERT = 32;
    private static final byte DELETE = 64;

    private final ContentEncoder out = new ContentEncoder();

    /**
     * Begins a transaction; as many operations must follow.
     *
     * @param session the label of its session
     * @param status its {@link org.polygraph.storage.model.TransactionStatus#code}
     * @param start with {@code end} {@link org.polygraph.storage.table.HistoryTable#NO_TIME} if unknown
     */
    public void begin(long session, long index, byte status, long start, long end, int operations) {
        out.put(LEAF);
        out.number(session);
        out.transaction(index, status, start, end, operations);
    }

    /** A read or a write of an integer key. */
    public void operation(long key, boolean isWrite, ValueDictionary values, long value) {
        out.operation(key, values, value, (byte) (isWrite ? 1 : 0));
    }

    /** A read or a write of a string key. */
    public void operation(String key, boolean isWrite, ValueDictionary values, long value) {
        out.operation(key, values, value, (byte) (isWrite ? 1 : 0));
    }

    /**
     * An operation that may be an insert or a delete, or a repeated row, which has the flags of both.
     *
     * @param keyAndKind as {@link org.polygraph.storage.table.HistoryTable#operationKeys}
     */
    public void operation(
            KeyDictionary keys,
            ValueDictionary values,
            int keyAndKind,
            long value,
            boolean isInsert,
            boolean isDelete) {
        out.operation(keys, values, keyAndKind, value, flags(isInsert, isDelete));
    }

    /** An append of an element to a list. */
    public void append(KeyDictionary keys, int key, ValueDictionary values, long element) {
        out.special(ContentEncoder.APPEND);
        out.key(keys, key);
        out.taggedValue(values, element);
    }

    /** An addition to a key, of which it is not known what it left. */
    public void addition(KeyDictionary keys, int key, ValueDictionary values, long amount) {
        out.special(ContentEncoder.ADD);
        out.key(keys, key);
        out.taggedValue(values, amount);
    }

    /** A read of a list of this many elements, each of which must follow with {@link #element}. */
    public void list(KeyDictionary keys, int key, int elements) {
        out.special(ContentEncoder.LIST);
        out.key(keys, key);
        out.number(elements);
    }

    public void element(ValueDictionary values, long element) {
        out.taggedValue(values, element);
    }

    /** A compare-and-set that was refused, for which it is not known what it found. */
    public void refused(KeyDictionary keys, int key, ValueDictionary values, long expected) {
        out.special(ContentEncoder.REFUSED);
        out.key(keys, key);
        out.taggedValue(values, expected);
    }

    /** The version that the database gave to the read or write that follows. */
    public void version(long version) {
        out.special(ContentEncoder.VERSION);
        out.number(version);
    }

    /** A predicate, or the columns of the write that follows. @param json as {@link OperationWalk#fields} */
    public void fields(String json) {
        out.special(ContentEncoder.FIELDS);
        out.text(json);
    }

    static byte flags(boolean isInsert, boolean isDelete) {
        return (byte) ((isInsert ? INSERT : 0) | (isDelete ? DELETE : 0));
    }

    /** Ends the transaction and puts its hash at a place of an array. */
    public void end(byte[] to, int at) {
        out.hash(to, at);
    }
}
