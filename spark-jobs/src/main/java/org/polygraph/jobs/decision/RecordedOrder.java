package org.polygraph.jobs.decision;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.replay.Replay;
import org.polygraph.partitioner.index.ReadsFrom;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

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
    /** Of a place, in a pass of a sort, at most. */
    private static final int DIGIT_BITS = 12;
    /** Transactions of a call: short loops in small methods are compiled soon, and as a whole. */
    private static final int BLOCK = 64;

    /** Less than any value that may be a clock's: those have 61 bits and a sign. */
    private static final long NO_VALUE = Long.MIN_VALUE / 2;

    private final HistoryTable table;
    private final boolean[] counted;
    private final int[] starts;
    private final int[] position;
    /** By transaction: whether it is the first of its session. */
    private final boolean[] first;
    /** By operation whom it read from; empty while that is not known. */
    private int[] sources;
    /** By transaction: whether it stands before one of its sources in the sequence; empty while that is not known. */
    private boolean[] early = new boolean[0];

    /** Transactions as they are to be placed, but for what they wait for, and as they were. */
    private int[] sequence = new int[0];

    private int[] placed = new int[0];

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
            counted[t] = table.status(t) == TransactionStatus.COMMITTED;
        }
        return new RecordedOrder(table, counted, new int[0]).accepted(terms, withTimes, stop);
    }

    /** The same where it is known who counts, and who read from whom unless reads are open. @param reads without violations */
    static @Nullable Witness accepted(ReadsFrom reads, Terms terms, boolean withTimes, BooleanSupplier stop) {
        boolean[] counted = new boolean[reads.table().transactions()];
        for (int t = 0; t < counted.length; t++) {
            counted[t] = reads.commitStatus().isCounted(t);
        }
        int[] sources = reads.open().length == 0 ? reads.sources() : new int[0];
        return new RecordedOrder(reads.table(), counted, sources).accepted(terms, withTimes, stop);
    }

    private @Nullable Witness accepted(Terms terms, boolean withTimes, BooleanSupplier stop) {
        int[] recorded = sequence(withTimes);
        if (recorded == null) {
            return null;
        }
        sequence = recorded;
        Witness witness = new Witness(table, terms, counted, position);
        // Those of the index are others' too.
        boolean isKnown = sources.length > 0;
        for (int i = 0; i < MOST_ATTEMPTS && !stop.getAsBoolean(); i++) {
            if (!(i == 0 && sources.length == 0 && isBySession()) && !isPlaced()) {
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
            early = new boolean[position.length];
            for (int t : attempt.early()) {
                early[t] = true;
            }
            turned.add(attempt.turned());
        }
        return null;
    }

    /** Gives places as they are in the sequence; whether sessions ascend. */
    private boolean isBySession() {
        for (int i = 0; i < sequence.length; i++) {
            position[sequence[i]] = i;
        }
        boolean ascends = true;
        for (int t = 1; t < position.length; t++) {
            ascends &= first[t] | position[t - 1] < position[t];
        }
        return ascends;
    }

    /** Gives places, and has the sequence like that; pairs that contradict sources or each other are turned round. */
    private boolean isPlaced() {
        placed = placed.length == 0 ? new int[position.length] : placed;
        for (int i = 0; i < MOST_TURNS && !extend(); i++) {
            if (reason == Precedences.NONE) {
                return false;
            }
            turned.turn(reason);
        }
        int[] before = sequence;
        sequence = placed;
        placed = before;
        return open.isEmpty();
    }

    /**
     * Gives places in that sequence, but to each after what it waits for; whether that is possible. If not, {@link #reason} is the
     * earliest pair of those that go round in a circle, if any: found when least was known.
     */
    private boolean extend() {
        Arrays.fill(position, WAITING);
        open.clear();
        reasons.clear();
        int places = 0;
        for (int each : sequence) {
            if (position[each] < 0 && isFree(each)) {
                placed[places] = each;
                position[each] = places++;
                continue;
            }
            for (int t = each; t >= 0; ) {
                int blocking = position[t] >= 0 ? WAITING : blocking(t, t != each);
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
                        placed[places] = t;
                        position[t] = places++;
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

    /** Whether it waits for nothing at its turn: most do not, and are placed in one step. */
    private boolean isFree(int t) {
        return early.length > 0
                && !early[t]
                && turned.lastOf(t) == Precedences.NONE
                && (first[t] || position[t - 1] >= 0);
    }

    /**
     * What t comes after and has no place yet, or -1.
     *
     * @param isAhead whether t comes before its turn; if not, all that stood before it has a place
     */
    private int blocking(int t, boolean isAhead) {
        reason = Precedences.NONE;
        if (!first[t] && position[t - 1] < 0) {
            return t - 1;
        }
        boolean maySourceWait = sources.length > 0 && counted[t] && (isAhead || early.length == 0 || early[t]);
        for (int o = starts[t]; maySourceWait && o < starts[t + 1]; o++) {
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
        int left = placeBits - coarser;
        for (int t = 0; t < n; t++) {
            places[t] = places[t] - least >>> coarser << bits | t;
        }
        long[] from = places;
        long[] to = new long[left > DIGIT_BITS ? n : 0];
        int shift = bits;
        for (; left > DIGIT_BITS; left -= DIGIT_BITS, shift += DIGIT_BITS) {
            int[] next = begins(from, shift);
            for (long each : from) {
                to[next[digit(each, shift)]++] = each;
            }
            long[] done = to;
            to = from;
            from = done;
        }
        int[] sequence = new int[n];
        int[] next = begins(from, shift);
        for (long each : from) {
            sequence[next[digit(each, shift)]++] = (int) each & (1 << bits) - 1;
        }
        return sequence;
    }

    private static int digit(long place, int shift) {
        return (int) (place >>> shift) & (1 << DIGIT_BITS) - 1;
    }

    /** By digit: how many places have a smaller one. */
    private static int[] begins(long[] places, int shift) {
        int[] begins = new int[(1 << DIGIT_BITS) + 1];
        for (long each : places) {
            begins[digit(each, shift) + 1]++;
        }
        for (int d = 0; d < 1 << DIGIT_BITS; d++) {
            begins[d + 1] += begins[d];
        }
        return begins;
    }

    /** Where they stand in their files; null where these are sorted by session, which tells nothing. */
    private long @Nullable [] positions() {
        boolean bySession = true;
        for (int t = 1; t < position.length; t++) {
            bySession &= table.sourcePosition(t - 1) < table.sourcePosition(t);
        }
        if (bySession) {
            return null;
        }
        long[] places = new long[position.length];
        for (int t = 0; t < places.length; t++) {
            places[t] = table.sourcePosition(t);
        }
        return places;
    }

    /**
     * The largest value that each has written, or else read, as of a clock; null where values do not ascend in every session, so
     * that they were not counted up, or are no integers of 61 bits.
     */
    private long @Nullable [] values() {
        long[] places = new long[table.transactions()];
        long[] written = new long[BLOCK];
        long[] read = new long[BLOCK];
        long latest = NO_VALUE;
        for (int from = 0; from < places.length; from += BLOCK) {
            int n = Math.min(BLOCK, places.length - from);
            if (!largest(table.operationKeys(), table.operationValues(), starts, from, n, written, read)) {
                return null;
            }
            for (int i = 0; i < n; i++) {
                int t = from + i;
                latest = first[t] ? NO_VALUE : latest;
                if (written[i] != NO_VALUE && counted[t]) {
                    if (written[i] <= latest) {
                        return null;
                    }
                    latest = written[i];
                    places[t] = 2 * latest;
                } else {
                    // Behind whoever wrote it.
                    places[t] = 2 * Math.max(read[i], latest) + 1;
                }
            }
        }
        return places;
    }

    /** The largest values that transactions have written and read, or {@link #NO_VALUE}; whether they are short enough. */
    private static boolean largest(
            int[] keys, long[] values, int[] starts, int first, int n, long[] written, long[] read) {
        long far = 0;
        for (int i = 0; i < n; i++) {
            long most = NO_VALUE;
            long mostRead = NO_VALUE;
            int end = starts[first + i + 1];
            for (int o = starts[first + i]; o < end; o++) {
                long value = values[o];
                // All ones for a read. Half are writes, and half of the values are larger: no branch would foresee
                // that.
                long isRead = (keys[o] & 1L) - 1;
                long more = value - most;
                most += more & ~(more >> 63) & ~isRead;
                more = value - mostRead;
                mostRead += more & ~(more >> 63) & isRead;
                // The top bits are the sign.
                far |= value ^ value << 1 | value ^ value << 2;
            }
            written[i] = most;
            read[i] = mostRead;
        }
        return far >= 0;
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
