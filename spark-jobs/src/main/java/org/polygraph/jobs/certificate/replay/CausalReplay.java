package org.polygraph.jobs.certificate.replay;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.ReadSources;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;

/**
 * Replays CC in the order of commits. A transaction that precedes another by session order and reads commits before it.
 * So at each read the writers of the key so far are visited from the latest to the one that was read: none of them may
 * precede the reader.
 *
 * <p>A row per transaction holds how many transactions of each session precede it: the maximum of the rows of the
 * session's previous transaction and of the sources. If rows of all sessions do not fit in memory, the order is replayed
 * several times, with the writers of a block of sessions each time.
 *
 * <p>Time: at most operations times sessions, because beyond {@value #FEW} writers the last preceding one of each
 * session is found by binary search. Memory: 4 bytes per transaction and session of a block, 16 per write, 12 per key.
 */
final class CausalReplay {
    private static final int FEW = 128;
    /** Rows take at most this share of all memory, if they have more than {@link #LEAST} sessions. */
    private static final int SHARE = 4;

    private static final int LEAST = 64;

    /** Rows are allocated in blocks of 256. */
    private static final int BLOCK_SHIFT = 8;

    private final HistoryTable table;
    private final int[] sources;
    private final boolean[] counted;
    private final int[] position;
    private final int[] starts;
    private final int[] keys;
    private final int[] sessionStarts;
    private final int sessions;
    private final int[] sessionOf;
    private final int[][] rows;
    /** The sessions of this replay: from the first one, as many as a row has. */
    private int first;

    private int columns;

    /**
     * The writers of key k so far, in commit order and of these sessions: [writerStarts[k], writerEnds[k]), each as
     * (session, number in it).
     */
    private final int[] writerStarts;

    private final int[] writerEnds;
    private final long[] writers;
    /** All writers of key k by session: [writerStarts[k], bySessionEnds[k]); computed when first needed. */
    private long[] bySession = new long[0];

    private int[] bySessionEnds = new int[0];

    CausalReplay(HistoryTable table, boolean[] counted, int[] sources, int[] position) {
        this.table = table;
        this.counted = counted;
        this.sources = sources;
        this.position = position;
        starts = table.operationStarts();
        keys = table.operationKeys();
        sessionStarts = table.sessionStarts();
        sessions = table.sessions();
        sessionOf = new int[table.transactions()];
        for (int s = 0; s < sessions; s++) {
            Arrays.fill(sessionOf, sessionStarts[s], sessionStarts[s + 1], s);
        }
        rows = new int[(table.transactions() >> BLOCK_SHIFT) + 1][];
        writerStarts = writerStarts(table);
        writerEnds = Arrays.copyOf(writerStarts, writerStarts.length - 1);
        writers = new long[writerStarts[writerStarts.length - 1]];
    }

    /** By key: the number of writes of the keys before it; and the number of all writes. */
    static int[] writerStarts(HistoryTable table) {
        int[] starts = new int[table.keys().size() + 1];
        for (int keyAndKind : table.operationKeys()) {
            starts[Operations.key(keyAndKind) + 1] += keyAndKind & 1;
        }
        for (int k = 1; k < starts.length; k++) {
            starts[k] += starts[k - 1];
        }
        return starts;
    }

    /** @param order the counted transactions in commit order, and negative numbers; @return a discrepancy, or null */
    @Nullable
    String run(int[] order) {
        long most = Runtime.getRuntime().maxMemory() / SHARE / (4L * Math.max(1, table.transactions()));
        return run(order, (int) Math.min(sessions, Math.max(LEAST, most)));
    }

    /** The same, with so many sessions at once. */
    @Nullable
    String run(int[] order, int block) {
        String wrong = null;
        Arrays.fill(rows, null);
        for (first = 0; first < sessions && wrong == null; first += block) {
            columns = block;
            System.arraycopy(writerStarts, 0, writerEnds, 0, writerEnds.length);
            wrong = replay(order);
        }
        return wrong;
    }

    private @Nullable String replay(int[] order) {
        int[] latest = new int[sessions];
        Arrays.fill(latest, -1);
        for (int t : order) {
            if (t < 0) {
                continue;
            }
            int session = sessionOf[t];
            String wrong = reach(t, latest[session]);
            for (int o = starts[t]; o < starts[t + 1] && wrong == null; o++) {
                if (sources[o] != ReadSources.NONE && isStale(t, o)) {
                    wrong = AxiomReplay.stale(table, o, sources[o]);
                }
            }
            if (wrong != null) {
                return wrong;
            }
            for (int o = starts[t]; isInBlock(session) && o < starts[t + 1]; o++) {
                if (Operations.isWrite(keys[o])) {
                    write(Operations.key(keys[o]), entry(t));
                }
            }
            latest[session] = t;
        }
        return null;
    }

    private boolean isInBlock(int session) {
        return session >= first && session - first < columns;
    }

    private long entry(int t) {
        return (long) sessionOf[t] << 32 | t - sessionStarts[sessionOf[t]];
    }

    private void write(int key, long entry) {
        int end = writerEnds[key];
        // A transaction that writes the key again is the last entry already.
        if (end == writerStarts[key] || writers[end - 1] != entry) {
            writers[end] = entry;
            writerEnds[key]++;
        }
    }

    private int[] block(int t) {
        int[] block = rows[t >> BLOCK_SHIFT];
        if (block == null) {
            block = new int[Math.multiplyExact(columns, Math.min(1 << BLOCK_SHIFT, table.transactions()))];
            rows[t >> BLOCK_SHIFT] = block;
        }
        return block;
    }

    private int at(int t) {
        return (t & (1 << BLOCK_SHIFT) - 1) * columns;
    }

    /**
     * Computes the row of t.
     *
     * @param before the session's previous transaction, or -1
     */
    private @Nullable String reach(int t, int before) {
        int[] row = block(t);
        int at = at(t);
        int own = sessionOf[t];
        if (before < 0) {
            Arrays.fill(row, at, at + columns, 0);
        } else {
            System.arraycopy(block(before), at(before), row, at, columns);
        }
        if (before >= 0 && isInBlock(own)) {
            row[at + own - first] = before - sessionStarts[own] + 1;
        }
        for (int o = starts[t]; o < starts[t + 1]; o++) {
            int source = sources[o];
            if (source < 0) {
                continue;
            }
            if (position[source] >= position[t]) {
                return AxiomReplay.later(table, o, source);
            }
            int session = sessionOf[source];
            int number = source - sessionStarts[session];
            if (!isInBlock(session)) {
                max(row, at, block(source), at(source), columns);
            } else if (row[at + session - first] <= number) {
                // Otherwise t has the row of the source already, because transactions that precede the source precede
                // t.
                max(row, at, block(source), at(source), columns);
                row[at + session - first] = number + 1;
            }
        }
        return null;
    }

    private static void max(int[] row, int at, int[] other, int from, int length) {
        for (int i = 0; i < length; i++) {
            row[at + i] = Math.max(row[at + i], other[from + i]);
        }
    }

    /** Whether a writer of the key that precedes t commits after the one that was read. */
    private boolean isStale(int t, int o) {
        int key = Operations.key(keys[o]);
        int[] row = block(t);
        int at = at(t);
        int read = sources[o] == ReadSources.INITIAL ? -1 : position[sources[o]];
        int end = writerEnds[key];
        int begin = writerStarts[key];
        int few = Math.max(begin, end - FEW);
        for (int w = end - 1; w >= few; w--) {
            long writer = writers[w];
            int session = (int) (writer >>> 32);
            if (position[sessionStarts[session] + (int) writer] <= read) {
                return false;
            }
            if (row[at + session - first] > (int) writer) {
                return true;
            }
        }
        return few > begin && isStaleBySession(key, row, at, sources[o]);
    }

    private boolean isStaleBySession(int key, int[] row, int at, int source) {
        if (bySession.length == 0) {
            group();
        }
        int place = source == ReadSources.INITIAL ? -1 : position[source];
        for (int s = first; s < Math.min(sessions, first + columns); s++) {
            // Of the preceding writers of a session, the last one commits last.
            int w = Arrays.binarySearch(
                    bySession, writerStarts[key], bySessionEnds[key], (long) s << 32 | row[at + s - first]);
            // Entries of one transaction may repeat; every one before the bound precedes t.
            w = w < 0 ? -w - 2 : firstLike(w, writerStarts[key]) - 1;
            if (w >= writerStarts[key]
                    && (int) (bySession[w] >>> 32) == s
                    && position[sessionStarts[s] + (int) bySession[w]] > place) {
                return true;
            }
        }
        return false;
    }

    /** The first entry equal to the one at w. */
    private int firstLike(int w, int from) {
        int first = w;
        while (first > from && bySession[first - 1] == bySession[w]) {
            first--;
        }
        return first;
    }

    private void group() {
        int[] next = Arrays.copyOf(writerStarts, writerStarts.length - 1);
        bySession = new long[writers.length];
        for (int t = 0; t < counted.length; t++) {
            for (int o = starts[t]; counted[t] && o < starts[t + 1]; o++) {
                if (Operations.isWrite(keys[o])) {
                    bySession[next[Operations.key(keys[o])]++] = entry(t);
                }
            }
        }
        bySessionEnds = next;
    }
}
