package org.polygraph.storage.lists;

/**
 * The lists that transactions of a piece of a history read, by number from 1; the first place of each array has nothing.
 *
 * @param elements by list: the code of its last element
 * @param before by list: the list without that, which is an earlier one; where that is the empty one, less than none: {@code ~key}
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
public record ListReads(long[] elements, int[] before) {
    public long bytes() {
        return (long) (Long.BYTES + Integer.BYTES) * before.length;
    }
}
