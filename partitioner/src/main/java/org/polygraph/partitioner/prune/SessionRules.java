package org.polygraph.partitioner.prune;

import java.util.Arrays;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.closure.ClockRows;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.index.VersionIndex;

/**
 * The {@link KeyRules} by {@link ChainClocks}, without pairs of writers: the writers of a session are a chain, so of
 * each session only the last writer that reaches an event matters.
 *
 * <p>A <i>front</i> holds for a writer, by session, the first writer that does not reach it. Writers are visited in a
 * topological order, by number of ancestors. Each begins with the front of a writer shortly before it that reaches it;
 * only the sessions in which its own row goes beyond that front have further predecessors. On a hot key these are one
 * or two, while a front that is carried along the session moves in half of all sessions. Readers are compared with the
 * same front: R1 forces the writers that they see beyond it.
 *
 * <p>Time for a key: a sort, and for each writer and reader one cell read and comparison a session that writes the key,
 * without branches. Memory: 8 bytes a front and session, with at most {@value #MOST_FRONTS} fronts.
 */
final class SessionRules extends KeyRules {
    /** How far back a writer's front is looked for. */
    private static final int LOOK_BACK = 32;
    /** Fronts kept: one a session up to this many sessions, then sessions share them. */
    private static final int MOST_FRONTS = 256;

    private final ChainClocks clocks;
    private final ClockRows rows;
    private final int stride;
    private final boolean hasSnapshots;

    /** Writers to visit: ancestors of the begin, writer. */
    private long[] order = new long[16];
    /** By front: the writer whose front it is, or -1. */
    private int[] owners = new int[0];
    /** By front and session: the first writer that does not reach the owner; the end of the session if all do. */
    private int[] firsts = new int[0];
    /** The position of that writer's commit; the largest int if there is none. */
    private int[] limits = new int[0];

    /** How many fronts are kept: session g has front g modulo this number. */
    private int fronts;

    /** The index at which the front of the visited writer begins. */
    private int front;

    /** Its use keeps the compiler from removing the reads. */
    @SuppressWarnings("UnusedVariable")
    private long fetched;

    private int[] hits = new int[64];
    /** By session: the writer found, or -1. */
    private int[] foundAt = new int[0];
    /**
     * By session: the last writer that reached the previous read with several candidates, or -1; the next search begins
     * there.
     */
    private int[] last = new int[0];
    /** By chain: how many of its events reach the begin of some writer in {@link #last}. */
    private final int[] reached;

    /** @param states {@link org.polygraph.partitioner.index.CommitStatus#states} */
    SessionRules(Events events, VersionIndex index, ChainClocks clocks, byte[] states) {
        super(events, index, states);
        this.clocks = clocks;
        this.rows = clocks.rows();
        this.stride = rows.stride();
        this.hasSnapshots = events.perTransaction() == 2;
        this.reached = new int[clocks.chains()];
    }

    /** The position in its chain of the event that comes after the commits of the writers before this one. */
    private int overwrites(int w) {
        return byCommit ? key.commit(w) : key.begins[w];
    }

    private void set(int place, int first, int end) {
        firsts[place] = first;
        limits[place] = first < end ? key.commit(first) : Integer.MAX_VALUE;
    }

    private void prepare() {
        int sessions = key.sessions;
        fronts = Math.min(sessions, MOST_FRONTS);
        ensureFound(sessions + 1);
        if (sessions > foundAt.length) {
            hits = new int[2 * sessions];
            foundAt = new int[2 * sessions];
            last = new int[2 * sessions];
            Arrays.fill(foundAt, -1);
        }
        if (fronts > owners.length) {
            owners = new int[fronts];
        }
        if (fronts * sessions > firsts.length) {
            firsts = new int[fronts * sessions];
            limits = new int[fronts * sessions];
        }
        Arrays.fill(owners, 0, fronts, -1);
        Arrays.fill(last, 0, sessions, -1);
        if (key.writers > order.length) {
            order = new long[Math.max(key.writers, 2 * order.length)];
        }
    }

    @Override
    int arrange(boolean all) {
        prepare();
        int[] ancestors = clocks.ancestors();
        int n = 0;
        for (int w = 0; w < key.writers; w++) {
            if (all || isDirty(w)) {
                order[n++] = (long) ancestors[events.overwrites(key.transactions[w])] << 32 | w;
            }
        }
        Arrays.sort(order, 0, n);
        for (int visit = 0; visit < n; visit++) {
            visits[visit] = (int) order[visit];
        }
        return n;
    }

    private boolean isDirty(int writer) {
        int transaction = key.transactions[writer];
        if (clocks.hasChanged(events.begin(transaction)) || clocks.hasChanged(events.commit(transaction))) {
            return true;
        }
        for (int r = key.readFrom[writer]; r < key.readTo[writer]; r++) {
            if (clocks.hasChanged(events.begin(key.readers[r]))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Reads a word of every cache line of the rows. The rules read rows in random order, far more bytes than any cache
     * holds, and their comparisons keep the processor from reading ahead. Without comparisons, several rows are fetched
     * at the same time.
     */
    @Override
    void fetch(int from, int to) {
        long sum = 0;
        for (int visit = from; visit < to; visit++) {
            int w = visits[visit];
            sum += rows.touch(key.chain(w), key.begins[w] * stride);
            if (hasSnapshots) {
                sum += rows.touch(key.chain(w), key.commit(w) * stride);
            }
            for (int r = key.readFrom[w]; r < key.readTo[w]; r++) {
                sum += rows.touch(key.readerChains[r], key.readerBegins[r] * stride);
            }
        }
        fetched = sum;
    }

    /**
     * Moves the front up to the writer's own row and finds the last writer of each session in which it moved, and the
     * former owner of the front unless it moved in that session: every maximal predecessor is among them.
     */
    @Override
    void findPredecessors(int w, int visit) {
        int former = takeFront(w, visit);
        int g = key.sessionOf[w];
        int chain = key.sessionChains[g];
        int cells = overwrites(w) * stride;
        count = 0;
        // In its own session the front needs no row: all earlier writers of the session reach the writer.
        int own = firsts[front + g];
        if (own < w) {
            found[count++] = w - 1;
        }
        set(front + g, w + 1, key.sessionStarts[g + 1]);
        if (former >= 0) {
            int h = key.sessionOf[former];
            if (h == g ? own == w : limits[front + h] >= rows.get(chain, cells + key.sessionChains[h])) {
                found[count++] = former;
            }
        }
        int moved = beyond(chain, cells, 0);
        for (int m = 0; m < moved; m++) {
            int h = hits[m];
            int end = key.sessionStarts[h + 1];
            int first = key.firstNotBelow(firsts[front + h] + 1, end, rows.get(chain, cells + key.sessionChains[h]));
            set(front + h, first, end);
            found[count++] = first - 1;
        }
    }

    /** Sets up the writer's front from that of a writer that reaches it. @return that writer, or -1 */
    private int takeFront(int w, int visit) {
        int sessions = key.sessions;
        int g = key.sessionOf[w];
        int chain = key.sessionChains[g];
        int cells = overwrites(w) * stride;
        int slot = g % fronts;
        int from = owners[slot] >= 0 && key.sessionOf[owners[slot]] == g ? owners[slot] : -1;
        for (int b = visit - 1; b >= Math.max(0, visit - LOOK_BACK); b--) {
            int u = visits[b];
            int h = key.sessionOf[u];
            if (owners[h % fronts] == u && rows.get(chain, cells + key.sessionChains[h]) > key.commit(u)) {
                from = u;
                break;
            }
        }
        front = slot * sessions;
        if (from < 0) {
            for (int h = 0; h < sessions; h++) {
                set(front + h, key.sessionStarts[h], key.sessionStarts[h + 1]);
            }
        } else {
            int other = key.sessionOf[from] % fronts * sessions;
            if (other != front) {
                System.arraycopy(firsts, other, firsts, front, sessions);
                System.arraycopy(limits, other, limits, front, sessions);
            }
        }
        owners[slot] = w;
        return from;
    }

    /**
     * Collects in {@code hits} the sessions in which a row, each cell raised by {@code more}, goes beyond the front.
     */
    private int beyond(int chain, int cells, int more) {
        int n = 0;
        int[] list = hits;
        int[] of = key.sessionChains;
        int[] limit = limits;
        int start = front;
        for (int h = 0, sessions = key.sessions; h < sessions; h++) {
            list[n] = h;
            n += (limit[start + h] - more - rows.get(chain, cells + of[h])) >>> 31;
        }
        return n;
    }

    @Override
    void findOverlapping(int w) {
        count = 0;
        int to = key.readTo[w];
        for (int r = key.readFrom[w]; r < to; r++) {
            int chain = key.readerChains[r];
            if (r + 1 == to || key.readerChains[r + 1] != chain) {
                collect(chain, key.readerBegins[r] * stride, 0);
            }
        }
        if (hasSnapshots && !byCommit) {
            // begin < bound iff commit = begin + 1 < bound + 1, because begins are even and commits odd.
            collect(key.chain(w), key.commit(w) * stride, 1);
        }
        for (int i = 0; i < count; i++) {
            int h = found[i];
            found[i] = foundAt[h];
            foundAt[h] = -1;
        }
    }

    /**
     * Adds to {@code found} the sessions in which the row goes beyond the front, and to {@code foundAt} the last
     * writer.
     */
    private void collect(int chain, int cells, int more) {
        int moved = beyond(chain, cells, more);
        for (int m = 0; m < moved; m++) {
            int h = hits[m];
            int bound = rows.get(chain, cells + key.sessionChains[h]) + more;
            int lastBefore = key.firstNotBelow(firsts[front + h] + 1, key.sessionStarts[h + 1], bound) - 1;
            if (foundAt[h] < 0) {
                found[count++] = h;
            }
            foundAt[h] = Math.max(foundAt[h], lastBefore);
        }
    }

    @Override
    boolean reaches(int u, int w) {
        return rows.get(key.chain(w), overwrites(w) * stride + key.chain(u)) > key.commit(u);
    }

    @Override
    boolean isBefore(int reader, int w) {
        return rows.get(key.chain(w), key.commit(w) * stride + key.readerChains[reader]) > key.readerBegins[reader];
    }

    /**
     * Finds the last writer of each session that reaches the event, and what reaches those: by binary search a session.
     */
    @Override
    boolean findBefore(int begin) {
        int chain = events.chain(begin);
        int cells = (begin - events.chainStart(chain)) * stride;
        boolean any = false;
        Arrays.fill(reached, 0);
        for (int g = 0; g < key.sessions; g++) {
            int bound = rows.get(chain, cells + key.sessionChains[g]);
            int low = last[g] >= 0 && key.commit(last[g]) < bound ? last[g] : key.sessionStarts[g];
            int lastBefore = key.firstNotBelow(low, key.sessionStarts[g + 1], bound) - 1;
            if (lastBefore < key.sessionStarts[g]) {
                last[g] = -1;
                continue;
            }
            last[g] = lastBefore;
            any = true;
            rows.raise(reached, key.sessionChains[g], key.begins[lastBefore] * stride);
        }
        return any;
    }

    /** Skips the commits of a session that reach one of the writers found, and those that the read reaches. */
    @Override
    int nextCandidate(int commit, int begin) {
        int chain = events.chain(commit);
        int start = events.chainStart(chain);
        if (reached[chain] > commit - start) {
            return start + reached[chain];
        }
        return clocks.reaches(begin, commit) ? start + events.chainLength(chain) : commit;
    }
}
