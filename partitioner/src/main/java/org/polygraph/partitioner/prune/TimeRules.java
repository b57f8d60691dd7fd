package org.polygraph.partitioner.prune;

import java.util.Arrays;
import org.polygraph.partitioner.closure.TimeClosure;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.index.VersionIndex;

/**
 * The {@link KeyRules} by a {@link TimeClosure}. The writers of a key are sorted by earliest end, so the writers that
 * reach an event by its threshold are a prefix. Of a prefix only those writers matter whose earliest end is not below
 * the latest start of every writer in it: each other one reaches a writer of the prefix. Those that matter overlap. The
 * few exceptions of the row are added. No step goes by session or by pair, so the time for a key is O(size log size),
 * however many sessions wrote it.
 *
 * <p>Where more than {@value #MOST} writers overlap, some forced edges are not found. The rules only accelerate, so
 * this is allowed. Memory: 20 bytes a writer of the largest key, 4 a session.
 */
final class TimeRules extends KeyRules {
    /** Writers that are compared with each other. */
    private static final int MOST = 64;

    private final TimeClosure closure;
    private final boolean hasSnapshots;
    private int[] earliestEnd = new int[0];
    private int[] latestStart = new int[0];

    /** Earliest end of the commit, writer: sorted. */
    private long[] byEnd = new long[64];
    /** By place in that order: the latest start of the begins up to here. */
    private int[] startsUpTo = new int[64];
    /** Earliest end of the begin, writer: sorted; with two events a transaction only. */
    private long[] byBeginEnd = new long[64];
    /** By chain that writes the key: its session among those of the key. Other chains have the numbers of earlier keys. */
    private final int[] sessionAt;
    /** Latest start of the writers that reach the read with several candidates. */
    private int latest;

    TimeRules(Events events, VersionIndex index, TimeClosure closure, byte[] states) {
        super(events, index, states);
        this.closure = closure;
        this.hasSnapshots = events.perTransaction() == 2;
        this.sessionAt = new int[events.chains()];
    }

    /** Takes over what the last update of the closure computed. */
    @Override
    public void begin() {
        earliestEnd = closure.earliestEnd();
        latestStart = closure.latestStart();
    }

    @Override
    int arrange(boolean all) {
        int n = key.writers;
        if (n > byEnd.length) {
            int capacity = Math.max(n, 2 * byEnd.length);
            byEnd = new long[capacity];
            startsUpTo = new int[capacity];
            byBeginEnd = new long[capacity];
        }
        for (int g = 0; g < key.sessions; g++) {
            sessionAt[key.sessionChains[g]] = g;
        }
        for (int w = 0; w < n; w++) {
            visits[w] = w;
            byEnd[w] = (long) earliestEnd[commit(w)] << 32 | w;
            byBeginEnd[w] = (long) earliestEnd[begin(w)] << 32 | w;
        }
        Arrays.sort(byEnd, 0, n);
        if (hasSnapshots) {
            Arrays.sort(byBeginEnd, 0, n);
        }
        int start = 0;
        for (int i = 0; i < n; i++) {
            start = Math.max(start, latestStart[begin((int) byEnd[i])]);
            startsUpTo[i] = start;
        }
        return n;
    }

    private int begin(int w) {
        return events.begin(key.transactions[w]);
    }

    private int commit(int w) {
        return events.commit(key.transactions[w]);
    }

    private int overwrites(int w) {
        return events.overwrites(key.transactions[w]);
    }

    /** How many of a sorted list are below a threshold. */
    private int below(long[] items, int threshold) {
        // No item is equal to the bound but the one of writer 0 at the threshold, and that one is not below it.
        int at = Arrays.binarySearch(items, 0, key.writers, (long) threshold << 32);
        return at < 0 ? -at - 1 : at;
    }

    /** The last writer of an event's session that commits no later than the event, or -1. */
    private int upTo(int event) {
        int w = begunUpTo(event);
        if (w < 0 || commit(w) <= event) {
            return w;
        }
        return w > 0 && key.sessionOf[w - 1] == key.sessionOf[w] ? w - 1 : -1;
    }

    /** The last writer of an event's session that begins no later than the event, or -1. */
    private int begunUpTo(int event) {
        int chain = events.chain(event);
        int g = sessionAt[chain];
        if (g >= key.sessions || key.sessionChains[g] != chain) {
            return -1;
        }
        int first = key.sessionStarts[g];
        int at = Arrays.binarySearch(key.transactions, first, key.sessionStarts[g + 1], events.transaction(event));
        int w = at < 0 ? -at - 2 : at;
        return w >= first ? w : -1;
    }

    private void find(int w) {
        for (int i = 0; i < count; i++) {
            if (found[i] == w) {
                return;
            }
        }
        if (count < MOST) {
            found[count++] = w;
        }
    }

    @Override
    void findPredecessors(int w, int visit) {
        findReaching(overwrites(w), w > 0 && key.sessionOf[w - 1] == key.sessionOf[w] ? w - 1 : -1);
    }

    /**
     * Finds the writers that reach an event. Some that reach another one of them may be missing.
     *
     * @param own the last writer of its session before it, or -1
     */
    private void findReaching(int event, int own) {
        count = 0;
        int threshold = latestStart[event];
        int prefix = below(byEnd, threshold);
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
        findException(own, threshold);
    }

    private void findException(int w, int threshold) {
        if (w >= 0 && earliestEnd[commit(w)] >= threshold) {
            find(w);
        }
    }

    @Override
    void findOverlapping(int w) {
        count = 0;
        int start = latestStart[overwrites(w)];
        int threshold = start;
        for (int r = key.readFrom[w]; r < key.readTo[w]; r++) {
            threshold = Math.max(threshold, latestStart[events.begin(key.readers[r])]);
        }
        if (threshold > start) {
            int latestOfFound = -1;
            for (int i = below(byEnd, threshold) - 1; i >= 0 && count < MOST; i--) {
                int end = (int) (byEnd[i] >>> 32);
                if (end < start || end < latestOfFound) {
                    break;
                }
                int other = (int) byEnd[i];
                if (other != w) {
                    findUnordered(other, w);
                    latestOfFound = Math.max(latestOfFound, latestStart[begin(other)]);
                }
            }
        }
        for (int r = key.readFrom[w]; r < key.readTo[w]; r++) {
            int event = events.begin(key.readers[r]);
            int exceptions = closure.exceptions(event);
            for (int i = 0; i < exceptions; i++) {
                findUnordered(upTo(closure.exception(event, i)), w);
            }
            if (event != events.chainStart(events.chain(event))) {
                findUnordered(upTo(event - 1), w);
            }
        }
        if (hasSnapshots && !byCommit) {
            findBegunBefore(commit(w), w);
        }
    }

    private void findBegunBefore(int commit, int w) {
        int from = below(byBeginEnd, latestStart[commit]) - 1;
        for (int i = from; i >= 0 && i > from - MOST; i--) {
            findUnordered((int) byBeginEnd[i], w);
        }
        int exceptions = closure.exceptions(commit);
        for (int i = 0; i < exceptions; i++) {
            findUnordered(begunUpTo(closure.exception(commit, i)), w);
        }
    }

    private void findUnordered(int other, int w) {
        if (other >= 0 && other != w && !reaches(other, w)) {
            find(other);
        }
    }

    @Override
    boolean reaches(int u, int w) {
        return closure.reaches(commit(u), overwrites(w));
    }

    @Override
    boolean isBefore(int reader, int w) {
        return closure.reaches(events.begin(key.readers[reader]), commit(w));
    }

    @Override
    boolean findBefore(int begin) {
        findReaching(begin, begin == events.chainStart(events.chain(begin)) ? -1 : upTo(begin - 1));
        latest = 0;
        for (int i = 0; i < count; i++) {
            latest = Math.max(latest, latestStart[begin(found[i])]);
        }
        return count > 0;
    }

    @Override
    int nextCandidate(int commit, int begin) {
        if (earliestEnd[commit] < latest || closure.reaches(begin, commit)) {
            return commit + 1;
        }
        for (int i = 0; i < count; i++) {
            if (closure.reaches(commit, begin(found[i]))) {
                return commit + 1;
            }
        }
        return commit;
    }
}
