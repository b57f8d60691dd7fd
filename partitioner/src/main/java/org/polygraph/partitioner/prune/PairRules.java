package org.polygraph.partitioner.prune;

import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.closure.ClockRows;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.index.VersionIndex;

/**
 * The rules for a key with at most {@value #MOST_WRITERS} writers (a bit of an int each), pair by pair; most keys are such. For S, T writing the
 * key and r reading it from T:
 *
 * <ul>
 *   <li>R0 (two events): b(S) reaches c(T): S before T, else T would overlap S and both write the key;
 *   <li>R1: c(S) reaches b(r): S before T, else r would read from S or later;
 *   <li>R2: c(T) reaches b(S), r != S: b(r) before c(S), for the same reason;
 *   <li>a reader of the initial version comes before every other writer.
 * </ul>
 *
 * <p>Only what other edges do not imply is added: a predecessor that reaches another predecessor is left out.
 */
final class PairRules {
    static final int MOST_WRITERS = 31;

    private final ForcedEdges forced;
    private final VersionIndex index;
    private final ChainClocks clocks;
    private final ClockRows rows;
    private final int stride;
    private final int shift;
    private final int[] firstTransactions;
    private final int[] chainOf;

    private final int[] transactions = new int[MOST_WRITERS];
    private final int[] chain = new int[MOST_WRITERS];
    private final int[] begin = new int[MOST_WRITERS];
    private final int[] commit = new int[MOST_WRITERS];
    private final int[] slot = new int[MOST_WRITERS];
    /** By writer: a bit for each writer whose commit reaches its begin; made on demand, see {@link #predecessors}. */
    private final int[] known = new int[MOST_WRITERS];

    // By reader of the key: its chain and the position of its begin.
    private int[] readerChain = new int[64];
    private int[] readerBegin = new int[64];
    private int firstReader;
    private final RowFetch fetch;
    private int made;
    private int writers;

    PairRules(Events events, ForcedEdges forced, VersionIndex index, ChainClocks clocks) {
        this.forced = forced;
        this.index = index;
        this.clocks = clocks;
        this.rows = clocks.rows();
        this.stride = rows.stride();
        this.shift = events.shift();
        this.firstTransactions = events.firstTransactions();
        this.chainOf = events.chainsByTransaction();
        this.fetch = new RowFetch(clocks);
    }

    /**
     * Applies the rules to a key.
     *
     * @param states Counting states; writers that are optional are not judged
     * @param all false: only what rows that the last closure changed can bring
     */
    void apply(int key, byte[] states, byte counted, boolean all) {
        int from = index.writerStarts()[key];
        int to = index.writerStarts()[key + 1];
        int base = index.slot(key);
        int[] transactionOf = index.writerTransactions();
        int w = 0;
        for (int i = from; i < to; i++) {
            int t = transactionOf[i];
            if (states[t] == counted) {
                int c = chainOf[t];
                int p = (t - firstTransactions[c]) << shift;
                transactions[w] = t;
                chain[w] = c;
                begin[w] = p;
                commit[w] = p | shift;
                slot[w] = base + 1 + i - from;
                w++;
            }
        }
        if (w == 0) {
            return;
        }
        writers = w;
        made = 0;
        locateReaders(base, base + 1 + to - from);
        if (all && fetch.pays(w)) {
            fetchRows(base, base + 1 + to - from);
        }
        for (int i = 0; i < w; i++) {
            int event = transactions[i] << shift;
            if (all || clocks.hasChanged(event)) {
                readersBefore(i, base, predecessors(i));
            }
        }
        for (int i = 0; i < w; i++) {
            if (all || readersChanged(i) || (shift == 1 && clocks.hasChanged((transactions[i] << shift) | 1))) {
                writersBefore(i);
            }
        }
    }

    private void locateReaders(int fromSlot, int toSlot) {
        int[] readers = index.readerTransactions();
        int from = index.slotStarts()[fromSlot];
        int count = index.slotStarts()[toSlot] - from;
        if (count > readerChain.length) {
            readerChain = new int[Math.max(count, 2 * readerChain.length)];
            readerBegin = new int[readerChain.length];
        }
        firstReader = from;
        for (int i = 0; i < count; i++) {
            int t = readers[from + i];
            int c = chainOf[t];
            readerChain[i] = c;
            readerBegin[i] = (t - firstTransactions[c]) << shift;
        }
    }

    private void fetchRows(int initialSlot, int toSlot) {
        for (int i = 0; i < writers; i++) {
            fetch.fetch(chain[i], begin[i] * stride);
        }
        // Of readers of the initial version only the position counts.
        int from = index.slotStarts()[initialSlot + 1];
        int to = index.slotStarts()[toSlot];
        for (int i = from - firstReader; i < to - firstReader; i++) {
            fetch.fetch(readerChain[i], readerBegin[i] * stride);
        }
    }

    private int predecessors(int i) {
        if ((made & 1 << i) == 0) {
            made |= 1 << i;
            int own = chain[i];
            int cells = begin[i] * stride;
            int bits = 0;
            for (int j = 0; j < writers; j++) {
                if (rows.get(own, cells + chain[j]) > commit[j]) {
                    bits |= 1 << j;
                }
            }
            known[i] = bits;
        }
        return known[i];
    }

    private boolean readersChanged(int i) {
        int[] slots = index.slotStarts();
        for (int r = slots[slot[i]]; r < slots[slot[i] + 1]; r++) {
            if (clocks.hasChanged(index.readerTransactions()[r] << shift)) {
                return true;
            }
        }
        return false;
    }

    /** Those of a set of writers that reach no other of it. */
    private int maximal(int set) {
        int maximal = set;
        if ((set & (set - 1)) != 0) {
            for (int bits = set; bits != 0; bits &= bits - 1) {
                maximal &= ~predecessors(Integer.numberOfTrailingZeros(bits));
            }
        }
        return maximal;
    }

    /** R2 and initial readers: everyone who read what S overwrote comes before S. */
    private void readersBefore(int i, int base, int open) {
        if (open == 0) {
            readersBefore(i, base);
            return;
        }
        for (int bits = maximal(open); bits != 0; bits &= bits - 1) {
            readersBefore(i, slot[Integer.numberOfTrailingZeros(bits)]);
        }
    }

    private void readersBefore(int i, int readSlot) {
        int[] slots = index.slotStarts();
        int[] readers = index.readerTransactions();
        int end = slots[readSlot + 1];
        int own = chain[i];
        int cells = commit[i] * stride;
        int writer = transactions[i];
        for (int r = slots[readSlot]; r < end; r++) {
            int t = readers[r];
            int c = readerChain[r - firstReader];
            if (r + 1 < end && readerChain[r + 1 - firstReader] == c && readers[r + 1] != writer) {
                continue;
            }
            if (t != writer && rows.get(own, cells + c) <= readerBegin[r - firstReader]) {
                forced.add(t << shift, (writer << shift) | shift);
            }
        }
    }

    /** R1 and R0: writers that reach a reader of T, or begin before T commits, come before T. */
    private void writersBefore(int i) {
        int[] slots = index.slotStarts();
        int found = 0;
        int all = ((1 << writers) - 1) & ~(1 << i) & ~predecessors(i);
        if (all == 0) {
            return;
        }
        int end = slots[slot[i] + 1];
        for (int r = slots[slot[i]]; r < end; r++) {
            int c = readerChain[r - firstReader];
            if (r + 1 < end && readerChain[r + 1 - firstReader] == c) {
                continue;
            }
            int cells = readerBegin[r - firstReader] * stride;
            for (int bits = all & ~found; bits != 0; bits &= bits - 1) {
                int j = Integer.numberOfTrailingZeros(bits);
                if (rows.get(c, cells + chain[j]) > commit[j]) {
                    found |= 1 << j;
                }
            }
        }
        if (shift == 1) {
            int own = chain[i];
            int cells = commit[i] * stride;
            for (int bits = all & ~found; bits != 0; bits &= bits - 1) {
                int j = Integer.numberOfTrailingZeros(bits);
                if (rows.get(own, cells + chain[j]) > begin[j]) {
                    found |= 1 << j;
                }
            }
        }
        for (int bits = maximal(found); bits != 0; bits &= bits - 1) {
            int j = Integer.numberOfTrailingZeros(bits);
            forced.add((transactions[j] << shift) | shift, transactions[i] << shift);
        }
    }
}
