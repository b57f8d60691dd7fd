package org.polygraph.partitioner.sliced;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import java.util.Arrays;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.closure.Closure;
import org.polygraph.partitioner.closure.WindowClosure;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.partitioner.prune.ForcedEdges;
import org.polygraph.partitioner.prune.KeyRules;
import org.polygraph.partitioner.prune.Saturation;

/**
 * A round of {@link Saturation} over one slice of the keys, without the graph and the rest of the history. It forces
 * the same edges as a round over all keys, key by key and in the same order.
 *
 * <p>The rules of a key ask only whether events that read or write it reach each other. Therefore a batch of a few keys
 * is treated as a history of its own: its transactions are renumbered session by session, the rows of their events are
 * fetched, and the cells of the rows are renumbered. The same rules as elsewhere then run on the batch, by chain clocks
 * or, if real time is part of the graph, by the window closure.
 *
 * <p>Memory: 4 bytes times sessions times events of a batch, or its bounds and exceptions: at most {@value
 * #BATCH_BYTES} bytes unless a single key needs more; and 3 bits for each transaction of the history.
 */
public final class SliceSaturation {
    private static final long BATCH_BYTES = 32L << 20;
    /** The approximate bytes of the bounds and the row of an event, if real time is part of the graph. */
    private static final int WINDOW_INTS = 16;

    private final KeySlices slices;
    private final IndexSlice slice;
    private final VersionIndex versions;
    private final int shift;
    private final int[] sessionStarts;
    private final byte[] states;
    private final SlicedClosure rows;
    private final long[] changed;
    private final boolean most;
    private final IntOpenHashSet decidedKeys;

    private IntOpenHashSet leftOut = new IntOpenHashSet();
    private final Renumbering numbering;
    private final IntArrayList forced = new IntArrayList();

    /**
     * A round that has not been run.
     *
     * @param states {@link CommitStatus#states} of the history
     * @param rows rows without thresholds, so that every cell is exact
     * @param changed a bit for each event: whether the last closure changed its row
     * @param most whether all keys are processed, and not only those that a change or a decision may affect
     * @param decided decisions of earlier rounds about reads of any slice: {@link #forced} without edges
     * @param decidedKeys keys of which the last round decided reads
     */
    public SliceSaturation(
            KeySlices slices,
            IndexSlice slice,
            int perTransaction,
            int[] sessionStarts,
            byte[] states,
            SlicedClosure rows,
            long[] changed,
            boolean most,
            int[] decided,
            int[] decidedKeys) {
        this.slices = slices;
        this.slice = slice;
        this.versions = slice.versions();
        this.shift = perTransaction - 1;
        this.sessionStarts = sessionStarts;
        this.states = states;
        this.rows = rows;
        this.changed = changed;
        this.most = most;
        this.decidedKeys = new IntOpenHashSet(decidedKeys);
        this.numbering = new Renumbering(perTransaction, sessionStarts, states.length);
        for (int at = 0; at < decided.length; at += 2 + decided[at + 1]) {
            int key = decided[at];
            if (!slices.isSplit(key) && slices.sliceOf(key) == slice.slice()) {
                versions.resolve(slices.localOf(key), Arrays.copyOfRange(decided, at + 2, at + 2 + decided[at + 1]));
            }
        }
    }

    /** Leaves out the keys that {@link HotKeySaturation} processes. */
    public SliceSaturation without(int[] keys) {
        leftOut = new IntOpenHashSet(keys);
        return this;
    }

    /**
     * Runs the round. The result has, for each key that forces or decides something, in ascending order: the key; the
     * transaction of a read without a candidate, or -1; the number of edges; source and target of each edge; the number
     * of its ambiguous reads if one of them was decided, else 0; for each of these the argument of {@link
     * VersionIndex#resolve}. An impossible read ends the result.
     */
    public int[] forced() {
        IntArrayList batch = new IntArrayList();
        long rowBytes = (4L * (rows instanceof GroupedRows ? rows.chains() : WINDOW_INTS)) << shift;
        long bytes = 0;
        boolean possible = true;
        for (int key = 0; key < versions.keys() && possible; key++) {
            if (leftOut.contains(slices.keyOf(slice.slice(), key))) {
                continue;
            }
            if (versions.writerStarts()[key] == versions.writerStarts()[key + 1] || !(all(key) || isDirty(key))) {
                continue;
            }
            long more = rowBytes
                    * (versions.writerStarts()[key + 1]
                            - versions.writerStarts()[key]
                            + versions.readerStarts()[key + 1]
                            - versions.readerStarts()[key]);
            if (!batch.isEmpty() && bytes + more > BATCH_BYTES) {
                possible = run(batch);
                batch.clear();
                bytes = 0;
            }
            batch.add(key);
            bytes += more;
        }
        if (possible && !batch.isEmpty()) {
            run(batch);
        }
        return forced.toIntArray();
    }

    private boolean all(int key) {
        return most || decidedKeys.contains(slices.keyOf(slice.slice(), key));
    }

    private boolean isDirty(int key) {
        for (int w = versions.writerStarts()[key]; w < versions.writerStarts()[key + 1]; w++) {
            int begin = versions.writerTransactions()[w] << shift;
            if (hasChanged(begin) || (shift == 1 && hasChanged(begin | 1))) {
                return true;
            }
        }
        for (int r = versions.readerStarts()[key]; r < versions.readerStarts()[key + 1]; r++) {
            if (hasChanged(versions.readerTransactions()[r] << shift)) {
                return true;
            }
        }
        return false;
    }

    private boolean hasChanged(int event) {
        return (changed[event >> 6] & (1L << event)) != 0;
    }

    /** @return false if a read of these keys has no candidate */
    private boolean run(IntArrayList keys) {
        takeOut(keys);
        Part part = new Part(keys);
        KeyRules rules = KeyRules.of(part.graph.events(), part.versions, part.closure, part.commitStatus);
        rules.begin();
        ForcedEdges found = rules.forced();
        for (int i = 0; i < keys.size(); i++) {
            int key = keys.getInt(i);
            int edges = found.count();
            int impossible = rules.apply(i, all(key), () -> false);
            int[] decided = rules.decided();
            if (impossible < 0 && edges == found.count() && decided.length == 0) {
                continue;
            }
            forced.add(slices.keyOf(slice.slice(), key));
            forced.add(impossible < 0 ? -1 : numbering.transaction(impossible));
            forced.add(found.count() - edges);
            for (int e = edges; e < found.count(); e++) {
                forced.add(numbering.whole(found.from(e)));
                forced.add(numbering.whole(found.to(e)));
            }
            forced.add(decided.length);
            forced.addElements(forced.size(), decided);
            if (impossible >= 0) {
                return false;
            }
        }
        return true;
    }

    private void takeOut(IntArrayList keys) {
        numbering.clear();
        for (int i = 0; i < keys.size(); i++) {
            int key = keys.getInt(i);
            for (int w = versions.writerStarts()[key]; w < versions.writerStarts()[key + 1]; w++) {
                numbering.add(versions.writerTransactions()[w]);
            }
            for (int r = versions.readerStarts()[key]; r < versions.readerStarts()[key + 1]; r++) {
                numbering.add(versions.readerTransactions()[r]);
            }
        }
    }

    /** A batch of keys as a history of its own. */
    private final class Part {
        final KnownGraph graph;
        final VersionIndex versions;
        final Closure closure;
        final CommitStatus commitStatus;

        Part(IntArrayList keys) {
            Events events = numbering.number();
            byte[] ownStates = new byte[numbering.count()];
            for (int t = 0; t < ownStates.length; t++) {
                ownStates[t] = states[numbering.transaction(t)];
            }
            commitStatus = CommitStatus.of(ownStates);
            graph = new KnownGraph(events);
            versions = SliceSaturation.this.versions.part(keys.toIntArray()).renumbered(numbering::numberOf);
            long[] ownChanged = new long[(events.count() + 63) >> 6];
            for (int v = 0; v < events.count(); v++) {
                if (hasChanged(numbering.whole(v))) {
                    ownChanged[v >> 6] |= 1L << v;
                }
            }
            closure = rows instanceof WindowedRows windows
                    ? window(windows, ownChanged)
                    : clocks((GroupedRows) rows, ownChanged);
        }

        private WindowClosure window(WindowedRows windows, long[] ownChanged) {
            int n = graph.events().count();
            int[] earliestEnd = new int[n];
            int[] latestStart = new int[n];
            for (int v = 0; v < n; v++) {
                earliestEnd[v] = windows.earliestEnd(numbering.whole(v));
                latestStart[v] = windows.latestStart(numbering.whole(v));
            }
            return WindowClosure.computed(
                    graph, earliestEnd, latestStart, (event, row) -> exceptions(windows, event, row), ownChanged);
        }

        private int exceptions(WindowedRows windows, int event, int[] row) {
            int length = windows.row(numbering.whole(event), row);
            int count = 0;
            for (int i = 0; i < length; i++) {
                int upTo = upTo(row[i]);
                if (upTo > 0) {
                    int chain = Events.chainOf(windows.chainStarts(), row[i]);
                    row[count++] = graph.events().chainStart(chain) + upTo - 1;
                }
            }
            return count;
        }

        private ChainClocks clocks(GroupedRows columns, long[] ownChanged) {
            Events events = graph.events();
            int sessions = events.chains();
            int[] ancestors = new int[events.count()];
            int[][] cells = new int[sessions][];
            int[] row = new int[sessions];
            for (int s = 0; s < sessions; s++) {
                cells[s] = new int[Math.multiplyExact(events.chainLength(s), sessions)];
                int next = 0;
                for (int v = events.chainStart(s); v < events.chainStart(s) + events.chainLength(s); v++) {
                    columns.row(s, numbering.place(s, v), row);
                    int sum = 0;
                    for (int c = 0; c < sessions; c++) {
                        sum += row[c];
                        cells[s][next++] = numbering.among(c, row[c]);
                    }
                    ancestors[v] = sum;
                }
            }
            return ChainClocks.of(graph, cells, ancestors, ownChanged);
        }

        /** The number of events of the batch in the session of an event that are not after it. */
        private int upTo(int event) {
            int session = Events.chainOf(sessionStarts, event >> shift);
            return numbering.among(session, event - (sessionStarts[session] << shift) + 1);
        }
    }
}
