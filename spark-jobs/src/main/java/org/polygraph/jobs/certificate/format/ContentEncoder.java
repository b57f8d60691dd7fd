package org.polygraph.jobs.certificate.format;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.DigestException;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;

/** Feeds SHA-256, or an array, with big-endian numbers of 64 bits, bytes, and strings that follow their length in bytes. Memory: 64 KiB. */
final class ContentEncoder {
    /** Flags of an operation, beside 1 for a write; none of the last three: null. */
    static final byte TEXT_KEY = 2;

    static final byte INTEGER_VALUE = 4;
    static final byte TEXT_VALUE = 8;
    /** A value that is not null, an integer or a string; its string form follows. */
    private static final byte OTHER_VALUE = 24;

    private static final int BUFFER = 1 << 16;
    /** The most bytes of an operation with an integer key and an integer value, for which room is reserved once. */
    private static final int OPERATION = 17;

    private final MessageDigest digest = Fingerprint.digest();
    private final @Nullable ByteArrayOutputStream copy;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER);

    ContentEncoder() {
        this.copy = null;
    }

    /** @param copy receives what would be hashed */
    ContentEncoder(ByteArrayOutputStream copy) {
        this.copy = copy;
    }

    private void room(int bytes) {
        if (buffer.remaining() < bytes) {
            flush();
        }
    }

    void flush() {
        if (copy == null) {
            digest.update(buffer.array(), 0, buffer.position());
        } else {
            copy.write(buffer.array(), 0, buffer.position());
        }
        buffer.clear();
    }

    void put(byte b) {
        room(1);
        buffer.put(b);
    }

    void number(long number) {
        room(Long.BYTES);
        buffer.putLong(number);
    }

    void bytes(byte[] bytes, int from, int length) {
        for (int at = from, n; at < from + length; at += n) {
            n = Math.min(from + length - at, BUFFER);
            room(n);
            buffer.put(bytes, at, n);
        }
    }

    void text(String text) {
        byte[] utf8 = utf8(text);
        number(utf8.length);
        bytes(utf8, 0, utf8.length);
    }

    /** Index, status, times and number of operations of a transaction; its operations follow. */
    void transaction(long index, byte status, long start, long end, int operations) {
        number(index);
        put(status);
        number(start);
        number(end);
        number(operations);
    }

    /** @param flags of inserts and deletes */
    void operation(KeyDictionary keys, ValueDictionary values, int keyAndKind, long value, byte flags) {
        int key = keyAndKind >> 1;
        boolean text = keys.isString(key);
        room(OPERATION);
        buffer.put((byte) ((keyAndKind & 1) | (text ? TEXT_KEY : 0) | tag(values, value) | flags));
        if (text) {
            text(keys.string(key));
        } else {
            buffer.putLong(keys.integer(key));
        }
        value(values, value);
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
