package org.polygraph.jobs.windows;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** A set of places: some ranges, ascending and disjoint. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record PlaceSet(long[] from, long[] to) implements Serializable {
    /** @param ranges in any order; those that overlap are joined */
    static PlaceSet of(List<WindowStore.Range> ranges) {
        List<WindowStore.Range> sorted = new ArrayList<>(ranges);
        sorted.sort(Comparator.comparingLong(WindowStore.Range::from));
        long[] from = new long[sorted.size()];
        long[] to = new long[sorted.size()];
        int count = 0;
        for (WindowStore.Range range : sorted) {
            if (count > 0 && range.from() <= to[count - 1]) {
                to[count - 1] = Math.max(to[count - 1], range.to());
            } else {
                from[count] = range.from();
                to[count++] = range.to();
            }
        }
        return new PlaceSet(Arrays.copyOf(from, count), Arrays.copyOf(to, count));
    }

    boolean has(long place) {
        int at = Arrays.binarySearch(from, place);
        int range = at < 0 ? -at - 2 : at;
        return range >= 0 && place < to[range];
    }

    /** The number of its places. */
    long size() {
        long size = 0;
        for (int range = 0; range < from.length; range++) {
            size += to[range] - from[range];
        }
        return size;
    }

    int ranges() {
        return from.length;
    }
}
