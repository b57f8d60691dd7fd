package org.polygraph.jobs.certificate.replay;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.ContentTree;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.storage.table.RecordedTimes;

/**
 * Joins the findings of ranges, slices and windows of places to the result of a replay without a table. {@link
 * PieceDealer} deals the input to a {@link RangeReplay} for each part of the certificate; these deal to a {@link
 * SliceReplay} for each slice of keys and a {@link PlaceReplay} for each window of places. The result is exactly that
 * of {@link Replay}.
 *
 * <p>Memory: one finding for each range, slice and window; that of a range has 32 bytes for each 1,024 transactions,
 * and about 64 KiB.
 */
public final class DealtReplay {
    private final RangeFinding[] ranges;
    private final SliceReplay.Finding[] slices;
    private final PlaceReplay.Finding[] places;
    private final int eventsPerTransaction;

    private DealtReplay(DealPlan plan) {
        ranges = new RangeFinding[plan.ranges().count()];
        slices = new SliceReplay.Finding[plan.slices()];
        places = new PlaceReplay.Finding[plan.placeRanges()];
        eventsPerTransaction = plan.terms().guarantee().events();
    }

    /**
     * The result.
     *
     * @param replay of the order
     * @param content of all transactions
     * @param committed number of committed transactions
     */
    public record Result(
            Replay.Result replay,
            ContentTree content,
            long sessions,
            long committed,
            long indeterminate,
            long operations,
            RecordedTimes times) {
        public long transactions() {
            return content.transactions();
        }
    }

    /**
     * Collects findings.
     *
     * @throws IllegalStateException if a finding, an operation or an event is missing or repeats, because the order
     * would then be accepted without a complete check
     */
    public static DealtReplay of(DealPlan plan, List<? extends Serializable> findings) {
        DealtReplay all = new DealtReplay(plan);
        int found = 0;
        for (Serializable each : findings) {
            if (each instanceof RangeFinding range && all.ranges[range.range()] == null) {
                all.ranges[range.range()] = range;
            } else if (each instanceof SliceReplay.Finding slice
                    && all.slices[slice.keys().slice()] == null) {
                all.slices[slice.keys().slice()] = slice;
            } else if (each instanceof PlaceReplay.Finding place && all.places[place.range()] == null) {
                all.places[place.range()] = place;
            } else {
                throw new IllegalStateException("a finding that repeats: " + each);
            }
            found++;
        }
        int expected = all.ranges.length + all.slices.length + all.places.length;
        if (found != expected) {
            throw new IllegalStateException(found + " findings of " + expected);
        }
        return all;
    }

    /** Whether the order cannot be replayed without the whole history. */
    public boolean isRefused() {
        return Arrays.stream(ranges).anyMatch(RangeFinding::refused);
    }

    /**
     * By window of places: the limits that the windows before set for its real time, for {@link PlaceReplay#of}.
     *
     * @return empty if no window has to be checked again, so that the findings are final
     */
    public List<Serializable> carried(DealPlan plan) {
        List<Serializable> carried = new ArrayList<>();
        PlaceReplay.Latest latest = PlaceReplay.Latest.NONE;
        boolean matters = false;
        for (PlaceReplay.Finding place : places) {
            carried.add(latest);
            matters |= plan.terms().precedes(place.firstEnd(), latest.firstStart());
            latest = latest.with(place.latest());
        }
        return matters ? carried : List.of();
    }

    /**
     * The result of all findings.
     *
     * @param names the place of a transaction in the input, which is part of its name: {@code file:7}
     */
    public Result result(Function<Named, String> names) {
        ContentTree content = new ContentTree();
        long sessions = 0;
        long committed = 0;
        long indeterminate = 0;
        long counted = 0;
        long operations = 0;
        long dealt = 0;
        RecordedTimes times = new RecordedTimes(true);
        boolean isAfter = false;
        long lastSession = 0;
        for (RangeFinding range : ranges) {
            RangeFinding.Counts counts = range.counts();
            if (range.content().transactions() > 0) {
                sessions += counts.sessions() - (isAfter && lastSession == range.firstSession() ? 1 : 0);
                isAfter = true;
                lastSession = range.lastSession();
            }
            content.append(range.content());
            times.add(range.times());
            committed += counts.committed();
            indeterminate += counts.indeterminate();
            counted += counts.counted();
            operations += counts.operations();
            dealt += counts.dealt();
        }
        Sentence wrong = ofRanges();
        wrong = wrong == null ? ofPlaces() : wrong;
        Replay.Result replay = wrong != null ? rejected(wrong, names) : ofSlices(counted, dealt, names);
        return new Result(replay, content, sessions, committed, indeterminate, operations, times);
    }

    private static Replay.Result rejected(Sentence wrong, Function<Named, String> names) {
        return Replay.Result.rejected(wrong.text(
                name -> Names.transaction(name.session(), name.index()) + " at " + Names.line(names.apply(name))));
    }

    private @Nullable Sentence ofRanges() {
        for (RangeFinding range : ranges) {
            if (range.faults().mismatch() != null) {
                return range.faults().mismatch();
            }
        }
        for (RangeFinding range : ranges) {
            if (range.faults().status() != null) {
                return range.faults().status();
            }
        }
        RangeFinding.Placed last = null;
        for (RangeFinding range : ranges) {
            RangeFinding.Placed first = range.first();
            if (first == null) {
                continue;
            }
            if (range.faults().isFirst()) {
                return range.faults().order();
            }
            if (last != null
                    && last.transaction().session() == first.transaction().session()
                    && last.place() >= first.place()) {
                return new Sentence(
                        "", first.transaction(), Placement.EARLIER, last.transaction(), Placement.RAN_EARLIER);
            }
            if (range.faults().order() != null) {
                return range.faults().order();
            }
            last = range.last();
        }
        return null;
    }

    private @Nullable Sentence ofPlaces() {
        PlaceReplay.Finding repeated = null;
        for (PlaceReplay.Finding place : places) {
            PlaceReplay.Event event = place.repeatedBy();
            if (event != null
                    && (repeated == null || repeated.repeatedBy() == null || event.isBefore(repeated.repeatedBy()))) {
                repeated = place;
            }
        }
        if (repeated != null) {
            return repeated.repeated();
        }
        for (PlaceReplay.Finding place : places) {
            if (place.late() != null) {
                return place.late();
            }
        }
        return null;
    }

    private Replay.Result ofSlices(long counted, long dealt, Function<Named, String> names) {
        long reads = 0;
        long ownReads = 0;
        long writes = 0;
        long events = 0;
        SliceReplay.Finding first = null;
        KeyReplay.Discrepancy earliest = null;
        for (SliceReplay.Finding slice : slices) {
            reads += slice.keys().reads();
            ownReads += slice.keys().ownReads();
            writes += slice.keys().writes();
            KeyReplay.Discrepancy found = slice.keys().discrepancy();
            if (found != null && (earliest == null || found.before(earliest))) {
                earliest = found;
                first = slice;
            }
        }
        for (PlaceReplay.Finding place : places) {
            events += place.events();
        }
        if (reads + writes != dealt || events != eventsPerTransaction * counted) {
            throw new IllegalStateException(reads + writes + " operations replayed of " + dealt + ", and " + events
                    + " events of " + counted + " transactions");
        }
        return first == null
                ? new Replay.Result(null, counted, reads, ownReads, writes)
                : rejected(Objects.requireNonNull(first.sentence()), names);
    }
}
