package org.polygraph.partitioner.sliced;

import it.unimi.dsi.fastutil.HashCommon;
import it.unimi.dsi.fastutil.ints.Int2IntOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.io.Serializable;
import java.util.Arrays;
import org.polygraph.storage.table.HistoryTable;

/**
 * The distribution of keys to slices. Each of the first n slices has whole keys: key k is the (k / n)-th of slice k mod
 * n. Ids of keys are dense and follow first appearance, so the slices are as even as a hash would make them, and no
 * table is needed to number the keys of a slice densely.
 *
 * <p>A <i>split</i> key has slices of its own beyond these, in which it is key 0; in slice k mod n it is a key without
 * operations. Its operations are dealt by a hash of their value: a slice has all writes and all reads of its values, so
 * the candidates of each read are in the same slice. Operations of one value are never separated.
 */
public final class KeySlices implements Serializable {
    private static final long serialVersionUID = 1L;
    private static final int WHOLE = -1;

    private final int keys;
    private final int whole;
    /** The split keys, ascending. */
    private final int[] splitKeys;
    /** By place of a split key: the first of its slices; and the number of all slices. */
    private final int[] sliceStarts;
    /** The place of each split key. */
    private final Int2IntOpenHashMap places = new Int2IntOpenHashMap();

    /**
     * A distribution without split keys.
     *
     * @param keys how many there are, 0 to 2^30
     * @param slices n, at least 1
     */
    public KeySlices(int keys, int slices) {
        this(keys, slices, new int[0], new int[0]);
    }

    /**
     * A distribution in which some keys are split.
     *
     * @param slices n, of whole keys
     * @param splitKeys ascending
     * @param parts slices of each of them, at least 1
     */
    KeySlices(int keys, int slices, int[] splitKeys, int[] parts) {
        if (keys < 0 || slices < 1) {
            throw new IllegalArgumentException(keys + " keys in " + slices + " slices; expected at least one slice");
        }
        this.keys = keys;
        this.whole = slices;
        this.splitKeys = splitKeys;
        this.sliceStarts = new int[splitKeys.length + 1];
        sliceStarts[0] = slices;
        places.defaultReturnValue(WHOLE);
        for (int c = 0; c < splitKeys.length; c++) {
            sliceStarts[c + 1] = Math.addExact(sliceStarts[c], parts[c]);
            places.put(splitKeys[c], c);
        }
    }

    /**
     * Splits keys that have too many operations for a slice. Linear time; 4 bytes a key while it works.
     *
     * @param slices n, of whole keys
     * @param mostOfKey operations of a key that is not split
     * @param perSlice operations of a slice of a split key, about
     */
    public static KeySlices of(HistoryTable table, int slices, long mostOfKey, int perSlice) {
        int keys = table.keys().size();
        if (table.operations() <= mostOfKey) {
            return new KeySlices(keys, slices);
        }
        int[] counts = new int[keys];
        for (int o = 0; o < table.operations(); o++) {
            counts[table.key(o)]++;
        }
        IntArrayList split = new IntArrayList();
        IntArrayList parts = new IntArrayList();
        for (int key = 0; key < keys; key++) {
            if (counts[key] > mostOfKey) {
                split.add(key);
                parts.add(Math.max(2, (counts[key] - 1) / perSlice + 1));
            }
        }
        return new KeySlices(keys, slices, split.toIntArray(), parts.toIntArray());
    }

    /** All keys. */
    public int keys() {
        return keys;
    }

    /** The number of slices: those of whole keys, then those of split keys. */
    public int slices() {
        return sliceStarts[splitKeys.length];
    }

    /** The split keys, ascending; not to be changed. */
    public int[] splitKeys() {
        return splitKeys;
    }

    /** Whether a slice is of a split key, and not of whole keys. */
    public boolean isOfSplitKey(int slice) {
        return slice >= whole;
    }

    /** Whether a key is split. */
    public boolean isSplit(int key) {
        return splitKeys.length > 0 && places.get(key) != WHOLE;
    }

    /** The slice of an operation. */
    public int sliceOf(int key, long value) {
        int place = splitKeys.length == 0 ? WHOLE : places.get(key);
        if (place == WHOLE) {
            return key % whole;
        }
        int parts = sliceStarts[place + 1] - sliceStarts[place];
        return sliceStarts[place] + (int) ((HashCommon.mix(value) >>> Integer.SIZE) % parts);
    }

    /** The slice of a key that is not split. */
    public int sliceOf(int key) {
        if (isSplit(key)) {
            throw new IllegalArgumentException("key " + key + " is in several slices");
        }
        return key % whole;
    }

    /** The key's number in the slices where it has operations. */
    public int localOf(int key) {
        return isSplit(key) ? 0 : key / whole;
    }

    /** The key that is number {@code local} in its slice. */
    public int keyOf(int slice, int local) {
        return isOfSplitKey(slice) ? splitKeys[placeOf(slice)] : local * whole + slice;
    }

    /** How many keys a slice has, those without operations included. */
    public int keysOf(int slice) {
        if (isOfSplitKey(slice)) {
            return 1;
        }
        return slice >= keys ? 0 : (keys - slice - 1) / whole + 1;
    }

    /** The split key of one of its slices, as its place among {@link #splitKeys}. */
    public int placeOf(int slice) {
        int found = Arrays.binarySearch(sliceStarts, slice);
        return found >= 0 ? found : -found - 2;
    }

    /** The first slice of the split key at a place; after the last one, the number of slices. */
    int firstSlice(int place) {
        return sliceStarts[place];
    }
}
