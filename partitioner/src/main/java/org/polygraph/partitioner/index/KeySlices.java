package org.polygraph.partitioner.index;

import java.io.Serializable;

/**
 * How keys are dealt out: key k is the (k / n)-th of slice k mod n. Ids of keys are dense and follow first appearance, so
 * the slices are as even as a hash would make them, and no table is needed to number a slice's keys densely again.
 *
 * @param keys how many there are, 0 to 2^30
 * @param slices n, at least 1
 */
public record KeySlices(int keys, int slices) implements Serializable {
    public KeySlices {
        if (keys < 0 || slices < 1) {
            throw new IllegalArgumentException(keys + " keys in " + slices + " slices; expected at least one slice");
        }
    }

    /** The slice of a key. */
    public int sliceOf(int key) {
        return key % slices;
    }

    /** Its number in the slice. */
    public int localOf(int key) {
        return key / slices;
    }

    /** The key that is number {@code local} in its slice. */
    public int keyOf(int slice, int local) {
        return local * slices + slice;
    }

    /** How many keys a slice has. */
    public int keysOf(int slice) {
        return slice >= keys ? 0 : (keys - slice - 1) / slices + 1;
    }
}
