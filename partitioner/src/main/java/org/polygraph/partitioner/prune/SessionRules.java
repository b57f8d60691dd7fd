package org.polygraph.partitioner.prune;

import java.util.Arrays;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.closure.ClockRows;
import org.polygraph.partitioner.graph.Events;

/**
 * The rules of {@link PairRules} for a key with many writers, without pairs: the writers of a session are a chain, so of
 * each session only the last writer that reaches an event matters.
 *
 * <p>A <i>front</i> says for a writer, by session, which writer is the first that does not reach it. Writers are visited in
 * a topological order, by number of ancestors, and each takes over the front of a writer shortly before it that reaches it:
 * what its own row adds to that front are the only predecessors that the other one does not cover. On a hot key these are
 * one or two, where a front carried along the session, as was done before, moves in half of all sessions. The same front
 * is what readers are compared with: R1 forces what they see beyond it.
 *
 * <p>Time for a key: a cell read and comparison a writer (or reader) and session, without branches, and a sort.
 */
final class SessionRules {
    /** How far back a writer's front is looked for. */
    static final int LOOK_BACK = 32;
    /** Fronts kept: one a session up to so many sessions, then they share. */
    private static final int MOST_FRONTS = 256;
    /** Writers whose rows, and those of their readers, are fetched at once. */
    private static final int BATCH = 16;

    private final ForcedEdges forced;
    private final ChainClocks clocks;
    private final SessionKey key;
    private final RowFetch fetch;
    private final ClockRows rows;
    private final int stride;
    private final int shift;

    /** Writers to visit: ancestors of the begin, writer. */
    private long[] order = new long[256];
    /** By front: the writer whose front it is, or -1. */
    private int[] owners = new int[0];
    /** By front and session: the first writer that does not reach the owner; the group's end if all do. */
    private int[] firsts = new int[0];
    /** The position of that writer's commit; the largest int if there is none. */
    private int[] limits = new int[0];

    private int fronts;
    private int[] hits = new int[64];
    private int[] found = new int[65];
    /** By group: the writer found, or -1. */
    private int[] foundAt = new int[64];

    SessionRules(Events events, ForcedEdges forced, ChainClocks clocks, SessionKey key) {
        this.forced = forced;
        this.clocks = clocks;
        this.key = key;
        this.fetch = new RowFetch(clocks);
        this.rows = clocks.rows();
        this.stride = rows.stride();
        this.shift = events.shift();
        Arrays.fill(foundAt, -1);
    }

    /**
     * Applies the rules to the loaded key.
     *
     * @param all false: only what rows that the last closure changed can bring
     */
    void apply(boolean all) {
        prepare();
        visit(0, arrange(all));
    }

    /**
     * Goes on as if the first writers had been visited: those whose fronts are still there, see {@link #LOOK_BACK} and {@link
     * #fronts}.
     *
     * @param visited writers in the order of visits
     * @param first the first of them that is to be visited
     */
    void applyFrom(int[] visited, int first) {
        prepare();
        for (int at = 0; at < visited.length; at++) {
            order[at] = visited[at];
        }
        for (int at = 0; at < first; at++) {
            leaveFront(visited[at]);
        }
        visit(first, visited.length);
    }

    /** How many fronts are kept for so many sessions: session g has front g modulo this. */
    static int fronts(int groups) {
        return Math.min(groups, MOST_FRONTS);
    }

    /** The front that a visit leaves behind, from the writer's row alone. */
    private void leaveFront(int writer) {
        int g = key.groupOf[writer];
        int chain = key.groupChains[g];
        int cells = key.begins[writer] * stride;
        int slot = g % fronts;
        int start = slot * key.groups;
        owners[slot] = writer;
        for (int h = 0; h < key.groups; h++) {
            int end = key.groupStarts[h + 1];
            int first = h == g
                    ? writer + 1
                    : key.firstNotBelow(key.groupStarts[h], end, rows.get(chain, cells + key.groupChains[h]));
            firsts[start + h] = first;
            limits[start + h] = first < end ? key.commit(first) : Integer.MAX_VALUE;
        }
    }

    private void visit(int begin, int count) {
        for (int from = begin; from < count; from += BATCH) {
            int to = Math.min(from + BATCH, count);
            fetchRows(from, to);
            for (int at = from; at < to; at++) {
                int writer = (int) order[at];
                int front = front(writer, at);
                int n = advance(writer, front);
                readersBefore(writer, n);
                writersBefore(writer, front);
            }
        }
    }

    private void prepare() {
        int groups = key.groups;
        fronts = fronts(groups);
        if (groups > hits.length) {
            hits = new int[2 * groups];
            found = new int[2 * groups + 1];
            foundAt = new int[2 * groups];
            Arrays.fill(foundAt, -1);
        }
        if (fronts > owners.length) {
            owners = new int[fronts];
        }
        if (fronts * groups > firsts.length) {
            firsts = new int[fronts * groups];
            limits = new int[fronts * groups];
        }
        Arrays.fill(owners, 0, fronts, -1);
        if (key.writers > order.length) {
            order = new long[Math.max(key.writers, 2 * order.length)];
        }
    }

    /** Puts the writers to visit in order. @return how many */
    private int arrange(boolean all) {
        int[] ancestors = clocks.ancestors();
        int count = 0;
        for (int g = 0; g < key.groups; g++) {
            for (int i = key.groupStarts[g]; i < key.groupStarts[g + 1]; i++) {
                if (all || isDirty(i)) {
                    order[count++] = (long) ancestors[key.transactions[i] << shift] << 32 | i;
                }
            }
        }
        Arrays.sort(order, 0, count);
        return count;
    }

    private boolean isDirty(int writer) {
        int begin = key.transactions[writer] << shift;
        if (clocks.hasChanged(begin) || (shift == 1 && clocks.hasChanged(begin | 1))) {
            return true;
        }
        for (int r = key.readFrom[writer]; r < key.readTo[writer]; r++) {
            if (clocks.hasChanged(key.readers[r] << shift)) {
                return true;
            }
        }
        return false;
    }

    private void fetchRows(int from, int to) {
        for (int at = from; at < to; at++) {
            int writer = (int) order[at];
            int chain = key.chain(writer);
            fetch.fetch(chain, key.begins[writer] * stride);
            if (shift == 1) {
                fetch.fetch(chain, key.commit(writer) * stride);
            }
            for (int r = key.readFrom[writer]; r < key.readTo[writer]; r++) {
                fetch.fetch(key.readerChains[r], key.readerBegins[r] * stride);
            }
        }
    }

    /**
     * Sets up the writer's front from that of one that reaches it, and names that one in {@code found[0]} (-1: none).
     *
     * @return where the front begins
     */
    private int front(int writer, int at) {
        int groups = key.groups;
        int g = key.groupOf[writer];
        int chain = key.groupChains[g];
        int cells = key.begins[writer] * stride;
        int slot = g % fronts;
        int from = owners[slot] >= 0 && key.groupOf[owners[slot]] == g ? owners[slot] : -1;
        for (int b = at - 1; b >= Math.max(0, at - LOOK_BACK); b--) {
            int u = (int) order[b];
            int h = key.groupOf[u];
            if (owners[h % fronts] == u && rows.get(chain, cells + key.groupChains[h]) > key.commit(u)) {
                from = u;
                break;
            }
        }
        int start = slot * groups;
        if (from < 0) {
            for (int h = 0; h < groups; h++) {
                firsts[start + h] = key.groupStarts[h];
                limits[start + h] = key.commit(key.groupStarts[h]);
            }
        } else {
            int other = key.groupOf[from] % fronts * groups;
            if (other != start) {
                System.arraycopy(firsts, other, firsts, start, groups);
                System.arraycopy(limits, other, limits, start, groups);
            }
        }
        owners[slot] = writer;
        found[0] = from;
        return start;
    }

    /**
     * Moves the front up to the writer's own row and collects in {@code found} the last writer of each session that moved,
     * and the front's former owner unless its session moved: every maximal predecessor is among them.
     *
     * @return how many there are
     */
    private int advance(int writer, int start) {
        int g = key.groupOf[writer];
        int chain = key.groupChains[g];
        int cells = key.begins[writer] * stride;
        int former = found[0];
        int n = 0;
        // The own session is known without looking: all before the writer.
        int own = firsts[start + g];
        if (own < writer) {
            found[n++] = writer - 1;
        }
        firsts[start + g] = writer + 1;
        limits[start + g] = writer + 1 < key.groupStarts[g + 1] ? key.commit(writer + 1) : Integer.MAX_VALUE;
        if (former >= 0) {
            int h = key.groupOf[former];
            if (h == g ? own == writer : limits[start + h] >= rows.get(chain, cells + key.groupChains[h])) {
                found[n++] = former;
            }
        }
        int moved = beyond(chain, cells, start, 0);
        for (int m = 0; m < moved; m++) {
            int h = hits[m];
            int end = key.groupStarts[h + 1];
            int first = key.firstNotBelow(firsts[start + h] + 1, end, rows.get(chain, cells + key.groupChains[h]));
            firsts[start + h] = first;
            limits[start + h] = first < end ? key.commit(first) : Integer.MAX_VALUE;
            found[n++] = first - 1;
        }
        return n;
    }

    /** Collects in {@code hits} the groups of which a row, each cell raised by {@code more}, has more than the front. */
    private int beyond(int chain, int cells, int start, int more) {
        int n = 0;
        int[] list = hits;
        int[] of = key.groupChains;
        int[] limit = limits;
        for (int h = 0, groups = key.groups; h < groups; h++) {
            list[n] = h;
            n += (limit[start + h] - more - rows.get(chain, cells + of[h])) >>> 31;
        }
        return n;
    }

    /** R2 and initial readers: everyone who read what the writer overwrote comes before it. */
    private void readersBefore(int writer, int n) {
        if (n == 0) {
            addReaders(0, key.initialReaders, writer);
            return;
        }
        boolean useful = false;
        for (int i = 0; i < n && !useful; i++) {
            useful = addsReaders(found[i], writer);
        }
        if (useful) {
            int maximal = maximal(n);
            for (int i = 0; i < maximal; i++) {
                addReaders(key.readFrom[found[i]], key.readTo[found[i]], writer);
            }
        }
    }

    /** Keeps in {@code found} those that reach no other of it. @return how many */
    private int maximal(int n) {
        int count = n;
        int at = 0;
        while (at < count) {
            int w = found[at];
            int chain = key.chain(w);
            int cells = key.begins[w] * stride;
            int kept = 0;
            int next = 0;
            for (int j = 0; j < count; j++) {
                int other = found[j];
                if (j == at || rows.get(chain, cells + key.chain(other)) <= key.commit(other)) {
                    found[kept++] = other;
                }
                if (j == at) {
                    next = kept;
                }
            }
            count = kept;
            at = next;
        }
        return count;
    }

    /** Whether {@link #addReaders} would add anything for a version: usually not. */
    private boolean addsReaders(int version, int writer) {
        int chain = key.chain(writer);
        int cells = key.commit(writer) * stride;
        for (int r = key.readFrom[version]; r < key.readTo[version]; r++) {
            if (rows.get(chain, cells + key.readerChains[r]) <= key.readerBegins[r]
                    && key.readers[r] != key.transactions[writer]) {
                return true;
            }
        }
        return false;
    }

    /** Puts the readers of a version, the last of each session, before the writer. */
    private void addReaders(int from, int to, int writer) {
        int[] readers = key.readers;
        int[] readerChains = key.readerChains;
        int transaction = key.transactions[writer];
        int chain = key.chain(writer);
        int cells = key.commit(writer) * stride;
        for (int r = from; r < to; r++) {
            int c = readerChains[r];
            if (r + 1 < to && readerChains[r + 1] == c && readers[r + 1] != transaction) {
                continue;
            }
            if (readers[r] != transaction && rows.get(chain, cells + c) <= key.readerBegins[r]) {
                forced.add(readers[r] << shift, (transaction << shift) | shift);
            }
        }
    }

    /** R1 and R0: what the writer's readers have before them beyond its front, or begins before it commits, precedes it. */
    private void writersBefore(int writer, int front) {
        int to = key.readTo[writer];
        int n = 0;
        for (int r = key.readFrom[writer]; r < to; r++) {
            int c = key.readerChains[r];
            if (r + 1 == to || key.readerChains[r + 1] != c) {
                n = collect(c, key.readerBegins[r] * stride, front, 0, n);
            }
        }
        if (shift == 1) {
            // begin < bound iff commit = begin + 1 < bound + 1, for begins are even and commits odd.
            n = collect(key.chain(writer), key.commit(writer) * stride, front, 1, n);
        }
        for (int i = 0; i < n; i++) {
            int h = found[i];
            found[i] = foundAt[h];
            foundAt[h] = -1;
        }
        int maximal = n > 1 ? maximal(n) : n;
        int target = key.transactions[writer] << shift;
        for (int i = 0; i < maximal; i++) {
            forced.add((key.transactions[found[i]] << shift) | shift, target);
        }
    }

    /** Adds to {@code found} the groups of which the row has more than the front, and to {@code foundAt} the last writer. */
    private int collect(int chain, int cells, int front, int more, int known) {
        int n = known;
        int count = beyond(chain, cells, front, more);
        for (int m = 0; m < count; m++) {
            int h = hits[m];
            int bound = rows.get(chain, cells + key.groupChains[h]) + more;
            int last = key.firstNotBelow(firsts[front + h] + 1, key.groupStarts[h + 1], bound) - 1;
            if (foundAt[h] < 0) {
                found[n++] = h;
            }
            foundAt[h] = Math.max(foundAt[h], last);
        }
        return n;
    }
}
