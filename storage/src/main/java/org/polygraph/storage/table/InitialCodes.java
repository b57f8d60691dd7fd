package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.AbstractInt2LongMap;
import it.unimi.dsi.fastutil.objects.AbstractObjectSet;
import it.unimi.dsi.fastutil.objects.ObjectIterator;
import it.unimi.dsi.fastutil.objects.ObjectSet;
import java.util.Arrays;
import java.util.NoSuchElementException;

/**
 * The codes of initial values by key, in an array. In a part of a chain most keys have such a value, and each read asks
 * for it; a hash map takes more time and memory then. Memory: 8 bytes a key of the history.
 */
public final class InitialCodes extends AbstractInt2LongMap {
    private static final long serialVersionUID = 1;

    private final long[] codes;
    private final long common;
    private int size;

    /**
     * Creates a map without entries.
     *
     * @param keys the number of keys of the history
     * @param common the code of keys without an entry; an entry with this code counts as missing
     */
    public InitialCodes(int keys, long common) {
        codes = new long[keys];
        this.common = common;
        Arrays.fill(codes, common);
    }

    @Override
    public long put(int key, long code) {
        long before = codes[key];
        size += (code == common ? 0 : 1) - (before == common ? 0 : 1);
        codes[key] = code;
        return before == common ? defRetValue : before;
    }

    @Override
    public boolean containsKey(int key) {
        return key >= 0 && key < codes.length && codes[key] != common;
    }

    @Override
    public long get(int key) {
        return containsKey(key) ? codes[key] : defRetValue;
    }

    @Override
    public long getOrDefault(int key, long otherwise) {
        return containsKey(key) ? codes[key] : otherwise;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public boolean isEmpty() {
        return size == 0;
    }

    @Override
    public ObjectSet<Entry> int2LongEntrySet() {
        return new AbstractObjectSet<>() {
            @Override
            public ObjectIterator<Entry> iterator() {
                return new Entries();
            }

            @Override
            public int size() {
                return size;
            }
        };
    }

    /** The entries, by ascending key. */
    private final class Entries implements ObjectIterator<Entry> {
        private int next = after(0);

        private int after(int key) {
            int at = key;
            while (at < codes.length && codes[at] == common) {
                at++;
            }
            return at;
        }

        @Override
        public boolean hasNext() {
            return next < codes.length;
        }

        @Override
        public Entry next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            int key = next;
            next = after(key + 1);
            return new BasicEntry(key, codes[key]);
        }
    }
}
