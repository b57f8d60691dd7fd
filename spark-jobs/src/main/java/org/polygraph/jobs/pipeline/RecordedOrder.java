package org.polygraph.jobs.pipeline;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.Replay;
import org.polygraph.jobs.certificate.Terms;
import org.polygraph.jobs.certificate.Witness;
import org.polygraph.partitioner.index.Counting;
import org.polygraph.partitioner.index.ReadsFrom;
import org.polygraph.storage.columnar.HistoryTable;

/**
 * An order to try before one is looked for: transactions as they ended, or where times are unknown as they stand in a file
 * that is not sorted by session; each after its session's previous one and after those it read from. Where whoever recorded them
 * wrote each down at its end, that is nearly the order of commits. A replay looks closer at the few reads that do not return
 * the last write; if they break the level, the next attempt has turned round the pairs of transactions behind them. Only to accept:
 * that it fails says nothing.
 *
 * <p>Time: sorting, of runs that are merged, and a look at each source; a few times. Memory: 16 bytes a transaction.
 */
final class RecordedOrder {
    private static final int WAITING = -1;
    private static final int OPEN = -2;
    private static final int MOST_ATTEMPTS = 6;

    private final HistoryTable table;
    private final Counting counting;
    private final int[] starts;
    private final int[] sources;
    private final int[] position;
    /** By transaction: whether it is the first of its session. */
    private final boolean[] first;
    /** Pairs of {@link Replay#turned}, the first of each; by the second the last pair, and by pair the one before. */
    private final IntArrayList turned = new IntArrayList();

    private final IntArrayList previous = new IntArrayList();
    private int[] last = new int[0];

    private RecordedOrder(ReadsFrom reads) {
        table = reads.table();
        counting = reads.counting();
        starts = table.operationStarts();
        sources = reads.sources();
        position = new int[table.transactions()];
        first = new boolean[table.transactions() + 1];
        for (int start : table.sessionStarts()) {
            first[start] = true;
        }
    }

    /**
     * The order, if there is one that a replay accepts.
     *
     * @param reads without violations or open reads
     * @param terms of RC, RA or CC
     * @param withTimes whether times may help
     * @param stop asked now and then; true ends it
     */
    static @Nullable Witness accepted(ReadsFrom reads, Terms terms, boolean withTimes, BooleanSupplier stop) {
        RecordedOrder order = new RecordedOrder(reads);
        int[] sequence = order.sequence(withTimes);
        return sequence == null ? null : order.accepted(sequence, terms, stop);
    }

    private @Nullable Witness accepted(int[] sequence, Terms terms, BooleanSupplier stop) {
        boolean[] counted = new boolean[position.length];
        for (int t = 0; t < counted.length; t++) {
            counted[t] = counting.isCounted(t);
        }
        Witness witness = new Witness(table, terms, counted, position);
        for (int i = 0; i < MOST_ATTEMPTS && !stop.getAsBoolean() && extend(sequence); i++) {
            int[] turned = Replay.turned(witness);
            if (turned == null || turned.length == 0) {
                return turned == null ? null : witness;
            }
            turn(turned);
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
        for (int o = starts[t]; o < starts[t + 1]; o++) {
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

    /** Transactions as they were recorded; null if that is not known. */
    private int @Nullable [] sequence(boolean withTimes) {
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
                return null;
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
        long spread = most - least;
        if (spread < 0) {
            return null;
        }
        int coarser = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(spread) + bits - Long.SIZE + 1);
        for (int t = 0; t < n; t++) {
            places[t] = places[t] - least >> coarser << bits | t;
        }
        Arrays.sort(places);
        int[] sequence = new int[n];
        int mask = (1 << bits) - 1;
        for (int i = 0; i < n; i++) {
            sequence[i] = (int) places[i] & mask;
        }
        return sequence;
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
            if (!isKnown && counting.isCounted(t)) {
                return null;
            }
            ends[t] = isKnown ? given[t] : t == 0 ? 0 : ends[t - 1];
        }
        return ends;
    }
}
