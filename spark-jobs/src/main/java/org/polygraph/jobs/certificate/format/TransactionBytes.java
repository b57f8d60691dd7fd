package org.polygraph.jobs.certificate.format;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;

/**
 * A transaction as the bytes whose hash is its {@link TransactionHash}. They name keys and values by their labels, so
 * processes with different dictionaries exchange transactions in this form.
 */
public final class TransactionBytes {
    private static final byte LEAF = 0;
    private static final int SESSION = 1;
    private static final int INDEX = SESSION + Long.BYTES;
    private static final int STATUS = INDEX + Long.BYTES;
    private static final int START = STATUS + 1;
    private static final int END = START + Long.BYTES;
    private static final int COUNT = END + Long.BYTES;
    private static final int OPERATIONS = COUNT + Long.BYTES;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final ContentEncoder out = new ContentEncoder(bytes);

    /** Begins a transaction, as {@link TransactionHash#begin}. */
    public void begin(long session, long index, byte status, long start, long end, int operations) {
        out.put(LEAF);
        out.number(session);
        out.transaction(index, status, start, end, operations);
    }

    /** A read or a write. */
    public void operation(KeyDictionary keys, ValueDictionary values, int keyAndKind, long value) {
        out.operation(keys, values, keyAndKind, value, (byte) 0);
    }

    /** A value with its tag, instead of a transaction. */
    public static byte[] value(ValueDictionary values, long code) {
        TransactionBytes one = new TransactionBytes();
        one.out.taggedValue(values, code);
        return one.end();
    }

    public byte[] end() {
        out.flush();
        byte[] all = bytes.toByteArray();
        bytes.reset();
        return all;
    }

    public static long session(ByteBuffer in, int at) {
        return in.getLong(at + SESSION);
    }

    public static long index(ByteBuffer in, int at) {
        return in.getLong(at + INDEX);
    }

    public static byte status(ByteBuffer in, int at) {
        return in.get(at + STATUS);
    }

    public static long start(ByteBuffer in, int at) {
        return in.getLong(at + START);
    }

    public static long end(ByteBuffer in, int at) {
        return in.getLong(at + END);
    }

    public static int operations(ByteBuffer in, int at) {
        return (int) in.getLong(at + COUNT);
    }

    /** Returns the offset of the first operation from the beginning of its transaction. */
    public static int firstOperation(int at) {
        return at + OPERATIONS;
    }

    public static boolean isWrite(ByteBuffer in, int operation) {
        return (in.get(operation) & 1) == 1;
    }

    /** Returns the offset of the value of an operation. */
    public static int value(ByteBuffer in, int operation) {
        int key = operation + 1;
        boolean text = (in.get(operation) & ContentEncoder.TEXT_KEY) != 0;
        return key + Long.BYTES + (text ? (int) in.getLong(key) : 0);
    }

    /** Returns the offset of the next operation. */
    public static int next(ByteBuffer in, int operation) {
        return behindValue(in, value(in, operation), in.get(operation));
    }

    /**
     * Whether an operation has a given value.
     *
     * @param from with {@code to} where the operation has its value
     * @param value as {@link #value(ValueDictionary, long)} has written it
     */
    public static boolean isValue(ByteBuffer in, int operation, int from, int to, byte[] value) {
        int kind = ContentEncoder.INTEGER_VALUE | ContentEncoder.TEXT_VALUE;
        return (in.get(operation) & kind) == (value[0] & kind)
                && Arrays.equals(in.array(), in.arrayOffset() + from, in.arrayOffset() + to, value, 1, value.length);
    }

    private static int behindValue(ByteBuffer in, int value, byte tag) {
        return switch (tag & (ContentEncoder.INTEGER_VALUE | ContentEncoder.TEXT_VALUE)) {
            case 0 -> value;
            case ContentEncoder.INTEGER_VALUE -> value + Long.BYTES;
            default -> value + Long.BYTES + (int) in.getLong(value);
        };
    }

    /** The id of an operation's key. */
    public static int key(ByteBuffer in, int operation, KeyDictionary keys) {
        return (in.get(operation) & ContentEncoder.TEXT_KEY) != 0
                ? keys.id(text(in, operation + 1))
                : keys.id(in.getLong(operation + 1));
    }

    /** The code of an operation's value. */
    public static long code(ByteBuffer in, int operation, ValueDictionary values) {
        return code(in, value(in, operation), in.get(operation), values);
    }

    /** The code of a value that {@link #value(ValueDictionary, long)} has written. */
    public static long code(byte[] value, ValueDictionary values) {
        return code(ByteBuffer.wrap(value), 1, value[0], values);
    }

    private static long code(ByteBuffer in, int value, byte tag, ValueDictionary values) {
        return switch (tag & (ContentEncoder.INTEGER_VALUE | ContentEncoder.TEXT_VALUE)) {
            case 0 -> ValueDictionary.NULL;
            case ContentEncoder.INTEGER_VALUE -> values.code(in.getLong(value));
            default -> values.code(text(in, value));
        };
    }

    /** One character per byte, because decoding invalid UTF-8 loses bytes. {@link #legible} is the inverse. */
    private static String text(ByteBuffer in, int at) {
        return new String(
                in.array(), in.arrayOffset() + at + Long.BYTES, (int) in.getLong(at), StandardCharsets.ISO_8859_1);
    }

    /** The label of a key or value that was read here, for a message. */
    public static String legible(String label) {
        return new String(label.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    /** A number that equal keys have. */
    public static long hashOfKey(ByteBuffer in, int operation) {
        long hash = in.get(operation) & ContentEncoder.TEXT_KEY;
        int end = value(in, operation);
        for (int at = operation + 1; at < end; at += Long.BYTES) {
            long next = 0;
            if (end - at >= Long.BYTES) {
                next = in.getLong(at);
            } else {
                for (int b = at; b < end; b++) {
                    next = next << Byte.SIZE | (in.get(b) & 0xFF);
                }
            }
            hash = (hash ^ next) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 32;
        }
        return hash;
    }
}
