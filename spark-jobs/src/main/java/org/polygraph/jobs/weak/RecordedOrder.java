package org.polygraph.jobs.weak;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.replay.Replay;
import org.polygraph.jobs.decision.RecordedPlaces;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.ListVersions;

/**
 * A serial order near the one in which transactions were recorded ({@link RecordedPlaces}). A replay finds the reads that
 * it does not explain, the transactions around each are reordered, and the order is replayed again. If no such order is
 * found, that decides nothing.
 *
 * <p>A serial order proves RC, RA and CC: every read returns the last write. On a serializable database whose recorded
 * order is nearly that of commits, few reads return another one.
 *
 * <p>Time: one sort, and in each round a linear replay. Memory: 20 bytes a transaction, 8 a key, and after the first
 * round 4 an operation.
 */
final class RecordedOrder {
    private static final int ROUNDS = 4;
    /** The most writers of a value that are tried before and after a read. */
    private static final int MOST_TRIED = 16;

    private static final int NONE = -1;
    private static final int OPEN = -2;

    private final HistoryTable table;
    private final int[] starts;
    private final int[] position;
    private final boolean[] isFirstOfSession;
    /** Transactions in the order of the current round. */
    private int[] sequence;
    /** By operation: the transaction that a read read from, or {@link #NONE}; empty before the first repair. */
    private int[] sources = new int[0];

    // Pairs of transactions. The first of a pair has to come before the second; pairs are linked by the second.
    private final IntArrayList firsts = new IntArrayList();
    private final IntArrayList previousPair = new IntArrayList();
    private final int[] lastPair;

    private RecordedOrder(HistoryTable table, int[] sequence) {
        this.table = table;
        this.sequence = sequence;
        starts = table.operationStarts();
        position = new int[table.transactions()];
        lastPair = new int[table.transactions()];
        Arrays.fill(lastPair, NONE);
        isFirstOfSession = new boolean[table.transactions() + 1];
        for (int start : table.sessionStarts()) {
            isFirstOfSession[start] = true;
        }
    }

    /**
     * A serial order of the committed transactions, or null if none is found.
     *
     * @param table without transactions of unknown outcome
     * @param terms of RC, RA or CC
     * @param withTimes whether times may be used
     * @param stop ends the search when true
     */
    static @Nullable Witness serial(HistoryTable table, Terms terms, boolean withTimes, BooleanSupplier stop) {
        boolean[] counted = new boolean[table.transactions()];
        for (int t = 0; t < counted.length; t++) {
            counted[t] = table.status(t) == TransactionStatus.COMMITTED;
        }
        long[] places = RecordedPlaces.of(table, withTimes);
        if (places == null) {
            return null;
        }
        RecordedOrder order = new RecordedOrder(table, sorted(places));
        Witness witness = new Witness(table, terms, counted, order.position);
        ListVersions lists = table.listVersions();
        if (lists != null) {
            lists.pairs((first, second, isShown) -> {
                if (counted[lists.transaction(second)]) {
                    order.precede(lists.transaction(first), lists.transaction(second));
                }
            });
        }
        for (int round = 0; round < ROUNDS && !stop.getAsBoolean() && order.isPlaced(); round++) {
            int[] misreads = Replay.misreads(witness);
            if (misreads == null || misreads.length == 0) {
                return misreads == null || (lists != null && !Replay.of(witness).holds()) ? null : witness;
            }
            if (!order.isRepaired(misreads, counted)) {
                return null;
            }
        }
        return null;
    }

    /**
     * Gives each transaction a place near the recorded one, in an order that keeps some edges.
     *
     * @param graph without a cycle
     * @return null if nothing was recorded that orders transactions
     */
    static int @Nullable [] near(HistoryTable table, KnownGraph graph, boolean withTimes) {
        long[] places = RecordedPlaces.of(table, withTimes);
        if (places == null) {
            return null;
        }
        RecordedOrder order = new RecordedOrder(table, sorted(places));
        for (int e = 0; e < graph.edges(); e++) {
            order.precede(graph.from(e), graph.to(e));
        }
        return order.isPlaced() ? order.position : null;
    }

    /** Transactions by place; those of equal places by number. */
    private static int[] sorted(long[] places) {
        int n = places.length;
        long least = Long.MAX_VALUE;
        long most = Long.MIN_VALUE;
        for (long place : places) {
            least = Math.min(least, place);
            most = Math.max(most, place);
        }
        // Place and transaction are sorted as one number, without the lowest bits of the place if both do not fit.
        int bits = Integer.SIZE - Integer.numberOfLeadingZeros(n);
        int dropped = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(most - least) + bits - (Long.SIZE - 1));
        for (int t = 0; t < n; t++) {
            places[t] = places[t] - least >>> dropped << bits | t;
        }
        Arrays.sort(places);
        int[] sequence = new int[n];
        for (int i = 0; i < n; i++) {
            sequence[i] = (int) places[i] & (1 << bits) - 1;
        }
        return sequence;
    }

    /**
     * Gives places in the order of the sequence, but to each transaction after its predecessors; false if sessions
     * and pairs form a cycle.
     */
    private boolean isPlaced() {
        int[] placed = new int[sequence.length];
        int places = 0;
        Arrays.fill(position, NONE);
        IntArrayList stack = new IntArrayList();
        for (int next : sequence) {
            int t = position[next] >= 0 ? NONE : next;
            while (t != NONE) {
                int predecessor = missingPredecessor(t, t != next);
                if (predecessor == NONE) {
                    placed[places] = t;
                    position[t] = places++;
                    t = stack.isEmpty() ? NONE : stack.popInt();
                } else if (position[predecessor] == OPEN) {
                    return false;
                } else {
                    position[t] = OPEN;
                    stack.add(t);
                    t = predecessor;
                }
            }
        }
        sequence = placed;
        return true;
    }

    /**
     * A predecessor of t that has to be placed first, or {@link #NONE}. Pairs and sources are guesses, so a transaction
     * that waits for t itself is ignored: the next replay finds the reads that this breaks.
     *
     * @param isMoved whether t is placed before its turn
     */
    private int missingPredecessor(int t, boolean isMoved) {
        if (!isFirstOfSession[t] && position[t - 1] < 0) {
            return t - 1;
        }
        for (int pair = lastPair[t]; pair != NONE; pair = previousPair.getInt(pair)) {
            if (position[firsts.getInt(pair)] == NONE) {
                return firsts.getInt(pair);
            }
        }
        // If t is at its turn, its sources have places: one that comes later in the sequence is the first of a pair
        // with t.
        for (int o = starts[t]; isMoved && sources.length > 0 && o < starts[t + 1]; o++) {
            if (sources[o] != NONE && position[sources[o]] == NONE) {
                return sources[o];
            }
        }
        return NONE;
    }

    /** Adds a pair for each read that does not return the last write; false if its source is not found. */
    private boolean isRepaired(int[] misreads, boolean[] counted) {
        IntArrayList[] writersOfKeys = new IntArrayList[table.keys().size()];
        for (int o : misreads) {
            writersOfKeys[table.key(o)] = new IntArrayList();
        }
        boolean isFirstRepair = sources.length == 0;
        if (isFirstRepair) {
            sources = new int[table.operations()];
            Arrays.fill(sources, NONE);
        }
        int[] writers = new int[table.keys().size()];
        Arrays.fill(writers, NONE);
        for (int t : sequence) {
            for (int o = starts[t]; counted[t] && o < starts[t + 1]; o++) {
                int key = table.key(o);
                boolean isWrite = table.isWrite(o);
                if (isFirstRepair) {
                    sources[o] = isWrite || writers[key] == t ? NONE : writers[key];
                }
                if (isWrite && writers[key] != t) {
                    writers[key] = t;
                    IntArrayList wanted = writersOfKeys[key];
                    if (wanted != null) {
                        wanted.add(t);
                    }
                }
            }
        }
        long steps = table.operations();
        for (int o : misreads) {
            IntArrayList ofKey = writersOfKeys[table.key(o)];
            int tried = repair(o, ofKey, (int) Math.min(steps, ofKey.size()));
            if (tried == NONE) {
                return false;
            }
            steps -= tried;
        }
        return true;
    }

    /**
     * Adds a pair for a read. Its source is the nearest writer of the value before the reader or after it.
     *
     * @param writers of the key, by position
     * @param most the most writers on each side that are tried; {@link #MOST_TRIED} after the first that is found
     * @return how many were tried on each side; {@link #NONE} if no source was found
     */
    private int repair(int read, IntArrayList writers, int most) {
        int reader = HistorySelection.transactionOf(table, read);
        int source = OPEN;
        int overwriter = NONE;
        int later = NONE;
        if (table.value(read) == table.initialValue(table.key(read))) {
            source = NONE;
            overwriter = writers.getInt(0);
        }
        int next = before(writers, position[reader]);
        int tried = 0;
        for (int last = most; tried < last && (source < 0 || later == NONE); tried++) {
            int above = later == NONE ? writer(writers, next + tried, reader, read) : NONE;
            int below = source < 0 ? writer(writers, next - 1 - tried, reader, read) : NONE;
            if (above != NONE) {
                later = above;
            }
            if (below != NONE) {
                source = below;
                overwriter = next - tried < writers.size() ? writers.getInt(next - tried) : NONE;
            }
            last = above == NONE && below == NONE ? last : Math.min(last, tried + MOST_TRIED);
        }
        if ((source == OPEN && later == NONE) || overwriter == reader) {
            return NONE;
        }
        // The source, the writer that comes after it and the reader: the two that are closest to each other change
        // places.
        int afterOverwriter = overwriter == NONE ? Integer.MAX_VALUE : position[reader] - position[overwriter];
        int beforeOverwriter = source < 0 || table.sessionOf(source) == table.sessionOf(overwriter)
                ? Integer.MAX_VALUE
                : position[overwriter] - position[source];
        if (later != NONE && position[later] - position[reader] < Math.min(afterOverwriter, beforeOverwriter)) {
            sources[read] = later;
            precede(later, reader);
        } else {
            sources[read] = source;
            precede(
                    beforeOverwriter < afterOverwriter ? overwriter : reader,
                    beforeOverwriter < afterOverwriter ? source : overwriter);
        }
        return tried;
    }

    /** The number of writers before a place. @param writers by position */
    private int before(IntArrayList writers, int place) {
        int low = 0;
        int high = writers.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (position[writers.getInt(middle)] < place) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The writer at an index if it leaves the value that a read of another transaction returned, or {@link #NONE}. */
    private int writer(IntArrayList writers, int index, int reader, int read) {
        int writer = index >= 0 && index < writers.size() ? writers.getInt(index) : NONE;
        return writer != NONE && writer != reader && leaves(writer, read) ? writer : NONE;
    }

    /** Whether the last write of a transaction to the key of a read wrote the value that the read returned. */
    private boolean leaves(int writer, int read) {
        int last = table.lastWrite(writer, table.key(read));
        return last >= 0 && table.value(last) == table.value(read);
    }

    private void precede(int first, int second) {
        previousPair.add(lastPair[second]);
        lastPair[second] = firsts.size();
        firsts.add(first);
    }
}
