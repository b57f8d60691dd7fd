package org.polygraph.partitioner.prune;

import java.util.Arrays;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.VersionIndex;

/**
 * The rules of {@link PairRules} for a key with many writers, without pairs: the writers of a session are a chain, so of
 * each session only the last writer that reaches an event matters. Going along a session the last ones only move
 * forward: O(writers + writers x sessions) cell reads a key for R2, a binary search a session for R1.
 */
final class SessionRules {
    private final KnownGraph graph;
    private final VersionIndex index;
    private final int[][] rows;
    private final int chains;
    private final int shift;
    private final int[] firstTransactions;
    private final int[] chainOf;

    // The key's counted writers, in order, and their slots.
    private int[] transactions = new int[256];
    private int[] slots = new int[256];
    private int writers;
    // The key's sessions: writers [groupStarts[g], groupStarts[g + 1]) are of chain groupChains[g].
    private int[] groupChains = new int[64];
    private int[] groupStarts = new int[65];
    private int groups;
    // By group: the last predecessor, the next writer to look at.
    private int[] last = new int[64];
    private int[] next = new int[64];
    private int[] moved = new int[64];
    private int[] bounds = new int[64];

    SessionRules(KnownGraph graph, VersionIndex index, ChainClocks clocks) {
        Events events = graph.events();
        this.graph = graph;
        this.index = index;
        this.rows = clocks.rows();
        this.chains = clocks.chains();
        this.shift = events.shift();
        this.firstTransactions = events.firstTransactions();
        this.chainOf = events.chainsByTransaction();
    }

    /** Loads the counted writers of a key, grouped by session. */
    void load(int key, byte[] states, byte counted) {
        int from = index.writerStarts()[key];
        int to = index.writerStarts()[key + 1];
        int base = index.slot(key) + 1;
        if (to - from > transactions.length) {
            transactions = new int[Math.max(to - from, 2 * transactions.length)];
            slots = new int[transactions.length];
        }
        writers = 0;
        groups = 0;
        int previous = -1;
        for (int i = from; i < to; i++) {
            int t = index.writerTransactions()[i];
            if (states[t] != counted) {
                continue;
            }
            int c = chainOf[t];
            if (c != previous) {
                if (groups == groupChains.length) {
                    int capacity = 2 * groups;
                    groupChains = Arrays.copyOf(groupChains, capacity);
                    groupStarts = Arrays.copyOf(groupStarts, capacity + 1);
                    last = new int[capacity];
                    next = new int[capacity];
                    moved = new int[capacity];
                    bounds = new int[capacity];
                }
                groupChains[groups] = c;
                groupStarts[groups++] = writers;
                previous = c;
            }
            transactions[writers] = t;
            slots[writers++] = base + i - from;
        }
        groupStarts[groups] = writers;
    }

    void apply(int key) {
        int initialSlot = index.slot(key);
        for (int g = 0; g < groups; g++) {
            System.arraycopy(groupStarts, 0, next, 0, groups);
            Arrays.fill(last, 0, groups, -1);
            for (int i = groupStarts[g]; i < groupStarts[g + 1]; i++) {
                readersBefore(i, initialSlot);
            }
        }
        for (int i = 0; i < writers; i++) {
            writersBefore(i);
        }
    }

    private int begin(int transaction) {
        return (transaction - firstTransactions[chainOf[transaction]]) << shift;
    }

    private int commit(int transaction) {
        return begin(transaction) | shift;
    }

    /** R2 and initial readers for the writer i, whose session's earlier writers have been handled. */
    private void readersBefore(int i, int initialSlot) {
        int writer = transactions[i];
        int[] row = rows[chainOf[writer]];
        int cells = begin(writer) * chains;
        int moves = 0;
        boolean any = false;
        for (int h = 0; h < groups; h++) {
            int bound = row[cells + groupChains[h]];
            int n = next[h];
            int end = groupStarts[h + 1];
            if (n < end && commit(transactions[n]) < bound) {
                do {
                    n++;
                } while (n < end && commit(transactions[n]) < bound);
                next[h] = n;
                last[h] = n - 1;
                moved[moves++] = h;
            }
            any |= last[h] >= 0;
        }
        if (!any) {
            addReaders(initialSlot, writer);
            return;
        }
        for (int m = 0; m < moves; m++) {
            int h = moved[m];
            int t = transactions[last[h]];
            if (!dominated(h, commit(t))) {
                addReaders(slots[last[h]], writer);
            }
        }
    }

    /** Whether the last predecessor of group h, committing at the position, reaches that of another group. */
    private boolean dominated(int h, int position) {
        for (int other = 0; other < groups; other++) {
            if (other != h && last[other] >= 0) {
                int t = transactions[last[other]];
                if (rows[groupChains[other]][begin(t) * chains + groupChains[h]] > position) {
                    return true;
                }
            }
        }
        return false;
    }

    private void addReaders(int readSlot, int writer) {
        int[] starts = index.slotStarts();
        int[] readers = index.readerTransactions();
        int end = starts[readSlot + 1];
        int[] row = rows[chainOf[writer]];
        int cells = commit(writer) * chains;
        for (int r = starts[readSlot]; r < end; r++) {
            int t = readers[r];
            int c = chainOf[t];
            if (r + 1 < end && chainOf[readers[r + 1]] == c && readers[r + 1] != writer) {
                continue;
            }
            if (t != writer && row[cells + c] <= (t - firstTransactions[c]) << shift) {
                graph.add(t << shift, (writer << shift) | shift);
            }
        }
    }

    /** R1 and R0 for the writer i. */
    private void writersBefore(int i) {
        int[] starts = index.slotStarts();
        int[] readers = index.readerTransactions();
        int from = starts[slots[i]];
        int to = starts[slots[i] + 1];
        if (from == to && shift == 0) {
            return;
        }
        int writer = transactions[i];
        Arrays.fill(bounds, 0, groups, 0);
        for (int r = from; r < to; r++) {
            int t = readers[r];
            int c = chainOf[t];
            if (r + 1 < to && chainOf[readers[r + 1]] == c) {
                continue;
            }
            int[] row = rows[c];
            int cells = begin(t) * chains;
            for (int g = 0; g < groups; g++) {
                bounds[g] = Math.max(bounds[g], row[cells + groupChains[g]]);
            }
        }
        int[] own = rows[chainOf[writer]];
        int beginCells = begin(writer) * chains;
        int commitCells = commit(writer) * chains;
        boolean any = false;
        for (int g = 0; g < groups; g++) {
            last[g] = -1;
            int bound = bounds[g];
            int snapshotBound = shift == 1 ? own[commitCells + groupChains[g]] : 0;
            int covered = own[beginCells + groupChains[g]];
            if (bound <= covered && snapshotBound <= covered) {
                continue;
            }
            int candidate = lastBefore(g, bound, snapshotBound);
            if (candidate < 0 || transactions[candidate] == writer || covered > commit(transactions[candidate])) {
                continue;
            }
            last[g] = candidate;
            any = true;
        }
        for (int g = 0; any && g < groups; g++) {
            if (last[g] >= 0) {
                int t = transactions[last[g]];
                if (!dominated(g, commit(t))) {
                    graph.add((t << shift) | shift, writer << shift);
                }
            }
        }
    }

    /** The last writer of group g with its commit below the bound or its begin below the snapshot bound, or -1. */
    private int lastBefore(int g, int bound, int snapshotBound) {
        int low = groupStarts[g] - 1;
        int high = groupStarts[g + 1] - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            int b = begin(transactions[middle]);
            if ((b | shift) < bound || b < snapshotBound) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low < groupStarts[g] ? -1 : low;
    }

    // --- for CandidateRules: the last writers of each session that reach a reader ---

    /** Fills {@link #last} with the last writer of each group that reaches the event; @return whether there is any. */
    boolean lastReaching(int chain, int position) {
        int[] row = rows[chain];
        int cells = position * chains;
        boolean any = false;
        for (int g = 0; g < groups; g++) {
            last[g] = lastBefore(g, row[cells + groupChains[g]], 0);
            any |= last[g] >= 0;
        }
        return any;
    }

    /** After {@link #lastReaching}: whether the transaction's commit reaches one of those writers. */
    boolean reachesOneOfLast(int transaction) {
        int c = chainOf[transaction];
        int position = commit(transaction);
        for (int g = 0; g < groups; g++) {
            if (last[g] >= 0) {
                int t = transactions[last[g]];
                if (t != transaction && rows[groupChains[g]][begin(t) * chains + c] > position) {
                    return true;
                }
            }
        }
        return false;
    }
}
