package org.polygraph.jobs.windows;

import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.storage.table.HistoryTable;

/** Finds the last of some ends that precedes a time, and the first of some starts that a time precedes. */
final class RealTimeBounds {
    /** By number: the greatest start up to there. */
    private final long[] starts;
    /** By number: the least end from there on. */
    private final long[] ends;

    private final Terms terms;

    /** Takes the arrays over. A time may be {@link HistoryTable#NO_TIME}. */
    RealTimeBounds(long[] starts, long[] ends, Terms terms) {
        this.starts = starts;
        this.ends = ends;
        this.terms = terms;
        for (int i = 1; i < starts.length; i++) {
            // NO_TIME is less than all times.
            starts[i] = Math.max(starts[i - 1], starts[i]);
        }
        for (int i = ends.length - 2; i >= 0; i--) {
            long next = ends[i + 1];
            if (ends[i] == HistoryTable.NO_TIME || (next != HistoryTable.NO_TIME && next < ends[i])) {
                ends[i] = next;
            }
        }
    }

    /** Returns the number of the last end that precedes a start; -1 if there is none. */
    int lastBefore(long start) {
        int from = 0;
        int to = ends.length;
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (terms.precedes(ends[middle], start)) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from - 1;
    }

    /** Returns the number of the first start that an end precedes; the number of starts if there is none. */
    int firstBehind(long end) {
        int from = 0;
        int to = starts.length;
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (terms.precedes(end, starts[middle])) {
                to = middle;
            } else {
                from = middle + 1;
            }
        }
        return from;
    }
}
