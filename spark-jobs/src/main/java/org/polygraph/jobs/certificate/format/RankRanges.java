package org.polygraph.jobs.certificate.format;

import java.io.Serializable;

/**
 * Consecutive ranges of transactions, by (session, index), of a certificate that separate tasks write or replay.
 *
 * @param labels by range, from the second on: the label of the session of its first transaction; ascending
 * @param indexes by range, from the second on: the index of its first transaction
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record RankRanges(long[] labels, long[] indexes) implements Serializable {
    private static final long serialVersionUID = 1L;

    public int count() {
        return labels.length + 1;
    }

    /** The range of a transaction, by binary search. */
    public int of(long label, long index) {
        int low = 0;
        int high = labels.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (labels[middle] < label || (labels[middle] == label && indexes[middle] <= index)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
