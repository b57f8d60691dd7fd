package org.polygraph.jobs.windows;

import java.util.Arrays;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.BudgetException;

/** A block of bytes that grows: numbers of variable length, keys and values by their labels. {@link BlockReader} reads it. */
final class BlockWriter {
    static final int NULL = 0;
    static final int STRING = 1;
    static final int OPAQUE = 2;
    static final int FAR_INTEGER = 3;
    /** A number from this one on is an integer itself; smaller ones are the kinds above. */
    static final int FIRST_OWN = 4;

    /** Where a key is: in the number that has its kind; in an integer after that; in a text after that. */
    static final int NEAR_KEY = 0;

    static final int FAR_KEY = 1;
    static final int TEXT_KEY = 2;
    /** In place of a key: the number is a mark of the operation, which begins with the next number. */
    private static final int MARK = 3;

    static final int KEY_SHIFT = 4;
    private static final int TYPE_SHIFT = 2;
    private static final int TWO_BITS = 3;

    private static final int MOST_BYTES = Integer.MAX_VALUE - 64;
    private static final int LEAST_BYTES = 256;
    private static final int MOST_OF_NUMBER = 10;

    private byte[] bytes = new byte[LEAST_BYTES];
    private int size;

    int size() {
        return size;
    }

    byte[] array() {
        return bytes;
    }

    /** Removes all bytes. */
    void clear() {
        size = 0;
    }

    byte[] toBytes() {
        return Arrays.copyOf(bytes, size);
    }

    BlockWriter unsigned(long value) {
        if (bytes.length - size < MOST_OF_NUMBER) {
            grow();
        }
        byte[] to = bytes;
        int i = size;
        long left = value;
        while ((left & ~0x7FL) != 0) {
            to[i++] = (byte) (left | 0x80);
            left >>>= 7;
        }
        to[i++] = (byte) left;
        size = i;
        return this;
    }

    private void grow() {
        if (bytes.length == MOST_BYTES) {
            throw new BudgetException("a block of scratch data has more than " + MOST_BYTES + " bytes");
        }
        bytes = Arrays.copyOf(bytes, (int) Math.min(MOST_BYTES, 2L * bytes.length));
    }

    BlockWriter signed(long value) {
        return unsigned(value << 1 ^ value >> 63);
    }

    BlockWriter bytes(byte[] array) {
        return unsigned(array.length).raw(array, 0, array.length);
    }

    /** Adds bytes without their number. */
    BlockWriter raw(byte[] array, int from, int to) {
        while (bytes.length - size < to - from) {
            grow();
        }
        System.arraycopy(array, from, bytes, size, to - from);
        size += to - from;
        return this;
    }

    BlockWriter text(String text) {
        unsigned(text.length());
        for (int i = 0; i < text.length(); i++) {
            unsigned(text.charAt(i));
        }
        return this;
    }

    /** Writes a key together with a kind of two bits. */
    BlockWriter keyAndKind(long key, int kind) {
        long zigzag = key << 1 ^ key >> 63;
        return zigzag >>> Long.SIZE - KEY_SHIFT == 0
                ? unsigned(zigzag << KEY_SHIFT | kind)
                : unsigned(FAR_KEY << TYPE_SHIFT | kind).signed(key);
    }

    BlockWriter keyAndKind(String key, int kind) {
        return unsigned(TEXT_KEY << TYPE_SHIFT | kind).text(key);
    }

    /**
     * Begins an operation that a history with rows or lists has.
     *
     * @param kind {@code INSERT}, {@code DELETE} or {@code IMPLIED} of {@link org.polygraph.storage.table.Operations}
     */
    BlockWriter mark(byte kind) {
        return unsigned(MARK << TYPE_SHIFT | kind);
    }

    /** Whether a number is that of {@link #mark}; then {@link #kind} returns what was marked. */
    static boolean isMark(long keyAndKind) {
        return keyAndKind >>> TYPE_SHIFT == MARK;
    }

    static int keyType(long keyAndKind) {
        return (int) keyAndKind >>> TYPE_SHIFT & TWO_BITS;
    }

    static int kind(long keyAndKind) {
        return (int) keyAndKind & TWO_BITS;
    }

    BlockWriter key(KeyDictionary keys, int id) {
        return keys.isString(id)
                ? unsigned(1).text(keys.string(id))
                : unsigned(0).signed(keys.integer(id));
    }

    /** @param code of a value that is no "anything but", no version and no list */
    BlockWriter value(ValueDictionary values, long code) {
        if (values.isNull(code)) {
            return unsigned(NULL);
        }
        if (values.isInteger(code)) {
            long integer = values.integer(code);
            return integer == code
                    ? unsigned((integer << 1 ^ integer >> 63) + FIRST_OWN)
                    : unsigned(FAR_INTEGER).signed(integer);
        }
        return unsigned(values.isString(code) ? STRING : OPAQUE).text(values.text(code));
    }
}
