package org.polygraph.storage.columnar;

/**
 * The lists that transactions of a piece of a history read, one after another.
 *
 * @param elements codes of all, 8 bytes each
 * @param starts of each list among these, and the end of the last
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
public record ListReads(long[] elements, int[] starts) {
    long bytes() {
        return 8L * elements.length + 4L * starts.length;
    }
}
