package org.polygraph.storage.dictionary;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.Arrays;
import org.polygraph.storage.model.BudgetException;

/**
 * Dense ids 0, 1, 2... for keys in order of first appearance. Integer and string keys are different: {@code 1} and
 * {@code "1"} are two keys. Small non-negative integers are looked up in an array, others by hash.
 */
public final class KeyDictionary {
    private static final int DIRECT = 1 << 21;
    /** Ids are packed with one flag bit in an int. */
    private static final int MAX_KEYS = 1 << 30;

    /** Integers from 0 up to here are looked up in {@link #direct}. */
    private final int directLimit;

    private int[] direct;
    private final Long2IntOpenHashMap integers = new Long2IntOpenHashMap();
    private final StringDictionary strings = new StringDictionary();
    /**
     * By id: the integer, or the number in {@link #strings} of a string key. Empty while all keys are strings, because
     * their numbers are the ids.
     */
    private final LongArrayList labels = new LongArrayList();

    private long[] stringBits = new long[0];
    /** By number in {@link #strings}: the id of the key. */
    private final IntArrayList stringIds = new IntArrayList();

    public KeyDictionary() {
        this(64, DIRECT);
    }

    /** A dictionary that looks up all integers by hash, for a few keys that may be large integers. */
    public static KeyDictionary sparse() {
        return new KeyDictionary(0, 0);
    }

    private KeyDictionary(int directSize, int directLimit) {
        this.direct = new int[directSize];
        this.directLimit = directLimit;
        integers.defaultReturnValue(-1);
        Arrays.fill(direct, -1);
    }

    /** A dictionary of some keys of another dictionary. It takes memory for these keys only. */
    public static KeyDictionary picked(KeyDictionary from, int[] ids) {
        KeyDictionary picked = sparse();
        for (int id : ids) {
            picked.id(from, id);
        }
        return picked;
    }

    /** Adds the keys of another dictionary in their order. @return by id there: the id here */
    public int[] addAll(KeyDictionary other) {
        int[] ids = new int[other.size()];
        Arrays.setAll(ids, id -> id(other, id));
        return ids;
    }

    /** The id of an integer key, which is added if it is new. */
    public int id(long key) {
        if (key >= 0 && key < directLimit) {
            int k = (int) key;
            if (k >= direct.length) {
                int old = direct.length;
                direct = Arrays.copyOf(direct, Math.min(DIRECT, Math.max(k + 1, old * 2)));
                Arrays.fill(direct, old, direct.length, -1);
            }
            int id = direct[k];
            if (id < 0) {
                id = direct[k] = addInteger(key);
            }
            return id;
        }
        int id = integers.get(key);
        if (id < 0) {
            id = addInteger(key);
            integers.put(key, id);
        }
        return id;
    }

    private int addInteger(long key) {
        if (labels.isEmpty()) {
            int size = strings.size();
            stringBits = bits(size);
            labels.ensureCapacity(size);
            stringIds.ensureCapacity(size);
            for (int i = 0; i < size; i++) {
                labels.add(i);
                stringIds.add(i);
            }
        }
        return add(key);
    }

    /** The id of a string key, which is added if it is new. */
    public int id(String key) {
        int number = strings.id(key, false);
        if (labels.isEmpty()) {
            return number;
        }
        if (number < stringIds.size()) {
            return stringIds.getInt(number);
        }
        int id = add(number);
        stringIds.add(id);
        if ((id >> 6) >= stringBits.length) {
            stringBits = Arrays.copyOf(stringBits, Math.max((id >> 6) + 1, stringBits.length * 2));
        }
        stringBits[id >> 6] |= 1L << id;
        return id;
    }

    /** The id of a key of another dictionary, which is added if it is new. */
    public int id(KeyDictionary from, int key) {
        return from.isString(key) ? id(from.string(key)) : id(from.integer(key));
    }

    /** Adds a string key. If there is one of this label, apostrophes are appended. @return the id */
    public int newId(String label) {
        int id = size();
        String free = label;
        while (id(free) < id) {
            free += "'";
        }
        return id;
    }

    private static long[] bits(int size) {
        long[] bits = new long[(size + 63) >> 6];
        for (int i = 0; i < size; i++) {
            bits[i >> 6] |= 1L << i;
        }
        return bits;
    }

    private int add(long label) {
        int id = labels.size();
        if (id == MAX_KEYS) {
            throw new BudgetException("more than " + MAX_KEYS + " different keys do not fit one table");
        }
        labels.add(label);
        return id;
    }

    public int size() {
        return labels.isEmpty() ? strings.size() : labels.size();
    }

    public boolean isString(int id) {
        return labels.isEmpty() || (id >> 6) < stringBits.length && (stringBits[id >> 6] & (1L << id)) != 0;
    }

    /** The integer key with this id; only if {@link #isString} is false. */
    public long integer(int id) {
        return labels.getLong(id);
    }

    /** The string key with this id; only if {@link #isString} is true. */
    public String string(int id) {
        return strings.string(labels.isEmpty() ? id : (int) labels.getLong(id));
    }

    /** The key as it is shown: {@code 7} or {@code "k7"}. */
    public String label(int id) {
        return isString(id) ? '"' + string(id) + '"' : Long.toString(integer(id));
    }

    /** Bytes of heap that strings take. */
    public long stringBytes() {
        return strings.bytes();
    }

    /** Bytes of heap held, estimated within a factor of two. */
    public long bytes() {
        return 4L * direct.length
                + 24L * integers.size()
                + 12L * labels.size()
                + strings.bytes()
                + 4L * stringIds.size();
    }
}
