package org.polygraph.jobs.certificate.format;

import java.io.ByteArrayOutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.DigestException;
import java.security.MessageDigest;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.table.Operations;

/**
 * Writes big-endian numbers of 64 bits, bytes, and strings after their length in bytes, to SHA-256.
 * Memory: 64 KiB.
 */
final class ContentEncoder {
    /** Flags of an operation, beside 1 for a write. Without one of the three flags of values the value is null. */
    static final byte TEXT_KEY = 2;

    static final byte INTEGER_VALUE = 4;
    static final byte TEXT_VALUE = 8;
    /** A value that is not null, an integer or a string; its string form follows. */
    private static final byte OTHER_VALUE = 24;

    /** The first byte of what is no read or write of a value; the second one is its kind. */
    private static final byte SPECIAL = (byte) 128;

    static final byte APPEND = 1;
    static final byte LIST = 2;
    static final byte REFUSED = 3;
    static final byte FIELDS = 4;
    static final byte VERSION = 5;
    static final byte ADD = 6;

    private static final int BUFFER = 1 << 16;
    /** The bytes of an operation with an integer key and an integer value. */
    private static final int OPERATION = 17;

    private static final int TRANSACTION = 33;
    /** The most bytes of an integer as text, with its length. */
    private static final int DECIMAL = Long.BYTES + 19;

    private static final VarHandle BIG_ENDIAN =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private final MessageDigest digest = Fingerprint.digest();
    private final byte[] buffer = new byte[BUFFER];
    private int size;

    private void room(int bytes) {
        if (BUFFER - size < bytes) {
            flush();
        }
    }

    private void flush() {
        digest.update(buffer, 0, size);
        size = 0;
    }

    void put(byte b) {
        room(1);
        buffer[size++] = b;
    }

    void number(long number) {
        room(Long.BYTES);
        add(number);
    }

    void bytes(byte[] bytes, int from, int length) {
        for (int at = from, n; at < from + length; at += n) {
            n = Math.min(from + length - at, BUFFER);
            room(n);
            System.arraycopy(bytes, at, buffer, size, n);
            size += n;
        }
    }

    void text(String text) {
        byte[] utf8 = utf8(text);
        number(utf8.length);
        bytes(utf8, 0, utf8.length);
    }

    /** The text of an integer, as {@link #text} has it. */
    void decimal(long number) {
        if (number < 0) {
            text(Long.toString(number));
            return;
        }
        int digits = 1;
        for (long rest = number / 10; rest > 0; rest /= 10) {
            digits++;
        }
        room(DECIMAL);
        add(digits);
        long rest = number;
        for (int i = size + digits - 1; i >= size; i--) {
            buffer[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        size += digits;
    }

    /** Index, status, times and number of operations of a transaction; its operations follow. */
    void transaction(long index, byte status, long start, long end, int operations) {
        room(TRANSACTION);
        add(index);
        buffer[size++] = status;
        add(start);
        add(end);
        add(operations);
    }

    /** @param flags of inserts and deletes */
    void operation(KeyDictionary keys, ValueDictionary values, int keyAndKind, long value, byte flags) {
        int key = Operations.key(keyAndKind);
        byte all = (byte) ((keyAndKind & 1) | flags);
        if (keys.isString(key)) {
            operation(keys.string(key), values, value, all);
        } else {
            operation(keys.integer(key), values, value, all);
        }
    }

    /** @param flags 1 for a write, and those of inserts and deletes */
    void operation(String key, ValueDictionary values, long value, byte flags) {
        put((byte) (flags | TEXT_KEY | (values.isInteger(value) ? INTEGER_VALUE : tag(values, value))));
        text(key);
        value(values, value);
    }

    /** @param flags 1 for a write, and those of inserts and deletes */
    void operation(long key, ValueDictionary values, long value, byte flags) {
        boolean integer = values.isInteger(value);
        room(OPERATION);
        buffer[size++] = (byte) (flags | (integer ? INTEGER_VALUE : tag(values, value)));
        add(key);
        if (integer) {
            add(values.integer(value));
        } else {
            value(values, value);
        }
    }

    /**
     * Begins an operation that is no read or write of a value: an {@link #APPEND}, a {@link #LIST}, a {@link #REFUSED}
     * compare-and-set, or {@link #FIELDS}.
     */
    void special(byte kind) {
        put(SPECIAL);
        put(kind);
    }

    void key(KeyDictionary keys, int key) {
        if (keys.isString(key)) {
            put(TEXT_KEY);
            text(keys.string(key));
        } else {
            put((byte) 0);
            number(keys.integer(key));
        }
    }

    /** A number for which there is room. */
    private void add(long number) {
        BIG_ENDIAN.set(buffer, size, number);
        size += Long.BYTES;
    }

    void taggedValue(ValueDictionary values, long code) {
        put(tag(values, code));
        value(values, code);
    }

    private void value(ValueDictionary values, long code) {
        if (values.isInteger(code)) {
            number(values.integer(code));
        } else if (!values.isNull(code)) {
            text(values.text(code));
        }
    }

    private static byte tag(ValueDictionary values, long code) {
        return values.isOther(code)
                ? OTHER_VALUE
                : values.isInteger(code) ? INTEGER_VALUE : values.isNull(code) ? 0 : TEXT_VALUE;
    }

    /** UTF-8; half of a surrogate pair, which UTF-8 cannot encode, becomes the three bytes of its number. */
    private static byte[] utf8(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (!hasSurrogates(text) || text.equals(new String(bytes, StandardCharsets.UTF_8))) {
            return bytes;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        text.codePoints().forEach(c -> {
            if (c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE) {
                out.writeBytes(Character.toString(c).getBytes(StandardCharsets.UTF_8));
            } else {
                out.write(0xE0 | (c >> 12));
                out.write(0x80 | ((c >> 6) & 0x3F));
                out.write(0x80 | (c & 0x3F));
            }
        });
        return out.toByteArray();
    }

    private static boolean hasSurrogates(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                return true;
            }
        }
        return false;
    }

    /** The hash of everything since the last one, in hex. */
    String hex() {
        flush();
        return Fingerprint.hex(digest);
    }

    /** The same as bytes, at a place of an array. */
    void hash(byte[] to, int at) {
        flush();
        try {
            digest.digest(to, at, TransactionHash.BYTES);
        } catch (DigestException e) {
            throw new IllegalArgumentException("no room for a hash at " + at + " of " + to.length, e);
        }
    }
}
