package org.polygraph.partitioner.sliced;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.Arrays;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.partitioner.prune.ForcedEdges;
import org.polygraph.partitioner.prune.KeyWriters;
import org.polygraph.partitioner.prune.Saturation;
import org.polygraph.partitioner.prune.SessionRules;

/**
 * A round of {@link Saturation} over one key that so many transactions touch that a task has no room for their rows.
 * The writers of the key are processed in consecutive slices, which may run in different tasks. The edges that all
 * slices force, in the order of the slices, are exactly those that {@link SessionRules} force over the whole key.
 *
 * <p>The rules visit writers in a topological order. Of earlier writers they keep only a front for the last writer of
 * each session; at the start of a slice the fronts are computed again from the rows of these writers. The rules compare
 * a writer only with the last writer of each session that reaches it or its readers. A few writers, together with
 * these, are therefore processed as a key of their own.
 *
 * <p>Memory: the index of the key, 20 bytes for each writer and 12 for each reader beside it, 4 bytes and 3 bits for
 * each transaction of the history, and rows of about {@value #BATCH_BYTES} bytes. Time: each row is fetched about three
 * times.
 */
public final class HotKeySaturation {
    private static final long BATCH_BYTES = 32L << 20;
    /** A key with at most so many writers is never split. */
    private static final int MOST_TOGETHER = 31;

    private final int shift;
    private final GroupedRows rows;
    private final long batchBytes;
    private final KeyWriters key;
    private final int[] row;

    /** The transactions of the current batch. */
    private final Renumbering numbering;

    /** A bit for each writer of the current batch, and for each whose readers are in the batch too. */
    private final long[] chosen;

    private final long[] read;
    /** By session: the last writer that the most recent row of a writer, or of a reader, covers. */
    private final int[] byWriter;

    private final int[] byReader;

    /**
     * A key of which no writer has been visited.
     *
     * @param versions the index of this key alone
     * @param states {@link CommitStatus#states} of the history
     * @param rows rows without thresholds, so that every cell is exact
     */
    public HotKeySaturation(
            VersionIndex versions, int perTransaction, int[] sessionStarts, byte[] states, GroupedRows rows) {
        this(versions, perTransaction, sessionStarts, states, rows, BATCH_BYTES);
    }

    /** For tests: few bytes of rows at a time. */
    HotKeySaturation(
            VersionIndex versions,
            int perTransaction,
            int[] sessionStarts,
            byte[] states,
            GroupedRows rows,
            long batchBytes) {
        this.shift = perTransaction - 1;
        this.rows = rows;
        this.batchBytes = batchBytes;
        int[] sessionOf = new int[states.length];
        for (int s = 0; s + 1 < sessionStarts.length; s++) {
            Arrays.fill(sessionOf, sessionStarts[s], sessionStarts[s + 1], s);
        }
        this.key = new KeyWriters(versions, new Events(perTransaction, sessionStarts, sessionOf));
        key.load(0, states);
        this.row = new int[rows.chains()];
        this.numbering = new Renumbering(perTransaction, sessionStarts, states.length);
        this.chosen = new long[(key.writers >> 6) + 1];
        this.read = new long[chosen.length];
        this.byWriter = Arrays.copyOf(key.sessionStarts, key.sessions);
        this.byReader = Arrays.copyOf(key.sessionStarts, key.sessions);
    }

    /**
     * Whether a key can be split: it has more writers than are compared pair by pair, and no read with several
     * candidates, because such a read is compared with all writers.
     */
    public static boolean splits(VersionIndex versions, int key) {
        int open = versions.ambiguousSlot(key);
        return versions.writerStarts()[key + 1] - versions.writerStarts()[key] > MOST_TOGETHER
                && versions.slotStarts()[open] == versions.slotStarts()[open + 1];
    }

    /** The number of counted writers; they are numbered from 0, session by session. */
    public int writers() {
        return key.writers;
    }

    /**
     * The writers among [from, to) that the rules visit, each with its rank in the upper half. The results of all
     * slices, sorted, are the order of visits; {@link #forced} takes their lower halves.
     *
     * @param changed a bit for each event: whether the last closure changed its row
     * @param all whether all writers are visited, and not only those that a change may affect
     */
    public long[] visited(int from, int to, long[] changed, boolean all) {
        long[] visited = new long[to - from];
        int n = 0;
        for (int i = from; i < to; i++) {
            if (all || isDirty(i, changed)) {
                fetch(key.chain(i), key.begins[i]);
                int ancestors = 0;
                for (int cell : row) {
                    ancestors += cell;
                }
                visited[n++] = (long) ancestors << 32 | i;
            }
        }
        return Arrays.copyOf(visited, n);
    }

    private boolean isDirty(int writer, long[] changed) {
        int begin = key.transactions[writer] << shift;
        if (isSet(changed, begin) || (shift == 1 && isSet(changed, begin | 1))) {
            return true;
        }
        for (int r = key.readFrom[writer]; r < key.readTo[writer]; r++) {
            if (isSet(changed, key.readers[r] << shift)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isSet(long[] bits, int i) {
        return (bits[i >> 6] & (1L << i)) != 0;
    }

    private void fetch(int chain, int position) {
        rows.row(chain, position, row);
    }

    /**
     * The edges that the visits [from, to) force, as pairs of source and target, in the order in which the rules force
     * them.
     *
     * @param order all visits, ascending by {@link #visited}
     */
    public int[] forced(int[] order, int from, int to) {
        IntArrayList forced = new IntArrayList();
        int[] last = lastVisits(order, from);
        int at = from;
        while (at < to) {
            IntArrayList visits = before(order, at, last);
            int seeds = visits.size();
            begin();
            for (int i = 0; i < seeds; i++) {
                add(visits.getInt(i), false);
            }
            do {
                int writer = order[at];
                visits.add(writer);
                surround(writer);
                last[slot(writer)] = at++;
            } while (at < to && numbering.count() * ((4L * row.length) << shift) < batchBytes);
            run(visits, seeds, forced);
        }
        return forced.toIntArray();
    }

    private int slot(int writer) {
        return key.sessionOf[writer] % SessionRules.fronts(key.sessions);
    }

    /** By front: the last visit before the given one that sets this front, or -1. */
    private int[] lastVisits(int[] order, int before) {
        int[] last = new int[SessionRules.fronts(key.sessions)];
        Arrays.fill(last, -1);
        int missing = last.length;
        for (int at = before - 1; at >= 0 && missing > 0; at--) {
            int slot = slot(order[at]);
            if (last[slot] < 0) {
                last[slot] = at;
                missing--;
            }
        }
        return last;
    }

    /** The writers of the visits whose fronts the next visit uses, in order. */
    private static IntArrayList before(int[] order, int at, int[] last) {
        int recent = Math.max(0, at - SessionRules.LOOK_BACK);
        int[] earlier = last.clone();
        Arrays.sort(earlier);
        IntArrayList visits = new IntArrayList();
        for (int visit : earlier) {
            if (visit >= 0 && visit < recent) {
                visits.add(order[visit]);
            }
        }
        for (int visit = recent; visit < at; visit++) {
            visits.add(order[visit]);
        }
        return visits;
    }

    /**
     * Starts a batch with one writer of each session, so that each session keeps its front, and with the readers of the
     * initial value.
     */
    private void begin() {
        numbering.clear();
        Arrays.fill(chosen, 0);
        Arrays.fill(read, 0);
        for (int g = 0; g < key.sessions; g++) {
            add(key.sessionStarts[g], false);
        }
        for (int r = 0; r < key.initialReaders; r++) {
            numbering.add(key.readers[r]);
        }
    }

    private void add(int writer, boolean withReaders) {
        chosen[writer >> 6] |= 1L << writer;
        numbering.add(key.transactions[writer]);
        if (withReaders && !isSet(read, writer)) {
            read[writer >> 6] |= 1L << writer;
            for (int r = key.readFrom[writer]; r < key.readTo[writer]; r++) {
                numbering.add(key.readers[r]);
            }
        }
    }

    /** Adds a writer that is to be visited to the batch, and all writers that the rules compare it with. */
    private void surround(int writer) {
        add(writer, true);
        fetch(key.chain(writer), key.begins[writer]);
        addReaching(0, byWriter);
        if (shift == 1) {
            fetch(key.chain(writer), key.commit(writer));
            addReaching(1, byWriter);
        }
        int to = key.readTo[writer];
        for (int r = key.readFrom[writer]; r < to; r++) {
            if (r + 1 == to || key.readerChains[r + 1] != key.readerChains[r]) {
                fetch(key.readerChains[r], key.readerBegins[r]);
                addReaching(0, byReader);
            }
        }
    }

    /** Adds the last writer of each session that the fetched row covers once its cells are raised by {@code more}. */
    private void addReaching(int more, int[] place) {
        for (int g = 0; g < key.sessions; g++) {
            int bound = row[key.sessionChains[g]] + more;
            int start = key.sessionStarts[g];
            int end = key.sessionStarts[g + 1];
            int first = place[g];
            if (first < end && key.commit(first) < bound) {
                first = key.firstNotBelow(first + 1, end, bound);
            } else if (first > start && key.commit(first - 1) >= bound) {
                first = key.firstNotBelow(start, first - 1, bound);
            }
            place[g] = first;
            if (first > start) {
                add(first - 1, true);
            }
        }
    }

    /** Runs the rules over the batch. */
    private void run(IntArrayList visits, int seeds, IntArrayList forced) {
        Events events = numbering.number();
        int[] writers = writers(chosen);
        byte[] states = new byte[numbering.count()];
        Arrays.fill(states, CommitStatus.COUNTED);
        int[] order = new int[visits.size()];
        for (int i = 0; i < order.length; i++) {
            order[i] = Arrays.binarySearch(writers, visits.getInt(i));
        }
        ChainClocks clocks = clocks(new KnownGraph(events));
        SessionRules rules = new SessionRules(events, index(writers), clocks, states);
        rules.applyFrom(0, states, order, seeds);
        ForcedEdges edges = rules.forced();
        for (int e = 0; e < edges.count(); e++) {
            forced.add(numbering.whole(edges.from(e)));
            forced.add(numbering.whole(edges.to(e)));
        }
    }

    private static int[] writers(long[] bits) {
        IntArrayList writers = new IntArrayList();
        for (int word = 0; word < bits.length; word++) {
            for (long left = bits[word]; left != 0; left &= left - 1) {
                writers.add(word << 6 | Long.numberOfTrailingZeros(left));
            }
        }
        return writers.toIntArray();
    }

    /** The index of the batch, with its transactions renumbered. */
    private VersionIndex index(int[] writers) {
        int[] transactions = new int[writers.length];
        int[] slots = new int[writers.length + 3];
        IntArrayList readers = new IntArrayList();
        for (int r = 0; r < key.initialReaders; r++) {
            readers.add(numbering.numberOf(key.readers[r]));
        }
        for (int w = 0; w < writers.length; w++) {
            transactions[w] = numbering.numberOf(key.transactions[writers[w]]);
            slots[w + 1] = readers.size();
            if (isSet(read, writers[w])) {
                for (int r = key.readFrom[writers[w]]; r < key.readTo[writers[w]]; r++) {
                    readers.add(numbering.numberOf(key.readers[r]));
                }
            }
        }
        slots[writers.length + 1] = readers.size();
        slots[writers.length + 2] = readers.size();
        return VersionIndex.ofKey(transactions, slots, readers.toIntArray());
    }

    private ChainClocks clocks(KnownGraph graph) {
        Events events = graph.events();
        int sessions = events.chains();
        int[][] cells = new int[sessions][];
        for (int s = 0; s < sessions; s++) {
            cells[s] = new int[Math.multiplyExact(events.chainLength(s), sessions)];
            int next = 0;
            for (int v = events.chainStart(s); v < events.chainStart(s) + events.chainLength(s); v++) {
                fetch(s, numbering.place(s, v));
                for (int c = 0; c < sessions; c++) {
                    cells[s][next++] = numbering.among(c, row[c]);
                }
            }
        }
        return ChainClocks.of(graph, cells, new int[events.count()], new long[(events.count() + 63) >> 6]);
    }
}
