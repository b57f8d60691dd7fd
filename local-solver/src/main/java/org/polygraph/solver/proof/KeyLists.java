package org.polygraph.solver.proof;

import java.util.Arrays;

/**
 * The writers or the readers of each key: those of key k are the indexes {@code start[k]..start[k+1])}, each with its
 * transaction and the class of its value. The arrays are shared.
 */
public final class KeyLists {
    final int[] start;
    final int[] txn;
    final int[] valueClass;

    public KeyLists(int[] start, int[] txn, int[] valueClass) {
        this.start = start;
        this.txn = txn;
        this.valueClass = valueClass;
    }

    int keys() {
        return start.length - 1;
    }

    void validate(String name) {
        ProofProblem.require(start.length >= 1, name + "Start's length", 0, start.length);
        ProofProblem.validateStarts(name + "Start", start, keys(), Math.min(txn.length, valueClass.length));
    }

    /** The key of an index, or -1 if there is none. O(log keys). */
    public static int keyOf(int[] start, int index) {
        int low = 0;
        int high = start.length - 2;
        if (index < start[0] || index >= start[high + 1]) {
            return -1;
        }
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (start[middle] <= index) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /** Whether both have the same entries. */
    boolean isSame(KeyLists other) {
        int end = start[keys()];
        int otherEnd = other.start[other.keys()];
        return Arrays.equals(start, other.start)
                && Arrays.equals(txn, start[0], end, other.txn, other.start[0], otherEnd)
                && Arrays.equals(valueClass, start[0], end, other.valueClass, other.start[0], otherEnd);
    }
}
