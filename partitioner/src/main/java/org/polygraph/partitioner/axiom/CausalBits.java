package org.polygraph.partitioner.axiom;

import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.closure.TopologicalOrder;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.storage.model.StoppedException;

/**
 * The {@link CausalAxiom} of many short sessions: the row of a transaction has one bit for each writer of a key. The
 * bits of the transaction itself, and of all transactions that reach it, are set. Writers are numbered by key and along
 * a topological order, so the last writer that is seen is the highest bit; the writers that reach it need no edge.
 *
 * <p>At most {@value #MOST_WORDS} words of the rows are computed at once. Time: transactions and edges times writers /
 * 64, and for each version the writers of its key / 64 for each edge. Memory: {@value #MOST_LONGS} longs at most unless
 * there are more transactions.
 */
final class CausalBits {
    private static final int MOST_WORDS = 64;
    private static final int MOST_LONGS = 1 << 24;
    private static final int CHECK_EVERY = 1 << 8;

    private final VersionIndex index;
    private final CommitStatus commitStatus;
    private final KnownGraph graph;
    private final BooleanSupplier stop;
    private final int[] sequence;
    private final int words;
    private final long[] rows;
    /** The writers that have a bit of {@link #rows}. */
    private final int[] writers;

    private int used;
    /** By transaction: its bit for the current key, or -1. */
    private final int[] bitOf;

    private final long[] seen;

    private CausalBits(
            VersionIndex index,
            CommitStatus commitStatus,
            KnownGraph graph,
            int[] sequence,
            int words,
            BooleanSupplier stop) {
        this.index = index;
        this.commitStatus = commitStatus;
        this.graph = graph;
        this.stop = stop;
        this.sequence = sequence;
        int transactions = sequence.length;
        this.words = words;
        rows = new long[transactions * words];
        writers = new int[words << 6];
        bitOf = new int[transactions];
        seen = new long[words];
        Arrays.fill(bitOf, -1);
    }

    private static int words(long transactions) {
        return (int) Math.max(1, Math.min(MOST_WORDS, MOST_LONGS / Math.max(1, transactions)));
    }

    /** Returns the bytes that it needs for this many transactions. */
    static long bytes(long transactions) {
        return (8L * words(transactions) + 16) * transactions;
    }

    /**
     * As {@link Axiom#infer}.
     *
     * @param graph with session order and WR edges
     */
    static Axiom.@Nullable Conflict infer(
            VersionIndex index, CommitStatus commitStatus, KnownGraph graph, BooleanSupplier stop) {
        return infer(index, commitStatus, graph, words(graph.events().count()), stop);
    }

    /** Does the same with rows of the given number of words. */
    static Axiom.@Nullable Conflict infer(
            VersionIndex index, CommitStatus commitStatus, KnownGraph graph, int words, BooleanSupplier stop) {
        graph.indexPredecessors();
        int[] sequence = TopologicalOrder.byChain(graph);
        if (sequence == null) {
            return null;
        }
        graph.nextRound();
        return new CausalBits(index, commitStatus, graph, sequence, words, stop).infer();
    }

    private Axiom.@Nullable Conflict infer() {
        int[] rank = new int[sequence.length];
        for (int i = 0; i < sequence.length; i++) {
            rank[sequence[i]] = i;
        }
        int[] starts = graph.predecessorStarts();
        int[] predecessors = new int[starts[sequence.length]];
        for (int i = 0; i < predecessors.length; i++) {
            predecessors[i] = graph.sources()[graph.predecessorEdges()[i]];
        }
        int firstKey = 0;
        int[] firstBits = new int[index.keys() + 1];
        int[] ofKey = new int[0];
        int from = 0;
        while (firstKey < index.keys()) {
            // The keys whose writers have the bits. The first and the last key may have only some of their writers
            // among them.
            used = 0;
            int key = firstKey;
            while (key < index.keys() && used < writers.length) {
                if (from == 0) {
                    ofKey = byRank(key, rank);
                }
                int count = Math.min(ofKey.length - from, writers.length - used);
                firstBits[key] = used;
                System.arraycopy(ofKey, from, writers, used, count);
                used += count;
                from += count;
                if (from < ofKey.length) {
                    break;
                }
                from = 0;
                key++;
            }
            int endKey = from == 0 ? key : key + 1;
            firstBits[endKey] = used;
            fill(firstKey, endKey, firstBits, starts, predecessors);
            for (int k = firstKey; k < endKey; k++) {
                Axiom.Conflict conflict = key(k, firstBits[k], firstBits[k + 1]);
                if (conflict != null) {
                    return conflict;
                }
            }
            firstKey = key;
        }
        return null;
    }

    /** The counted writers of a key along the topological order; none if the key has no reader. */
    private int[] byRank(int key, int[] rank) {
        int first = index.writerStarts()[key];
        int last = index.writerStarts()[key + 1];
        int base = index.slot(key);
        int[] slots = index.slotStarts();
        if (slots[base] == slots[base + 1 + last - first]) {
            return new int[0];
        }
        long[] sorted = new long[last - first];
        int n = 0;
        for (int w = first; w < last; w++) {
            int t = index.writerTransactions()[w];
            if (commitStatus.isCounted(t)) {
                sorted[n++] = (long) rank[t] << 32 | t;
            }
        }
        Arrays.sort(sorted, 0, n);
        int[] ordered = new int[n];
        for (int i = 0; i < n; i++) {
            ordered[i] = (int) sorted[i];
        }
        return ordered;
    }

    /** Computes the rows. */
    private void fill(int firstKey, int endKey, int[] firstBits, int[] starts, int[] predecessors) {
        if (used == 0) {
            return;
        }
        Arrays.fill(rows, 0);
        for (int bit = firstBits[firstKey]; bit < firstBits[endKey]; bit++) {
            rows[writers[bit] * words + (bit >> 6)] |= 1L << bit;
        }
        int width = used + 63 >> 6;
        Events events = graph.events();
        for (int i = 0; i < sequence.length; i++) {
            if ((i & CHECK_EVERY - 1) == 0) {
                StoppedException.check(stop);
            }
            int v = sequence[i];
            if (v > events.chainStart(events.chain(v))) {
                add(v, v - 1, width);
            }
            for (int j = starts[v]; j < starts[v + 1]; j++) {
                add(v, predecessors[j], width);
            }
        }
    }

    private void add(int to, int from, int width) {
        int at = to * words;
        int other = from * words;
        for (int w = 0; w < width; w++) {
            rows[at + w] |= rows[other + w];
        }
    }

    /** Compares the versions of a key with its writers that have the bits [from, to). */
    private Axiom.@Nullable Conflict key(int key, int from, int to) {
        if (from == to) {
            return null;
        }
        for (int bit = from; bit < to; bit++) {
            bitOf[writers[bit]] = bit;
        }
        Axiom.Conflict conflict = null;
        int first = index.writerStarts()[key];
        int base = index.slot(key);
        int[] slots = index.slotStarts();
        for (int slot = base; slot <= base + index.writerStarts()[key + 1] - first && conflict == null; slot++) {
            if ((slot & CHECK_EVERY - 1) == 0) {
                StoppedException.check(stop);
            }
            if (slots[slot] == slots[slot + 1]) {
                continue;
            }
            see(slots[slot], slots[slot + 1], from, to);
            if (slot > base) {
                before(index.writerTransactions()[first + slot - base - 1], from, to);
            } else if (highest(from, to) >= 0) {
                conflict = new Axiom.Conflict(
                        writers[highest(from, to)], readerOf(highest(from, to), slots[slot], slots[slot + 1]), key);
            }
        }
        for (int bit = from; bit < to; bit++) {
            bitOf[writers[bit]] = -1;
        }
        return conflict;
    }

    /** Sets {@link #seen} to those of the bits [from, to) that the readers [first, end) see. */
    private void see(int first, int end, int from, int to) {
        int low = from >> 6;
        int high = to - 1 >> 6;
        Arrays.fill(seen, low, high + 1, 0);
        for (int r = first; r < end; r++) {
            int reader = index.readerTransactions()[r];
            int own = bitOf[reader];
            for (int w = low; w <= high; w++) {
                long row = rows[reader * words + w];
                seen[w] |= own >> 6 == w ? row & ~(1L << own) : row;
            }
        }
        seen[low] &= -1L << from;
        seen[high] &= -1L >>> -to;
    }

    /** Adds an edge to the writer of a version from each writer that is seen, unless others imply it. */
    private void before(int writer, int from, int to) {
        hide(writer, from, to);
        for (int bit = highest(from, to); bit >= 0; bit = highest(from, bit)) {
            graph.add(writers[bit], writer);
            hide(writers[bit], from, bit + 1);
        }
    }

    /** Clears in {@link #seen} the bits below {@code to} of a writer and of the writers that reach it. */
    private void hide(int writer, int from, int to) {
        for (int w = from >> 6; w <= to - 1 >> 6; w++) {
            seen[w] &= ~rows[writer * words + w];
        }
    }

    /** The highest bit of {@link #seen} in [from, to), or -1. Bits beyond are not set. */
    private int highest(int from, int to) {
        for (int w = to - 1 >> 6; w >= from >> 6; w--) {
            if (seen[w] != 0) {
                return (w << 6) + 63 - Long.numberOfLeadingZeros(seen[w]);
            }
        }
        return -1;
    }

    /** The reader of [first, end) that sees the writer. */
    private int readerOf(int bit, int first, int end) {
        for (int r = first; r < end; r++) {
            int reader = index.readerTransactions()[r];
            if (reader != writers[bit] && (rows[reader * words + (bit >> 6)] & (1L << bit)) != 0) {
                return reader;
            }
        }
        throw new IllegalStateException("no reader sees the writer");
    }
}
