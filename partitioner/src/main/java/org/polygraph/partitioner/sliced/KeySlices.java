package org.polygraph.partitioner.sliced;

import it.unimi.dsi.fastutil.HashCommon;
import it.unimi.dsi.fastutil.ints.Int2IntOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.io.Serializable;
import java.util.Arrays;
import org.polygraph.storage.table.HistoryTable;

/**
 * Which slice has what. Of the first n slices each has whole keys: key k is the (k / n)-th of slice k mod n. Ids of keys are
 * dense and follow first appearance, so these are as even as a hash would make them, and no table is needed to number a
 * slice's keys densely again.
 *
 * <p>A <i>cut</i> key has slices of its own beyond these, its <i>parts</i>, where it is key 0, and in slice k mod n it is a key
 * without operations. Its operations are dealt by a hash of their value: a part has all writes and all reads of its values,
 * so that the candidates of each read are with it. As even as values are: those of one value are never parted.
 */
public final class KeySlices implements Serializable {
    private static final long serialVersionUID = 1L;
    private static final int WHOLE = -1;

    private final int keys;
    private final int whole;
    /** Ascending. */
    private final int[] cutKeys;
    /** By cut key, its place above: the first of its slices; and the number of all slices. */
    private final int[] partStarts;
    /** The place of each cut key. */
    private final Int2IntOpenHashMap places = new Int2IntOpenHashMap();

    /**
     * Whole keys only.
     *
     * @param keys how many there are, 0 to 2^30
     * @param slices n, at least 1
     */
    public KeySlices(int keys, int slices) {
        this(keys, slices, new int[0], new int[0]);
    }

    /**
     * Some keys are cut.
     *
     * @param slices n, of whole keys
     * @param cutKeys ascending
     * @param parts of each of them, at least 1
     */
    KeySlices(int keys, int slices, int[] cutKeys, int[] parts) {
        if (keys < 0 || slices < 1) {
            throw new IllegalArgumentException(keys + " keys in " + slices + " slices; expected at least one slice");
        }
        this.keys = keys;
        this.whole = slices;
        this.cutKeys = cutKeys;
        this.partStarts = new int[cutKeys.length + 1];
        partStarts[0] = slices;
        places.defaultReturnValue(WHOLE);
        for (int c = 0; c < cutKeys.length; c++) {
            partStarts[c + 1] = Math.addExact(partStarts[c], parts[c]);
            places.put(cutKeys[c], c);
        }
    }

    /**
     * Cuts keys that have too much for a slice. Linear time; 4 bytes a key while it works.
     *
     * @param slices n, of whole keys
     * @param mostOfKey operations of a key that is not cut
     * @param perPart operations of a part, about
     */
    public static KeySlices of(HistoryTable table, int slices, long mostOfKey, int perPart) {
        int keys = table.keys().size();
        if (table.operations() <= mostOfKey) {
            return new KeySlices(keys, slices);
        }
        int[] counts = new int[keys];
        for (int o = 0; o < table.operations(); o++) {
            counts[table.key(o)]++;
        }
        IntArrayList cut = new IntArrayList();
        IntArrayList parts = new IntArrayList();
        for (int key = 0; key < keys; key++) {
            if (counts[key] > mostOfKey) {
                cut.add(key);
                parts.add(Math.max(2, (counts[key] - 1) / perPart + 1));
            }
        }
        return new KeySlices(keys, slices, cut.toIntArray(), parts.toIntArray());
    }

    /** All keys. */
    public int keys() {
        return keys;
    }

    /** Slices: those of whole keys, then parts. */
    public int slices() {
        return partStarts[cutKeys.length];
    }

    /** Keys that are cut, ascending; not copied. */
    public int[] cutKeys() {
        return cutKeys;
    }

    /** Whether a slice is a part of a key, and not of whole keys. */
    public boolean isPart(int slice) {
        return slice >= whole;
    }

    /** Whether a key is in parts. */
    public boolean isCut(int key) {
        return cutKeys.length > 0 && places.get(key) != WHOLE;
    }

    /** The slice of an operation. */
    public int sliceOf(int key, long value) {
        int place = cutKeys.length == 0 ? WHOLE : places.get(key);
        if (place == WHOLE) {
            return key % whole;
        }
        int parts = partStarts[place + 1] - partStarts[place];
        return partStarts[place] + (int) ((HashCommon.mix(value) >>> Integer.SIZE) % parts);
    }

    /** The slice of a key that is not cut. */
    public int sliceOf(int key) {
        if (isCut(key)) {
            throw new IllegalArgumentException("key " + key + " is in several slices");
        }
        return key % whole;
    }

    /** The key's number in the slices where it has operations. */
    public int localOf(int key) {
        return isCut(key) ? 0 : key / whole;
    }

    /** The key that is number {@code local} in its slice. */
    public int keyOf(int slice, int local) {
        return isPart(slice) ? cutKeys[placeOf(slice)] : local * whole + slice;
    }

    /** How many keys a slice has, those without operations included. */
    public int keysOf(int slice) {
        if (isPart(slice)) {
            return 1;
        }
        return slice >= keys ? 0 : (keys - slice - 1) / whole + 1;
    }

    /** The cut key of a part, as its place among {@link #cutKeys}. */
    public int placeOf(int part) {
        int found = Arrays.binarySearch(partStarts, part);
        return found >= 0 ? found : -found - 2;
    }

    /** The first slice of the cut key at a place; after the last one, the number of slices. */
    int partStart(int place) {
        return partStarts[place];
    }
}
