package org.polygraph.jobs.certificate.replay;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import org.polygraph.jobs.certificate.format.RankHeader;
import org.polygraph.jobs.certificate.format.RankPart;
import org.polygraph.jobs.certificate.format.RankRanges;
import org.polygraph.jobs.certificate.format.Terms;

/**
 * The division of a replay without a table: transactions into ranges of (session, index), which are the parts of the
 * certificate; operations into slices of keys, and these into windows of places; events into windows of places.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record DealPlan(Terms terms, RankRanges ranges, int slices, long[] places) implements Serializable {
    /**
     * A plan.
     *
     * @param slices number of slices of keys
     * @param sample some places of the certificate, ascending
     * @param placeRanges the most windows of places
     */
    public static DealPlan of(RankHeader header, int slices, long[] sample, int placeRanges) {
        List<RankPart> parts = header.parts();
        int ranges = Math.max(1, parts.size());
        long[] sessions = new long[ranges - 1];
        long[] indexes = new long[ranges - 1];
        for (int r = 1; r < ranges; r++) {
            sessions[r - 1] = parts.get(r).session();
            indexes[r - 1] = parts.get(r).index();
        }
        long[] bounds = new long[Math.max(0, Math.min(placeRanges, sample.length) - 1)];
        for (int b = 0; b < bounds.length; b++) {
            bounds[b] = sample[(int) ((b + 1L) * sample.length / (bounds.length + 1))];
        }
        return new DealPlan(
                header.terms(),
                new RankRanges(sessions, indexes),
                slices,
                Arrays.stream(bounds).distinct().toArray());
    }

    /** The number of windows of places. */
    public int placeRanges() {
        return places.length + 1;
    }

    int placeRange(long place) {
        int found = Arrays.binarySearch(places, place);
        return found < 0 ? -found - 1 : found + 1;
    }
}
