package org.polygraph.storage.dictionary;

import it.unimi.dsi.fastutil.HashCommon;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.polygraph.storage.model.BudgetException;

/**
 * Numbers 0, 1, 2... for strings in order of first appearance, and the strings by number. They are stored as bytes one
 * after another: one byte a character if all characters are below 256, otherwise two. Unpaired surrogates are allowed.
 *
 * <p>Memory a string: 4 bytes and the characters, 8 for the place, 11 to 21 for the hash table. A key of 10 characters
 * takes about 40 bytes, one of 36 about 65; with a map of {@code String} it would be 110 and 135. Time: a pass over the
 * string and about one cache miss. The hash has a random seed in each process, so that no input can provoke collisions.
 */
final class StringDictionary {
    private static final int MOST_STRINGS = 1 << 29;
    /** The bytes before the characters of a string, which hold its length and two flags. */
    private static final int HEADER = Integer.BYTES;

    private static final int WIDE = 1;
    private static final int MARKED = 2;
    private static final int FLAG_BITS = 2;
    private static final int MOST_CHARACTERS = 1 << 28;
    private static final int FIRST_BLOCK = 1 << 8;
    /** Less than half of a region of G1, which gives larger arrays regions of their own. */
    private static final int LARGEST_BLOCK = 1 << 18;

    /**
     * The author of a history cannot choose strings that collide without it. {@link java.security.SecureRandom} would
     * take a tenth of the time of a check of a small history to start.
     */
    private static final long SEED = ThreadLocalRandom.current().nextLong();

    private final List<byte[]> blocks = new ArrayList<>();
    private byte[] block = new byte[0];
    private int used;
    private long bytes;

    /** By number: the block and the offset in it. */
    private long[] places = new long[0];

    private int size;
    /** Open addressing: the high half of the hash and the number + 1; 0 if the slot is free. */
    private long[] slots = new long[0];

    int size() {
        return size;
    }

    /**
     * The number of a string, which is added if it is new.
     *
     * @param marked a marked string differs from the same string unmarked
     */
    int id(String string, boolean marked) {
        return id(hash(string, marked), string, marked);
    }

    private int id(long hash, String string, boolean marked) {
        if (slots.length == 0) {
            grow();
        }
        int mask = slots.length - 1;
        int slot = (int) hash & mask;
        for (long found; (found = slots[slot]) != 0; slot = (slot + 1) & mask) {
            int id = (int) found - 1;
            if (found >>> 32 == hash >>> 32 && isAt(places[id], string, marked)) {
                return id;
            }
        }
        if (size == MOST_STRINGS) {
            throw new BudgetException("more than " + MOST_STRINGS + " different strings do not fit one table");
        }
        if (4L * size >= 3L * slots.length) {
            grow();
            return id(hash, string, marked);
        }
        if (size == places.length) {
            places = Arrays.copyOf(places, Math.max(16, size + (size >> 1)));
        }
        places[size] = add(string, marked);
        slots[slot] = (hash & -1L << 32) | (size + 1);
        return size++;
    }

    String string(int id) {
        byte[] from = blocks.get((int) (places[id] >>> 32));
        int at = (int) places[id];
        int header = header(from, at);
        int length = header >>> FLAG_BITS;
        char[] string = new char[length];
        for (int i = 0; i < length; i++) {
            string[i] = character(from, at + HEADER, i, (header & WIDE) != 0);
        }
        return new String(string);
    }

    boolean isMarked(int id) {
        return (header(blocks.get((int) (places[id] >>> 32)), (int) places[id]) & MARKED) != 0;
    }

    List<String> strings() {
        List<String> strings = new ArrayList<>(size);
        for (int id = 0; id < size; id++) {
            strings.add(string(id));
        }
        return strings;
    }

    /** Bytes of heap held. */
    long bytes() {
        return bytes + 8L * (places.length + slots.length);
    }

    private long add(String string, boolean marked) {
        int length = string.length();
        int wide = 0;
        for (int i = 0; i < length && wide == 0; i++) {
            wide = string.charAt(i) > 0xff ? WIDE : 0;
        }
        if (length > MOST_CHARACTERS) {
            throw new BudgetException("a string of " + length + " characters does not fit a table");
        }
        int header = length << FLAG_BITS | (marked ? MARKED : 0) | wide;
        int needed = HEADER + (length << wide);
        if (needed > block.length - used) {
            block = new byte[Math.max(needed, Math.min(LARGEST_BLOCK, Math.max(FIRST_BLOCK, 2 * block.length)))];
            blocks.add(block);
            bytes += block.length;
            used = 0;
        }
        int at = used;
        for (int i = 0; i < HEADER; i++) {
            block[used++] = (byte) (header >>> (Byte.SIZE * i));
        }
        for (int i = 0; i < length; i++) {
            char c = string.charAt(i);
            block[used++] = (byte) c;
            if (wide != 0) {
                block[used++] = (byte) (c >>> Byte.SIZE);
            }
        }
        return (long) (blocks.size() - 1) << 32 | at;
    }

    private boolean isAt(long place, String string, boolean marked) {
        byte[] from = blocks.get((int) (place >>> 32));
        int at = (int) place;
        int header = header(from, at);
        int length = string.length();
        if (header >>> FLAG_BITS != length || ((header & MARKED) != 0) != marked) {
            return false;
        }
        boolean wide = (header & WIDE) != 0;
        for (int i = 0; i < length; i++) {
            if (character(from, at + HEADER, i, wide) != string.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private static int header(byte[] from, int at) {
        return from[at] & 0xff | (from[at + 1] & 0xff) << 8 | (from[at + 2] & 0xff) << 16 | from[at + 3] << 24;
    }

    private static char character(byte[] from, int start, int i, boolean wide) {
        return wide
                ? (char) (from[start + 2 * i] & 0xff | from[start + 2 * i + 1] << Byte.SIZE)
                : (char) (from[start + i] & 0xff);
    }

    /** A hash of a string and its mark, constant within one process. */
    private static long hash(String string, boolean marked) {
        long hash = SEED ^ (marked ? 1 : 0);
        for (int i = 0; i < string.length(); i++) {
            hash = (hash ^ string.charAt(i)) * 0x9e3779b97f4a7c15L;
            hash ^= hash >>> 29;
        }
        return HashCommon.mix(hash);
    }

    private void grow() {
        long[] old = slots;
        slots = new long[Math.max(16, 2 * old.length)];
        int mask = slots.length - 1;
        for (long entry : old) {
            if (entry != 0) {
                int id = (int) entry - 1;
                int slot = (int) hash(string(id), isMarked(id)) & mask;
                while (slots[slot] != 0) {
                    slot = (slot + 1) & mask;
                }
                slots[slot] = entry;
            }
        }
    }
}
