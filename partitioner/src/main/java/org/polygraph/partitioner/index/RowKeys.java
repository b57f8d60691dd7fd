package org.polygraph.partitioner.index;

import java.util.BitSet;

/**
 * Which keys of an index are about rows that are inserted and deleted. Such a key of the history has a second key in
 * the index, its <i>existence</i>: each writer of the key writes there whether it leaves a row, an insert reads that
 * there is none, and a delete reads that there is one. So an insert or a delete is a read with several candidates, and
 * the rules of reads suffice for it. Under SER the two keys are keys like any other. Under SI reads of an existence
 * happen at commits, and only the existence orders writers that overlap, see {@link
 * org.polygraph.partitioner.order.KeyCheck}.
 */
public final class RowKeys {
    private final int keys;
    private final int[] of;
    private final int[] unborn;
    private final BitSet hasExistence = new BitSet();

    /**
     * Describes an index.
     *
     * @param keys of the history; the existences have the numbers from here on
     * @param of by existence: its key in the history
     * @param unborn by existence: 1 if there is no row at first, else 0
     */
    RowKeys(int keys, int[] of, int[] unborn) {
        this.keys = keys;
        this.of = of;
        this.unborn = unborn;
        for (int key : of) {
            hasExistence.set(key);
        }
    }

    /** Number of keys of the history. */
    int keys() {
        return keys;
    }

    /** Number of keys of the index. */
    int all() {
        return keys + of.length;
    }

    /** Whether a key of the index is an existence. */
    public boolean isExistence(int key) {
        return key >= keys;
    }

    /** Whether a key of the index is an existence or has one. */
    public boolean isRow(int key) {
        return key >= keys || hasExistence.get(key);
    }

    /** The key of the history that a key of the index is about. */
    public int keyOf(int key) {
        return key < keys ? key : of[key - keys];
    }

    /** Whether there is no row at first: INITIAL is then the class of no row. */
    public boolean isUnborn(int existence) {
        return unborn[existence - keys] != 0;
    }

    /** Whether a writer of this class of an existence leaves a row. */
    public boolean leavesRow(int existence, int valueClass) {
        return isUnborn(existence) != (valueClass == VersionIndex.INITIAL);
    }
}
