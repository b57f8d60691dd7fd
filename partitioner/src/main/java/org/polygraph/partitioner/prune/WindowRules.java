package org.polygraph.partitioner.prune;

import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.polygraph.partitioner.closure.WindowClosure;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.VersionIndex;

/**
 * The rules of {@link PairRules} and {@link CandidateRules} by a {@link WindowClosure}. A key's writers are sorted by earliest
 * end, so that those which reach an event by its threshold are a prefix; of a prefix only its last writers matter, those
 * that end no earlier than one of it starts, and they overlap. To them come the few exceptions of the row. Nothing goes
 * by session or by pair, so a key costs its size, however many sessions wrote it.
 *
 * <p>Where more than {@value #MOST} writers overlap, some of what they force is left out: rules are an accelerator.
 */
final class WindowRules implements KeyRules {
    /** Writers looked at beside each other. */
    private static final int MOST = 64;

    private static final int SHORT = 40;

    private final ForcedEdges forced;
    private final VersionIndex index;
    private final WindowClosure closure;
    private final byte[] states;
    private final Events events;
    private final int shift;
    private int[] earliestEnd = new int[0];
    private int[] latestStart = new int[0];

    // The writers of the key, by transaction.
    private int writers;
    private int[] transactions = new int[64];
    private int[] slots = new int[64];
    /** Earliest end of the commit, writer: sorted. */
    private long[] byEnd = new long[64];
    /** By place in that order: the latest start of the begins up to here. */
    private int[] startsUpTo = new int[64];
    /** Earliest end of the begin, writer: sorted; with two events a transaction only. */
    private long[] byBeginEnd = new long[64];

    private int[] found = new int[MOST];
    private int count;
    private final CandidatePruning judge;

    WindowRules(
            Events events, ForcedEdges forced, VersionIndex index, WindowClosure closure, CommitStatus commitStatus) {
        this.forced = forced;
        this.index = index;
        this.closure = closure;
        this.states = commitStatus.states();
        this.events = events;
        this.shift = events.shift();
        this.judge = new WindowJudge();
    }

    /** Takes over what the last update of the closure computed. */
    @Override
    public void begin() {
        earliestEnd = closure.earliestEnd();
        latestStart = closure.latestStart();
    }

    @Override
    public void apply(int key, boolean all) {
        load(key);
        int base = index.slot(key);
        for (int w = 0; w < writers; w++) {
            readersBefore(w, base);
        }
        for (int w = 0; w < writers; w++) {
            writersBefore(w);
        }
    }

    private void load(int key) {
        int from = index.writerStarts()[key];
        int to = index.writerStarts()[key + 1];
        int base = index.slot(key) + 1;
        if (to - from > transactions.length) {
            int capacity = Math.max(to - from, 2 * transactions.length);
            transactions = new int[capacity];
            slots = new int[capacity];
            byEnd = new long[capacity];
            startsUpTo = new int[capacity];
            byBeginEnd = new long[capacity];
        }
        int n = 0;
        for (int i = from; i < to; i++) {
            int t = index.writerTransactions()[i];
            if (states[t] == CommitStatus.COUNTED) {
                transactions[n] = t;
                slots[n] = base + i - from;
                byEnd[n] = (long) earliestEnd[events.commit(t)] << 32 | n;
                if (shift == 1) {
                    byBeginEnd[n] = (long) earliestEnd[events.begin(t)] << 32 | n;
                }
                n++;
            }
        }
        writers = n;
        sort(byEnd, n);
        if (shift == 1) {
            sort(byBeginEnd, n);
        }
        int latest = 0;
        for (int i = 0; i < n; i++) {
            latest = Math.max(latest, latestStart[events.begin(transactions[(int) byEnd[i]])]);
            startsUpTo[i] = latest;
        }
    }

    private static void sort(long[] items, int n) {
        if (n > SHORT) {
            Arrays.sort(items, 0, n);
            return;
        }
        for (int i = 1; i < n; i++) {
            long item = items[i];
            int j = i - 1;
            while (j >= 0 && items[j] > item) {
                items[j + 1] = items[j];
                j--;
            }
            items[j + 1] = item;
        }
    }

    private int begin(int w) {
        return events.begin(transactions[w]);
    }

    private int commit(int w) {
        return events.commit(transactions[w]);
    }

    /** How many of a sorted list are below a threshold. */
    private static int below(long[] items, int n, int threshold) {
        int low = 0;
        int high = n;
        long bound = (long) threshold << 32;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (items[middle] < bound) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The last writer of an event's session that commits no later than the event, or -1. */
    private int upTo(int event) {
        int t = events.transaction(event);
        int at = Arrays.binarySearch(transactions, 0, writers, t);
        if (at < 0) {
            at = -at - 2;
        } else if (commit(at) > event) {
            at--;
        }
        return at >= 0 && events.chain(commit(at)) == events.chain(event) ? at : -1;
    }

    /** The last writer of an event's session that begins no later than the event, or -1. */
    private int begunUpTo(int event) {
        int at = Arrays.binarySearch(transactions, 0, writers, events.transaction(event));
        at = at < 0 ? -at - 2 : at;
        return at >= 0 && events.chain(commit(at)) == events.chain(event) ? at : -1;
    }

    private void find(int w) {
        if (count == MOST) {
            return;
        }
        for (int i = 0; i < count; i++) {
            if (found[i] == w) {
                return;
            }
        }
        found[count++] = w;
    }

    /** Finds the writers that reach an event, but for some of those that reach others of them. */
    private void findBefore(int event) {
        count = 0;
        int threshold = latestStart[event];
        int prefix = below(byEnd, writers, threshold);
        if (prefix > 0) {
            int start = startsUpTo[prefix - 1];
            for (int i = prefix - 1; i >= 0 && (int) (byEnd[i] >>> 32) >= start && count < MOST; i--) {
                found[count++] = (int) byEnd[i];
            }
        }
        int exceptions = closure.exceptions(event);
        for (int i = 0; i < exceptions; i++) {
            findException(upTo(closure.exception(event, i)), threshold);
        }
        findException(event == events.chainStart(events.chain(event)) ? -1 : upTo(event - 1), threshold);
    }

    private void findException(int w, int threshold) {
        if (w >= 0 && earliestEnd[commit(w)] >= threshold) {
            find(w);
        }
    }

    /** Keeps of what was found those that reach no other of it. */
    private void keepLast() {
        int at = 0;
        while (at < count) {
            int begin = begin(found[at]);
            int kept = 0;
            int next = 0;
            for (int j = 0; j < count; j++) {
                int other = found[j];
                if (j == at || !closure.reaches(commit(other), begin)) {
                    found[kept++] = other;
                }
                if (j == at) {
                    next = kept;
                }
            }
            count = kept;
            at = next;
        }
    }

    /** R2 and initial readers: everyone who read what the writer overwrote comes before it. */
    private void readersBefore(int w, int initialSlot) {
        findBefore(begin(w));
        if (count == 0) {
            addReaders(initialSlot, w);
            return;
        }
        if (count > 1) {
            keepLast();
        }
        for (int i = 0; i < count; i++) {
            addReaders(slots[found[i]], w);
        }
    }

    private void addReaders(int slot, int w) {
        int[] readers = index.readerTransactions();
        int from = index.slotStarts()[slot];
        int to = index.slotStarts()[slot + 1];
        int writer = transactions[w];
        int commit = events.commit(writer);
        for (int r = from; r < to; r++) {
            int t = readers[r];
            if (t == writer) {
                continue;
            }
            if (r + 1 < to
                    && readers[r + 1] != writer
                    && events.chain(events.begin(readers[r + 1])) == events.chain(events.begin(t))) {
                continue;
            }
            if (!closure.reaches(events.begin(t), commit)) {
                forced.add(events.begin(t), commit);
            }
        }
    }

    /** R1 and R0: writers that reach a reader of T, or begin before T commits, come before T. */
    private void writersBefore(int w) {
        int begin = begin(w);
        count = 0;
        int[] readers = index.readerTransactions();
        int from = index.slotStarts()[slots[w]];
        int to = index.slotStarts()[slots[w] + 1];
        int threshold = latestStart[begin];
        for (int r = from; r < to; r++) {
            threshold = Math.max(threshold, latestStart[events.begin(readers[r])]);
        }
        if (threshold > latestStart[begin]) {
            int latest = -1;
            for (int i = below(byEnd, writers, threshold) - 1; i >= 0 && count < MOST; i--) {
                int end = (int) (byEnd[i] >>> 32);
                if (end < latestStart[begin] || end < latest) {
                    break;
                }
                int other = (int) byEnd[i];
                if (other != w) {
                    findUnordered(other, w);
                    latest = Math.max(latest, latestStart[begin(other)]);
                }
            }
        }
        for (int r = from; r < to; r++) {
            int event = events.begin(readers[r]);
            int exceptions = closure.exceptions(event);
            for (int i = 0; i < exceptions; i++) {
                findUnordered(upTo(closure.exception(event, i)), w);
            }
            if (event != events.chainStart(events.chain(event))) {
                findUnordered(upTo(event - 1), w);
            }
        }
        if (shift == 1) {
            overlapping(w);
        }
        if (count > 1) {
            keepLast();
        }
        for (int i = 0; i < count; i++) {
            forced.add(commit(found[i]), begin);
        }
    }

    private void overlapping(int w) {
        int commit = commit(w);
        int threshold = latestStart[commit];
        int from = below(byBeginEnd, writers, threshold) - 1;
        for (int i = from; i >= 0 && i > from - MOST; i--) {
            findUnordered((int) byBeginEnd[i], w);
        }
        int exceptions = closure.exceptions(commit);
        for (int i = 0; i < exceptions; i++) {
            findUnordered(begunUpTo(closure.exception(commit, i)), w);
        }
    }

    private void findUnordered(int other, int w) {
        if (other >= 0 && other != w && !closure.reaches(commit(other), begin(w))) {
            find(other);
        }
    }

    // --- reads with several candidates ---

    @Override
    public int judgeReads(int key, BooleanSupplier stop) {
        return judge.judge(key, states, stop);
    }

    @Override
    public int[] decided(int reads) {
        return judge.decided(reads);
    }

    /** By time and exceptions: what reaches a read is a prefix by earliest end, and some more. */
    private final class WindowJudge extends CandidatePruning {
        /** Latest start of the writers found, which reach the reader. */
        private int latest;

        WindowJudge() {
            super(events, forced, index);
        }

        @Override
        boolean findBefore(int begin) {
            WindowRules.this.findBefore(begin);
            latest = 0;
            for (int i = 0; i < count; i++) {
                latest = Math.max(latest, latestStart[begin(found[i])]);
            }
            return count > 0;
        }

        @Override
        boolean isCandidate(int commit, int begin) {
            if (earliestEnd[commit] < latest || closure.reaches(begin, commit)) {
                return false;
            }
            for (int i = 0; i < count; i++) {
                if (closure.reaches(commit, begin(found[i]))) {
                    return false;
                }
            }
            return true;
        }
    }
}
