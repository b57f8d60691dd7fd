package org.polygraph.jobs.certificate.replay;

import java.util.Arrays;
import java.util.BitSet;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;

/** Makes the history that {@link ListStates#versions} returns. Used once. */
final class ListVersionsTable {
    private static final int MOST = 1 << 28;

    private final HistoryTable read;
    private final ListStates states;
    private final boolean eachElement;
    private final boolean follows;
    /** By key: whether it has lists. */
    private final boolean[] isList;
    /** By key and place: the code of the version that its append makes; 0 until it is known. */
    private final long[][] codes;
    /** By key: the key of its first element; the others follow. */
    private final int[] elementKeys;

    private final KeyDictionary keys;
    private int size;
    private int[] newKeys;
    private long[] newValues;
    /** The operations that express elements of lists other than the last one. */
    private final BitSet implied = new BitSet();

    ListVersionsTable(HistoryTable read, ListStates states, boolean eachElement, boolean follows) {
        this.read = read;
        this.states = states;
        this.eachElement = eachElement;
        this.follows = follows;
        int n = read.keys().size();
        isList = new boolean[n];
        codes = new long[n][];
        elementKeys = new int[n];
        newKeys = new int[read.operations()];
        newValues = new long[read.operations()];
        for (int o = 0; o < read.operations(); o++) {
            isList[read.key(o)] |= read.isAppend(o) || read.elements(o) != null;
        }
        if (!eachElement) {
            keys = read.keys();
        } else {
            keys = new KeyDictionary();
            keys.addAll(read.keys());
        }
        for (int key = 0; key < n; key++) {
            int versions = states.size(key);
            codes[key] = new long[versions];
            elementKeys[key] = keys.size();
            for (int place = 0; place < versions; place++) {
                String label = read.values().label(states.order(key)[place]);
                codes[key][place] = read.values().opaque("[.. " + label + "]");
                if (eachElement) {
                    keys.newId(label + " in list " + read.keys().label(key));
                }
            }
        }
    }

    HistoryTable table() {
        int[] starts = new int[read.transactions() + 1];
        for (int t = 0; t < read.transactions(); t++) {
            for (int o = read.firstOperation(t); o < read.operationsEnd(t); o++) {
                if (!isList[read.key(o)]) {
                    put(read.operationKeys()[o], read.value(o));
                } else if (read.isAppend(o)) {
                    append(t, o);
                } else {
                    list(o);
                }
            }
            starts[t + 1] = size;
        }
        byte[] kinds = null;
        if (!implied.isEmpty()) {
            byte[] all = new byte[size];
            implied.stream().forEach(o -> all[o] = Operations.IMPLIED);
            kinds = all;
        }
        Operations operations =
                new Operations(starts, Arrays.copyOf(newKeys, size), Arrays.copyOf(newValues, size), kinds);
        return read.with(keys, operations);
    }

    private void append(int t, int o) {
        int key = read.key(o);
        int place = states.first(t, key);
        if (place < 0) {
            // It does not count.
            put(Operations.pack(key, true), read.value(o));
            return;
        }
        for (int before = read.firstOperation(t); before < o; before++) {
            place += read.key(before) == key && read.isAppend(before) ? 1 : 0;
        }
        if (follows && states.isShown(key, place)) {
            put(Operations.pack(key, false), version(key, place));
        }
        put(Operations.pack(key, true), version(key, place + 1));
        if (eachElement) {
            implied.set(size);
            put(Operations.pack(elementKeys[key] + place, true), version(key, place + 1));
        }
    }

    private void list(int o) {
        int key = read.key(o);
        long[] elements = read.elements(o);
        // A read of null reads the empty list.
        int length = elements == null ? 0 : elements.length;
        if (length > codes[key].length) {
            // Its transaction does not count.
            put(Operations.pack(key, false), ValueDictionary.NULL);
            return;
        }
        for (int place = 0; eachElement && place + 1 < length; place++) {
            implied.set(size);
            put(Operations.pack(elementKeys[key] + place, false), version(key, place + 1));
        }
        put(Operations.pack(key, false), version(key, length));
    }

    /** The value of the version with a number of elements. */
    private long version(int key, int elements) {
        return elements == 0 ? read.initialValue(key) : codes[key][elements - 1];
    }

    private void put(int keyAndKind, long value) {
        if (size == newKeys.length) {
            if (size > MOST) {
                throw new BudgetException(
                        "the lists that were read have more than " + MOST
                                + " elements in all; pc, cc, ra, rc and pl2 read each of them; check si, which implies these levels");
            }
            newKeys = Arrays.copyOf(newKeys, 2 * size + 8);
            newValues = Arrays.copyOf(newValues, 2 * size + 8);
        }
        newKeys[size] = keyAndKind;
        newValues[size++] = value;
    }
}
