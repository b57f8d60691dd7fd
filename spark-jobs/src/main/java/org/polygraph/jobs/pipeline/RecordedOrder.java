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
 * where that is sorted by session, as if all sessions had gone through their transactions evenly. Where whoever recorded them
 * wrote each down at its end, that is nearly the order of commits. A replay tells who read from whom, and looks closer at the few
 * reads that do not return the last write; if they break the level, the next attempt has each transaction after those it read from,
 * and has turned round the pairs of transactions behind what is left. Only to accept: that it fails says nothing.
 *
 * <p>Time: sorting, of runs that are merged, and a replay; a few times. Memory: 16 bytes a transaction.
 */
final class RecordedOrder {
    private static final int WAITING = -1;
    private static final int OPEN = -2;
    private static final int MOST_ATTEMPTS = 6;

    private final HistoryTable table;
    private final boolean[] counted;
    private final int[] starts;
    private final int[] position;
    /** By transaction: whether it is the first of its session. */
    private final boolean[] first;
    /** By operation whom it read from; empty while that is not known. */
    private int[] sources;
    /** Pairs of {@link Replay.Attempt#turned}, the first of each; by the second the last pair, and by pair the one before. */
    private final IntArrayList turned = new IntArrayList();

    private final IntArrayList previous = new IntArrayList();
    private int[] last = new int[0];

    private RecordedOrder(HistoryTable table, boolean[] counted, int[] sources) {
        this.table = table;
        this.counted = counted;
        this.sources = sources;
        starts = table.operationStarts();
        position = new int[table.transactions()];
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

    /** The same where it is known who counts and who read from whom. @param reads without violations or open reads */
    static @Nullable Witness accepted(ReadsFrom reads, Terms terms, boolean withTimes, BooleanSupplier stop) {
        boolean[] counted = new boolean[reads.table().transactions()];
        for (int t = 0; t < counted.length; t++) {
            counted[t] = reads.counting().isCounted(t);
        }
        return new RecordedOrder(reads.table(), counted, reads.sources()).accepted(terms, withTimes, stop);
    }

    private @Nullable Witness accepted(Terms terms, boolean withTimes, BooleanSupplier stop) {
        int[] sequence = sequence(withTimes);
        Witness witness = new Witness(table, terms, counted, position);
        for (int i = 0; i < MOST_ATTEMPTS && !stop.getAsBoolean() && extend(sequence); i++) {
            Replay.Attempt attempt = Replay.attempt(witness);
            if (attempt == null || attempt.holds()) {
                return attempt == null ? null : witness;
            }
            boolean isLearning = sources.length == 0 || attempt.turned().length > 0;
            if (!isLearning) {
                return null;
            }
            sources = attempt.sources();
            turn(attempt.turned());
        }
        return null;
    }

    private void turn(int[] pairs) {
        if (last.length == 0) {
            last = new int[position.length];
            Arrays.fill(last, WAITING);
        }
        for (int i = 0; i < pairs.length; i += 2) {
            previous.add(last[pairs[i + 1]]);
            last[pairs[i + 1]] = turned.size();
            turned.add(pairs[i]);
        }
    }

    /** Gives places in that sequence, but to each after what it waits for; whether that is possible. */
    private boolean extend(int[] sequence) {
        Arrays.fill(position, WAITING);
        IntArrayList open = new IntArrayList();
        int placed = 0;
        for (int each : sequence) {
            for (int t = each; t >= 0; ) {
                int blocking = position[t] >= 0 ? WAITING : blocking(t);
                if (blocking >= 0) {
                    if (position[blocking] == OPEN || blocking == t) {
                        return false;
                    }
                    position[t] = OPEN;
                    open.add(t);
                    t = blocking;
                } else {
                    if (position[t] < 0) {
                        position[t] = placed++;
                    }
                    t = open.isEmpty() ? WAITING : open.popInt();
                }
            }
        }
        return true;
    }

    /** What t comes after and has no place yet, or -1. */
    private int blocking(int t) {
        if (!first[t] && position[t - 1] < 0) {
            return t - 1;
        }
        for (int o = starts[t]; sources.length > 0 && counted[t] && o < starts[t + 1]; o++) {
            if (sources[o] >= 0 && position[sources[o]] < 0) {
                return sources[o];
            }
        }
        for (int i = last.length == 0 ? WAITING : last[t]; i >= 0; i = previous.getInt(i)) {
            if (position[turned.getInt(i)] < 0) {
                return turned.getInt(i);
            }
        }
        return WAITING;
    }

    /** Transactions as they were recorded. */
    private int[] sequence(boolean withTimes) {
        int n = table.transactions();
        long[] places = ends(withTimes);
        if (places == null) {
            places = new long[n];
            boolean bySession = true;
            for (int t = 0; t < n; t++) {
                places[t] = table.sourcePosition(t);
                bySession &= t == 0 || places[t - 1] < places[t];
            }
            if (bySession) {
                spread(places);
            }
        }
        long least = Long.MAX_VALUE;
        long most = Long.MIN_VALUE;
        for (long place : places) {
            least = Math.min(least, place);
            most = Math.max(most, place);
        }
        // Place and transaction in one number; sessions are runs, which are merged.
        int bits = Integer.SIZE - Integer.numberOfLeadingZeros(n);
        // The difference is unsigned.
        int coarser = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(most - least) + bits - Long.SIZE + 1);
        for (int t = 0; t < n; t++) {
            places[t] = places[t] - least >>> coarser << bits | t;
        }
        Arrays.sort(places);
        int[] sequence = new int[n];
        int mask = (1 << bits) - 1;
        for (int i = 0; i < n; i++) {
            sequence[i] = (int) places[i] & mask;
        }
        return sequence;
    }

    /** Places as if all sessions began and ended together, each at an even pace. */
    private void spread(long[] places) {
        int[] sessionStarts = table.sessionStarts();
        for (int s = 0; s < table.sessions(); s++) {
            long length = sessionStarts[s + 1] - sessionStarts[s];
            for (int t = sessionStarts[s]; t < sessionStarts[s + 1]; t++) {
                places[t] = ((long) (t - sessionStarts[s]) << Integer.SIZE) / length;
            }
        }
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
