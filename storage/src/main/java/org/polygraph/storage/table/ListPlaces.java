package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.bytes.ByteArrayList;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.BitSet;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.lists.ListCodes;
import org.polygraph.storage.lists.ListTree;
import org.polygraph.storage.model.BudgetException;

/**
 * Reads of lists as reads of place keys, see {@link ListResolution#observed}. The place key of two elements of a list
 * is written by both transactions that appended them, with the element of each. The operations on place keys are {@link
 * Operations#IMPLIED}.
 */
final class ListPlaces {
    private static final long MOST_ELEMENTS = 1 << 28;
    private static final int NONE = -1;

    private final HistoryTable table;
    private final ListTree lists;
    private final ListResolution resolution;
    private final KeyDictionary keys;

    /** By list: whether its elements have places. */
    private final BitSet done = new BitSet();

    /** By place: its key, and the number of its first element. */
    private final IntArrayList placeKeys = new IntArrayList();

    private final IntArrayList firstOf = new IntArrayList();

    /** By element: the places that have it as their second element, and those that have it as their first. */
    private final Places seconds = new Places();

    private final Places firsts = new Places();

    private final int[] starts;
    private final IntArrayList newKeys = new IntArrayList();
    private final LongArrayList newCodes = new LongArrayList();
    private final ByteArrayList newKinds = new ByteArrayList();
    private final LongArrayList elements = new LongArrayList();

    /** Places by key and element. */
    private static final class Places {
        private final Long2IntOpenHashMap heads = new Long2IntOpenHashMap();
        private final IntArrayList next = new IntArrayList();

        Places() {
            heads.defaultReturnValue(NONE);
        }

        int first(long version) {
            return heads.get(version);
        }

        int next(int place) {
            return next.getInt(place);
        }

        /** Adds the place with the next number. */
        void add(long version) {
            next.add(heads.put(version, next.size()));
        }
    }

    ListPlaces(HistoryTable table, ListTree lists, ListResolution resolution) {
        this.table = table;
        this.lists = lists;
        this.resolution = resolution;
        keys = new KeyDictionary();
        keys.addAll(table.keys().labels());
        starts = new int[table.transactions() + 1];
    }

    HistoryTable observed() {
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (ListCodes.isRead(table.value(o))) {
                    readPlaces(table.key(o), ListCodes.list(table.value(o)));
                }
            }
        }
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                resolve(t, o);
            }
            starts[t + 1] = newKeys.size();
        }
        return table.with(
                keys, new Operations(starts, newKeys.toIntArray(), newCodes.toLongArray(), newKinds.toByteArray()));
    }

    /** Makes the places of the elements of a list. */
    private void readPlaces(int key, int list) {
        for (int each = list; each != ListTree.EMPTY && !done.get(each); each = lists.withoutLast(each)) {
            done.set(each);
            int without = lists.withoutLast(each);
            int first = without == ListTree.EMPTY ? ListResolution.EMPTY : resolution.number(lists.last(without));
            int second = resolution.number(lists.last(each));
            if (find(key, first, second) == NONE) {
                placeKeys.add(key(key, first, second));
                firstOf.add(first);
                seconds.add(ListResolution.version(key, second));
                firsts.add(ListResolution.version(key, first));
            }
        }
    }

    private int find(int key, int first, int second) {
        int place = seconds.first(ListResolution.version(key, second));
        while (place != NONE && firstOf.getInt(place) != first) {
            place = seconds.next(place);
        }
        return place;
    }

    /** Returns a key that no transaction has. */
    private int key(int key, int first, int second) {
        String label = resolution.element(second) + " behind "
                + (first == ListResolution.EMPTY ? "no element" : resolution.element(first)) + " in list "
                + table.keys().label(key);
        return keys.newId(label);
    }

    private void resolve(int t, int o) {
        int key = table.key(o);
        long code = table.value(o);
        if (ListCodes.isRead(code)) {
            read(t, o, key, ListCodes.list(code));
        } else if (resolution.isAppend(o)) {
            int number = resolution.number(code);
            put(table.operationKeys()[o], resolution.code(number), Operations.APPEND);
            long[] contradiction = resolution.contradiction(o);
            if (contradiction.length > 0) {
                // RC allows reads that contradict each other. It does not allow a read after an own write that returns
                // another version.
                imply(Operations.pack(table.key(o), false), contradiction[0]);
            }
            long version = ListResolution.version(key, number);
            writePlaces(seconds, version, resolution.code(number));
            writePlaces(firsts, version, resolution.code(number));
        } else if (code == ListCodes.BEFORE_APPEND) {
            // Reads that contradict each other give an element two places.
            for (long place : resolution.contradiction(o + 1)) {
                imply(table.operationKeys()[o], place);
            }
        } else {
            put(table.operationKeys()[o], resolution.plain(o), (byte) 0);
        }
    }

    private void writePlaces(Places places, long version, long value) {
        for (int place = places.first(version); place != NONE; place = places.next(place)) {
            imply(Operations.pack(placeKeys.getInt(place), true), value);
        }
    }

    /** Reads the elements from the first to the last, then the version that the last one made. */
    private void read(int t, int o, int key, int list) {
        elements.clear();
        for (int each = list; each != ListTree.EMPTY; each = lists.withoutLast(each)) {
            elements.add(resolution.number(lists.last(each)));
        }
        if (newKeys.size() + (long) elements.size() > MOST_ELEMENTS) {
            throw new BudgetException("the lists that were read have more than " + MOST_ELEMENTS
                    + " elements in all; rc, ra and cc read each of them; check si, which implies these levels");
        }
        if (isOwnMissing(t, o, key)) {
            // A read of the initial value after an own write is a violation at each level.
            imply(table.operationKeys()[o], table.initialValue());
        }
        int first = ListResolution.EMPTY;
        for (int i = elements.size() - 1; i >= 0; i--) {
            int second = (int) elements.getLong(i);
            imply(Operations.pack(placeKeys.getInt(find(key, first, second)), false), resolution.code(second));
            first = second;
        }
        put(table.operationKeys()[o], resolution.code(first), (byte) 0);
    }

    /** Whether the list lacks an element that the transaction appended before it read the list. */
    private boolean isOwnMissing(int t, int o, int key) {
        for (int own = table.firstOperation(t); own < o; own++) {
            if (table.key(own) == key
                    && resolution.isAppend(own)
                    && !elements.contains((long) resolution.number(table.value(own)))) {
                return true;
            }
        }
        return false;
    }

    private void imply(int keyAndKind, long code) {
        put(keyAndKind, code, Operations.IMPLIED);
    }

    private void put(int keyAndKind, long code, byte kind) {
        newKeys.add(keyAndKind);
        newCodes.add(code);
        newKinds.add(kind);
    }
}
