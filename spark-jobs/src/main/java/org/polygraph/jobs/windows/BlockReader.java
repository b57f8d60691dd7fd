package org.polygraph.jobs.windows;

import java.util.Arrays;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;

/** Reads what {@link BlockWriter} wrote. */
final class BlockReader {
    private final byte[] bytes;
    private int at;

    BlockReader(byte[] bytes) {
        this.bytes = bytes;
    }

    boolean hasMore() {
        return at < bytes.length;
    }

    /** The index of the byte that is read next. */
    int at() {
        return at;
    }

    /** Continues at another byte. */
    void moveTo(int byteIndex) {
        at = byteIndex;
    }

    /** Adds bytes of the block to another one. */
    void copy(int from, int to, BlockWriter into) {
        into.raw(bytes, from, to);
    }

    /** Copies bytes of the block to an array. */
    byte[] copy(int from, int to) {
        return Arrays.copyOfRange(bytes, from, to);
    }

    long unsigned() {
        // The position is copied, because loads and stores of the field took a fifth of the time of windows.
        int i = at;
        byte next = bytes[i++];
        long value = next & 0x7F;
        for (int shift = 7; next < 0; shift += 7) {
            next = bytes[i++];
            value |= (next & 0x7FL) << shift;
        }
        at = i;
        return value;
    }

    int count() {
        return Math.toIntExact(unsigned());
    }

    long signed() {
        long value = unsigned();
        return value >>> 1 ^ -(value & 1);
    }

    byte[] bytes() {
        int length = count();
        at += length;
        return Arrays.copyOfRange(bytes, at - length, at);
    }

    String text() {
        char[] chars = new char[count()];
        for (int i = 0; i < chars.length; i++) {
            chars[i] = (char) unsigned();
        }
        return new String(chars);
    }

    /** Passes over a text. @return its {@link String#hashCode} */
    int textHash() {
        int hash = 0;
        for (int left = count(); left > 0; left--) {
            hash = 31 * hash + (int) unsigned();
        }
        return hash;
    }

    /** The id of a key, which is added if it is new. @param keyAndKind what {@link BlockWriter#keyAndKind} wrote first */
    int key(long keyAndKind, KeyDictionary keys) {
        return switch (BlockWriter.keyType(keyAndKind)) {
            case BlockWriter.NEAR_KEY -> keys.id(nearKey(keyAndKind));
            case BlockWriter.FAR_KEY -> keys.id(signed());
            default -> keys.id(text());
        };
    }

    static long nearKey(long keyAndKind) {
        long key = keyAndKind >>> BlockWriter.KEY_SHIFT;
        return key >>> 1 ^ -(key & 1);
    }

    /** The id of a key, which is added if it is new. */
    int key(KeyDictionary keys) {
        return unsigned() == 0 ? keys.id(signed()) : keys.id(text());
    }

    /** Passes over a value. */
    void skipValue() {
        long kind = unsigned();
        if (kind == BlockWriter.FAR_INTEGER) {
            unsigned();
        } else if (kind == BlockWriter.STRING || kind == BlockWriter.OPAQUE) {
            textHash();
        }
    }

    /** The code of a value. */
    long value(ValueDictionary values) {
        long kind = unsigned();
        if (kind < 0 || kind >= BlockWriter.FIRST_OWN) {
            long own = kind - BlockWriter.FIRST_OWN;
            return own >>> 1 ^ -(own & 1);
        }
        return switch ((int) kind) {
            case BlockWriter.NULL -> ValueDictionary.NULL;
            case BlockWriter.STRING -> values.code(text());
            case BlockWriter.OPAQUE -> values.opaque(text());
            default -> values.code(signed());
        };
    }
}
