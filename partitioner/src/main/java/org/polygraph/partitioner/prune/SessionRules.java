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
    /** Up to so many last writers are compared with the others one by one; for more all rows are merged first. */
    private static final int FEW = 6;

    private final KnownGraph graph;
    private final VersionIndex index;
    private final ChainClocks clocks;
    private final int[][] rows;
    private final int chains;
    private final int shift;
    private final int[] firstTransactions;
    private final int[] chainOf;

    // The key's counted writers, in order, and their slots.
    private int[] transactions = new int[256];
    /** Position of each writer's begin in its chain. */
    private int[] begins = new int[256];

    /** The decided readers of each writer: [readFrom[i], readTo[i]) of the reader arrays below. */
    private int[] readFrom = new int[256];

    private int[] readTo = new int[256];
    private int writers;
    // The key's decided readers, initial version first: transaction, chain, position of the begin. Kept together
    // because
    // the rules come to the same readers from many writers, and through the index each visit is three cache misses.
    private int[] readers = new int[256];
    private int[] readerChains = new int[256];
    private int[] readerBegins = new int[256];
    private int initialReaders;
    // The key's sessions: writers [groupStarts[g], groupStarts[g + 1]) are of chain groupChains[g].
    private int[] groupChains = new int[64];
    private int[] groupStarts = new int[65];
    private int groups;
    // By group: the last predecessor, the next writer to look at.
    private int[] last = new int[64];
    private int[] next = new int[64];
    private int[] moved = new int[64];
    private int[] bounds = new int[64];
    /** By group: where the last search ended; any value is allowed. */
    private int[] hint = new int[64];

    /** By chain: how many of its events reach the begin of one of the last writers. */
    private final int[] reached;

    SessionRules(KnownGraph graph, VersionIndex index, ChainClocks clocks) {
        Events events = graph.events();
        this.graph = graph;
        this.index = index;
        this.clocks = clocks;
        this.rows = clocks.rows();
        this.chains = clocks.chains();
        this.shift = events.shift();
        this.firstTransactions = events.firstTransactions();
        this.chainOf = events.chainsByTransaction();
        this.reached = new int[chains];
    }

    /** Loads the counted writers of a key, grouped by session. */
    void load(int key, byte[] states, byte counted) {
        int from = index.writerStarts()[key];
        int to = index.writerStarts()[key + 1];
        int base = index.slot(key) + 1;
        int[] starts = index.slotStarts();
        int firstReader = starts[base - 1];
        initialReaders = starts[base] - firstReader;
        loadReaders(firstReader, starts[base + to - from]);
        if (to - from > transactions.length) {
            transactions = new int[Math.max(to - from, 2 * transactions.length)];
            begins = new int[transactions.length];
            readFrom = new int[transactions.length];
            readTo = new int[transactions.length];
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
                    hint = new int[capacity];
                }
                groupChains[groups] = c;
                groupStarts[groups++] = writers;
                previous = c;
            }
            transactions[writers] = t;
            begins[writers] = (t - firstTransactions[c]) << shift;
            readFrom[writers] = starts[base + i - from] - firstReader;
            readTo[writers++] = starts[base + i - from + 1] - firstReader;
        }
        groupStarts[groups] = writers;
    }

    private void loadReaders(int from, int to) {
        int count = to - from;
        if (count > readers.length) {
            readers = new int[Math.max(count, 2 * readers.length)];
            readerChains = new int[readers.length];
            readerBegins = new int[readers.length];
        }
        System.arraycopy(index.readerTransactions(), from, readers, 0, count);
        for (int r = 0; r < count; r++) {
            int c = chainOf[readers[r]];
            readerChains[r] = c;
            readerBegins[r] = (readers[r] - firstTransactions[c]) << shift;
        }
    }

    /** @param all false: only what rows that the last closure changed can bring */
    void apply(boolean all) {
        for (int g = 0; g < groups; g++) {
            System.arraycopy(groupStarts, 0, next, 0, groups);
            Arrays.fill(last, 0, groups, -1);
            for (int i = groupStarts[g]; i < groupStarts[g + 1]; i++) {
                if (all || clocks.hasChanged(transactions[i] << shift)) {
                    readersBefore(i, g);
                }
            }
        }
        for (int g = 0; g < groups; g++) {
            for (int i = groupStarts[g]; i < groupStarts[g + 1]; i++) {
                if (all || hasChangedReaders(i) || (shift == 1 && clocks.hasChanged((transactions[i] << 1) | 1))) {
                    writersBefore(i, g);
                }
            }
        }
    }

    private boolean hasChangedReaders(int i) {
        for (int r = readFrom[i]; r < readTo[i]; r++) {
            if (clocks.hasChanged(readers[r] << shift)) {
                return true;
            }
        }
        return false;
    }

    private int begin(int transaction) {
        return (transaction - firstTransactions[chainOf[transaction]]) << shift;
    }

    private int commit(int transaction) {
        return begin(transaction) | shift;
    }

    /** R2 and initial readers for the writer i, whose session's earlier writers have been handled. */
    private void readersBefore(int i, int g) {
        int[] row = rows[groupChains[g]];
        int cells = begins[i] * chains;
        int moves = 0;
        boolean any = false;
        for (int h = 0; h < groups; h++) {
            int bound = row[cells + groupChains[h]];
            int n = next[h];
            int end = groupStarts[h + 1];
            if (n < end && (begins[n] | shift) < bound) {
                do {
                    n++;
                } while (n < end && (begins[n] | shift) < bound);
                next[h] = n;
                last[h] = n - 1;
                moved[moves++] = h;
            }
            any |= last[h] >= 0;
        }
        if (!any) {
            addReaders(0, initialReaders, i, g);
            return;
        }
        if (moves == 0) {
            return;
        }
        int useful = 0;
        for (int m = 0; m < moves; m++) {
            int writer = last[moved[m]];
            if (addsReaders(readFrom[writer], readTo[writer], i, g)) {
                moved[useful++] = moved[m];
            }
        }
        if (useful == 0) {
            return;
        }
        boolean merged = useful > FEW;
        if (merged) {
            reachLast();
        }
        for (int m = 0; m < useful; m++) {
            int h = moved[m];
            if (isMaximal(h, merged)) {
                addReaders(readFrom[last[h]], readTo[last[h]], i, g);
            }
        }
    }

    /** Whether the last writer of the group reaches no other last writer; {@code merged}: {@link #reachLast} was called. */
    private boolean isMaximal(int g, boolean merged) {
        int position = begins[last[g]] | shift;
        if (merged) {
            return reached[groupChains[g]] <= position;
        }
        for (int h = 0; h < groups; h++) {
            if (last[h] >= 0 && rows[groupChains[h]][begins[last[h]] * chains + groupChains[g]] > position) {
                return false;
            }
        }
        return true;
    }

    /** Fills {@link #reached}: a last writer whose commit is among it reaches another last writer and is not maximal. */
    private void reachLast() {
        int k = chains;
        Arrays.fill(reached, 0);
        for (int h = 0; h < groups; h++) {
            if (last[h] >= 0) {
                int[] row = rows[groupChains[h]];
                int cells = begins[last[h]] * k;
                for (int c = 0; c < k; c++) {
                    reached[c] = Math.max(reached[c], row[cells + c]);
                }
            }
        }
    }

    /** Whether {@link #addReaders} would add anything: usually not, and that costs only the writer's own row. */
    private boolean addsReaders(int from, int to, int i, int g) {
        int[] row = rows[groupChains[g]];
        int cells = (begins[i] | shift) * chains;
        for (int r = from; r < to; r++) {
            if (row[cells + readerChains[r]] <= readerBegins[r] && readers[r] != transactions[i]) {
                return true;
            }
        }
        return false;
    }

    /** Puts a version's readers, the last of each session, before the writer i of group g. */
    private void addReaders(int from, int to, int i, int g) {
        int writer = transactions[i];
        int[] row = rows[groupChains[g]];
        int cells = (begins[i] | shift) * chains;
        for (int r = from; r < to; r++) {
            int c = readerChains[r];
            if (r + 1 < to && readerChains[r + 1] == c && readers[r + 1] != writer) {
                continue;
            }
            if (readers[r] != writer && row[cells + c] <= readerBegins[r]) {
                graph.add(readers[r] << shift, (writer << shift) | shift);
            }
        }
    }

    /** R1 and R0 for the writer i. */
    private void writersBefore(int i, int own) {
        int from = readFrom[i];
        int to = readTo[i];
        if (from == to && shift == 0) {
            return;
        }
        Arrays.fill(bounds, 0, groups, 0);
        for (int r = from; r < to; r++) {
            int c = readerChains[r];
            if (r + 1 < to && readerChains[r + 1] == c) {
                continue;
            }
            int[] readerRow = rows[c];
            int cells = readerBegins[r] * chains;
            for (int g = 0; g < groups; g++) {
                bounds[g] = Math.max(bounds[g], readerRow[cells + groupChains[g]]);
            }
        }
        int[] row = rows[groupChains[own]];
        int beginCells = begins[i] * chains;
        int commitCells = (begins[i] | shift) * chains;
        int found = 0;
        for (int g = 0; g < groups; g++) {
            last[g] = -1;
            int bound = bounds[g];
            int snapshotBound = shift == 1 ? row[commitCells + groupChains[g]] : 0;
            int covered = row[beginCells + groupChains[g]];
            if (bound <= covered && snapshotBound <= covered) {
                continue;
            }
            int candidate = lastBefore(g, bound, snapshotBound);
            if (candidate < 0 || candidate == i || covered > (begins[candidate] | shift)) {
                continue;
            }
            last[g] = candidate;
            found++;
        }
        if (found > 0) {
            boolean merged = found > FEW;
            if (merged) {
                reachLast();
            }
            for (int g = 0; g < groups; g++) {
                if (last[g] >= 0 && isMaximal(g, merged)) {
                    graph.add((transactions[last[g]] << shift) | shift, transactions[i] << shift);
                }
            }
        }
    }

    /**
     * The last writer of group g with its commit below the bound or its begin below the snapshot bound, or -1. Searched
     * from where the last search of the group ended, in growing steps: writers are taken in session order, so it is near.
     */
    private int lastBefore(int g, int bound, int snapshotBound) {
        int from = groupStarts[g];
        int to = groupStarts[g + 1];
        int low = hint[g];
        if (low < from || low >= to || !isBefore(low, bound, snapshotBound)) {
            // The answer is left of the hint.
            int high = low < from || low >= to ? to : low;
            int step = 1;
            low = high - 1;
            while (low >= from && !isBefore(low, bound, snapshotBound)) {
                high = low;
                step <<= 1;
                low = high - step;
            }
            int found = bisect(Math.max(low, from - 1), high, bound, snapshotBound, from);
            hint[g] = found;
            return found;
        }
        int step = 1;
        int high = low + 1;
        while (high < to && isBefore(high, bound, snapshotBound)) {
            low = high;
            step <<= 1;
            high = low + step;
        }
        int found = bisect(low, Math.min(high, to), bound, snapshotBound, from);
        hint[g] = found;
        return found;
    }

    /** Between low, which is before or left of the group, and high, which is not before or right of it. */
    private int bisect(int low, int high, int bound, int snapshotBound, int from) {
        int left = low;
        int right = high;
        while (right - left > 1) {
            int middle = (left + right) >>> 1;
            if (isBefore(middle, bound, snapshotBound)) {
                left = middle;
            } else {
                right = middle;
            }
        }
        return left < from ? -1 : left;
    }

    private boolean isBefore(int writer, int bound, int snapshotBound) {
        int b = begins[writer];
        return (b | shift) < bound || b < snapshotBound;
    }

    // --- for CandidateRules: the last writers of each session that reach a reader ---

    /** Finds the last writer of each session that reaches the event; @return whether there is any. */
    boolean lastReaching(int chain, int position) {
        int[] row = rows[chain];
        int cells = position * chains;
        boolean any = false;
        for (int g = 0; g < groups; g++) {
            last[g] = lastBefore(g, row[cells + groupChains[g]], 0);
            any |= last[g] >= 0;
        }
        reachLast();
        return any;
    }

    /** After {@link #lastReaching}: whether the transaction's commit reaches one of those writers. */
    boolean reachesOneOfLast(int transaction) {
        return reached[chainOf[transaction]] > commit(transaction);
    }
}
