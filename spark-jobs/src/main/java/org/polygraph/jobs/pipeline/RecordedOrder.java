package org.polygraph.jobs.pipeline;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.Replay;
import org.polygraph.jobs.certificate.Terms;
import org.polygraph.jobs.certificate.Witness;
import org.polygraph.partitioner.index.ReadsFrom;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.model.Outcome;

/**
 * An order to try before one is looked for: transactions as they ended, or where times are unknown as they stand in a file;
 * where that is sorted by session, as their values count up. Where whoever recorded them wrote each down at its end, or counted
 * values up as it ran, that is nearly the order of commits. A replay tells who read from whom, and looks closer at the few
 * reads that do not return the last write; if they break the level, the next attempt has each transaction after those it read from,
 * and has turned round the pairs of transactions behind what is left. Only to accept: that it fails says nothing.
 *
 * <p>Time: linear, the sort and a replay, which is done a few times. Memory: 20 bytes a transaction.
 */
final class RecordedOrder {
    private static final int WAITING = -1;
    private static final int OPEN = -2;
    private static final int MOST_ATTEMPTS = 6;
    private static final int MOST_TURNS = 32;
    /** Of a place, in a pass of a sort. */
    private static final int DIGIT_BITS = 11;

    /** Beyond, values are all the same as a clock. */
    private static final long MOST_VALUE = 1L << 61;

    private final HistoryTable table;
    private final boolean[] counted;
    private final int[] starts;
    private final int[] position;
    /** By transaction: whether it is the first of its session. */
    private final boolean[] first;
    /** By operation whom it read from; empty while that is not known. */
    private int[] sources;

    private final Precedences turned;
    /** Of the transactions that wait for others: the pair for which they do, or -1. */
    private final IntArrayList open = new IntArrayList();

    private final IntArrayList reasons = new IntArrayList();
    /** The pair for which the last one asked waits, or -1. */
    private int reason;

    private RecordedOrder(HistoryTable table, boolean[] counted, int[] sources) {
        this.table = table;
        this.counted = counted;
        this.sources = sources;
        starts = table.operationStarts();
        position = new int[table.transactions()];
        turned = new Precedences(table.transactions());
        first = new boolean[table.transactions() + 1];
        for (int start : table.sessionStarts()) {
            first[start] = true;
        }
    }

    /**
     * The order, if there is one that a replay accepts, where nothing is known but the history: with the transactions that have
     * committed and no others.
     *
     * @param terms of RC, RA or CC
     * @param withTimes whether times may help
     * @param stop asked now and then; true ends it
     */
    static @Nullable Witness accepted(HistoryTable table, Terms terms, boolean withTimes, BooleanSupplier stop) {
        boolean[] counted = new boolean[table.transactions()];
        for (int t = 0; t < counted.length; t++) {
            counted[t] = table.outcomes()[t] == Outcome.COMMITTED.code();
        }
        return new RecordedOrder(table, counted, new int[0]).accepted(terms, withTimes, stop);
    }

    /** The same where it is known who counts, and who read from whom unless reads are open. @param reads without violations */
    static @Nullable Witness accepted(ReadsFrom reads, Terms terms, boolean withTimes, BooleanSupplier stop) {
        boolean[] counted = new boolean[reads.table().transactions()];
        for (int t = 0; t < counted.length; t++) {
            counted[t] = reads.counting().isCounted(t);
        }
        int[] sources = reads.open().length == 0 ? reads.sources() : new int[0];
        return new RecordedOrder(reads.table(), counted, sources).accepted(terms, withTimes, stop);
    }

    private @Nullable Witness accepted(Terms terms, boolean withTimes, BooleanSupplier stop) {
        int[] sequence = sequence(withTimes);
        if (sequence == null) {
            return null;
        }
        Witness witness = new Witness(table, terms, counted, position);
        // Those of the index are others' too.
        boolean isKnown = sources.length > 0;
        for (int i = 0; i < MOST_ATTEMPTS && !stop.getAsBoolean(); i++) {
            if (!(i == 0 && sources.length == 0 && isBySession(sequence)) && !isPlaced(sequence)) {
                return null;
            }
            Replay.Attempt attempt = Replay.attempt(witness, isKnown ? new int[0] : sources);
            if (attempt == null || attempt.holds()) {
                return attempt == null ? null : witness;
            }
            boolean isLearning = sources.length == 0 || attempt.turned().length > 0;
            if (!isLearning) {
                return null;
            }
            isKnown = false;
            sources = attempt.sources();
            turned.add(attempt.turned());
        }
        return null;
    }

    /** Gives places as they are in the sequence; whether sessions ascend. */
    private boolean isBySession(int[] sequence) {
        for (int i = 0; i < sequence.length; i++) {
            position[sequence[i]] = i;
        }
        boolean ascends = true;
        for (int t = 1; t < position.length; t++) {
            ascends &= first[t] | position[t - 1] < position[t];
        }
        return ascends;
    }

    /** Gives places; pairs that contradict sources or each other are turned round. */
    private boolean isPlaced(int[] sequence) {
        for (int i = 0; i < MOST_TURNS && !extend(sequence); i++) {
            if (reason == Precedences.NONE) {
                return false;
            }
            turned.turn(reason);
        }
        return open.isEmpty();
    }

    /**
     * Gives places in that sequence, but to each after what it waits for; whether that is possible. If not, {@link #reason} is the
     * earliest pair of those that go round in a circle, if any: found when least was known.
     */
    private boolean extend(int[] sequence) {
        Arrays.fill(position, WAITING);
        open.clear();
        reasons.clear();
        int placed = 0;
        for (int each : sequence) {
            for (int t = each; t >= 0; ) {
                int blocking = position[t] >= 0 ? WAITING : blocking(t);
                if (blocking >= 0) {
                    position[t] = OPEN;
                    open.add(t);
                    reasons.add(reason);
                    if (position[blocking] == OPEN) {
                        earliestReason(blocking);
                        return false;
                    }
                    t = blocking;
                } else {
                    if (position[t] < 0) {
                        position[t] = placed++;
                    }
                    t = WAITING;
                    if (!open.isEmpty()) {
                        t = open.popInt();
                        reasons.popInt();
                    }
                }
            }
        }
        return true;
    }

    /** @param from the transaction that is open already: all from there on wait for each other */
    private void earliestReason(int from) {
        reason = Precedences.NONE;
        for (int i = open.size() - 1; i >= 0; i--) {
            int pair = reasons.getInt(i);
            reason = pair == Precedences.NONE || (reason >= 0 && reason < pair) ? reason : pair;
            if (open.getInt(i) == from) {
                return;
            }
        }
    }

    /** What t comes after and has no place yet, or -1. */
    private int blocking(int t) {
        reason = Precedences.NONE;
        if (!first[t] && position[t - 1] < 0) {
            return t - 1;
        }
        for (int o = starts[t]; sources.length > 0 && counted[t] && o < starts[t + 1]; o++) {
            if (sources[o] >= 0 && position[sources[o]] < 0) {
                return sources[o];
            }
        }
        for (int i = turned.lastOf(t); i != Precedences.NONE; i = turned.previous(i)) {
            if (position[turned.first(i)] < 0) {
                reason = i;
                return turned.first(i);
            }
        }
        return WAITING;
    }

    /** Transactions as they were recorded; null if that is not known. */
    private int @Nullable [] sequence(boolean withTimes) {
        long[] places = ends(withTimes);
        if (places == null) {
            places = positions();
        }
        if (places == null) {
            places = values();
        }
        if (places == null) {
            return null;
        }
        long least = Long.MAX_VALUE;
        long most = Long.MIN_VALUE;
        for (long place : places) {
            least = Math.min(least, place);
            most = Math.max(most, place);
        }
        return sorted(places, least, most);
    }

    /** Transactions by place, digit by digit, those of the same place as they are numbered. */
    private static int[] sorted(long[] places, long least, long most) {
        int n = places.length;
        // Place and transaction in one number.
        int bits = Integer.SIZE - Integer.numberOfLeadingZeros(n);
        // The difference is unsigned.
        int placeBits = Long.SIZE - Long.numberOfLeadingZeros(most - least);
        int coarser = Math.max(0, placeBits + bits - Long.SIZE);
        for (int t = 0; t < n; t++) {
            places[t] = places[t] - least >>> coarser << bits | t;
        }
        long[] from = places;
        long[] to = new long[n];
        for (int shift = bits; shift < bits + placeBits - coarser; shift += DIGIT_BITS) {
            scatter(from, to, shift);
            long[] done = to;
            to = from;
            from = done;
        }
        int[] sequence = new int[n];
        int mask = (1 << bits) - 1;
        for (int i = 0; i < n; i++) {
            sequence[i] = (int) from[i] & mask;
        }
        return sequence;
    }

    private static void scatter(long[] from, long[] to, int shift) {
        int mask = (1 << DIGIT_BITS) - 1;
        int[] next = new int[mask + 2];
        for (long each : from) {
            next[((int) (each >>> shift) & mask) + 1]++;
        }
        for (int d = 0; d < mask; d++) {
            next[d + 1] += next[d];
        }
        for (long each : from) {
            to[next[(int) (each >>> shift) & mask]++] = each;
        }
    }

    /** Where they stand in their files; null where these are sorted by session, which tells nothing. */
    private long @Nullable [] positions() {
        long[] places = new long[table.transactions()];
        boolean bySession = true;
        for (int t = 0; t < places.length; t++) {
            places[t] = table.sourcePosition(t);
            bySession &= t == 0 || places[t - 1] < places[t];
        }
        return bySession ? null : places;
    }

    /**
     * The largest value that each has written, or else read, as of a clock; null where values do not ascend in every session, so
     * that they were not counted up, or are no integers.
     */
    private long @Nullable [] values() {
        int[] keys = table.operationKeys();
        long[] values = table.operationValues();
        long[] places = new long[table.transactions()];
        long latest = Long.MIN_VALUE;
        for (int t = 0; t < places.length; t++) {
            latest = first[t] ? Long.MIN_VALUE : latest;
            long written = Long.MIN_VALUE;
            long read = Long.MIN_VALUE;
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                if (!table.values().isInteger(values[o])) {
                    return null;
                }
                boolean isWrite = (keys[o] & 1) == 1;
                written = Math.max(written, isWrite ? values[o] : Long.MIN_VALUE);
                read = Math.max(read, isWrite ? Long.MIN_VALUE : values[o]);
            }
            if (written != Long.MIN_VALUE && counted[t]) {
                if (written <= latest) {
                    return null;
                }
                latest = written;
                places[t] = 2 * Math.max(-MOST_VALUE, Math.min(MOST_VALUE, written));
            } else {
                // Behind whoever wrote it.
                places[t] = 2 * Math.max(-MOST_VALUE, Math.min(MOST_VALUE, Math.max(read, latest))) + 1;
            }
        }
        return places;
    }

    /** When transactions ended, those that do not count with their session's previous one; null if that is not known of all. */
    private long @Nullable [] ends(boolean withTimes) {
        long[] given = withTimes ? table.ends() : null;
        if (given == null) {
            return null;
        }
        long[] ends = new long[given.length];
        for (int t = 0; t < ends.length; t++) {
            boolean isKnown = given[t] != HistoryTable.NO_TIME;
            if (!isKnown && counted[t]) {
                return null;
            }
            ends[t] = isKnown ? given[t] : t == 0 ? 0 : ends[t - 1];
        }
        return ends;
    }
}
