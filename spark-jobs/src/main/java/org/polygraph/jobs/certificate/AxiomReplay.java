package org.polygraph.jobs.certificate;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.columnar.HistoryTable;

/**
 * Replays RC, RA or CC: whether a commit order obeys the axiom, by definition (Biswas and Enea, OOPSLA 2019, figure 2).
 * Where t3 reads x from t1 and sees another writer t2 of x, t2 must commit before t1. Seen are, under RC, the writers of
 * what t3 read before; under RA, of all it read, and what its session ran earlier; under CC, all that reaches it by session
 * order and reads. Who read from whom is told by values, so a value that two counted transactions leave in a key shows
 * nothing: it is a discrepancy.
 *
 * <p>Time: RC and RA, a read and its writer's writes at a time; CC, operations times sessions. Memory: 12 to 20 bytes an
 * operation and 12 a key; CC 4 bytes a transaction and session besides.
 */
final class AxiomReplay {
    private static final int NOBODY = -1;
    private static final int NOTHING = -2;
    private static final int SEVERAL = -3;
    private static final int OWN = -4;
    /** Up to so many writers of a key each is looked at. */
    private static final int FEW = 64;

    private final HistoryTable table;
    private final Promise promise;
    private final boolean[] counted;
    private final int[] position;
    private final int[] starts;
    private final int[] operationKeys;
    private final long[] values;
    private final int[] sessionOf;

    /** Open addressing by key and value: the operation that leaves the value in the key, or {@link #NOBODY}. */
    private final int[] leaves;

    /** Its transaction, or {@link #SEVERAL}. */
    private final int[] leftBy;
    /** By operation: whom a read returned; {@link #OWN} for own writes. */
    private final int[] sources;
    /** Once needed, the counted transactions that write key k, ascending: writers[writerStarts[k] .. writerStarts[k + 1]). */
    private int[] writerStarts = new int[0];

    private int[] writers = new int[0];

    /** Per key: the place of the latest writer that the current transaction sees, if {@link #stamps} says it is current. */
    private final int[] latest;

    private final int[] stamps;
    private int stamp;
    /** CC: per transaction and session, how many of the session's transactions reach it. */
    private int @Nullable [][] reach;

    long reads;
    long ownReads;
    long writes;

    AxiomReplay(Witness witness) {
        table = witness.table();
        promise = witness.terms().promise();
        counted = witness.counted();
        position = witness.position();
        starts = table.operationStarts();
        operationKeys = table.operationKeys();
        values = table.operationValues();
        sessionOf = new int[table.transactions()];
        for (int s = 0; s < table.sessions(); s++) {
            Arrays.fill(sessionOf, table.sessionStarts()[s], table.sessionStarts()[s + 1], s);
        }
        int keys = table.keys().size();
        latest = new int[keys];
        stamps = new int[keys];
        int capacity = Integer.highestOneBit(Math.max(8, Math.min(1 << 29, table.operations()))) * 2;
        leaves = new int[capacity];
        Arrays.fill(leaves, NOBODY);
        leftBy = new int[capacity];
        sources = new int[table.operations()];
        Arrays.fill(sources, OWN);
        int[] last = new int[keys];
        for (int t = 0; t < counted.length; t++) {
            int transaction = t;
            eachFinalWrite(t, last, (key, operation) -> {
                int slot = slot(key, values[operation]);
                leftBy[slot] = leaves[slot] == NOBODY ? transaction : SEVERAL;
                leaves[slot] = operation;
            });
        }
    }

    private int slot(int key, long value) {
        int mask = leaves.length - 1;
        long h = (value * 0x9E3779B97F4A7C15L + key) * 0xC2B2AE3D27D4EB4FL;
        int i = (int) (h >>> 32) & mask;
        while (leaves[i] != NOBODY && (operationKeys[leaves[i]] >> 1 != key || values[leaves[i]] != value)) {
            i = (i + 1) & mask;
        }
        return i;
    }

    /** A write that its transaction leaves in the key. */
    private interface FinalWrite {
        void at(int key, int operation);
    }

    /** @param last per key: the last transaction looked at, plus one, so that each key comes once */
    private void eachFinalWrite(int t, int[] last, FinalWrite use) {
        if (!counted[t]) {
            return;
        }
        for (int o = starts[t + 1] - 1; o >= starts[t]; o--) {
            int key = operationKeys[o] >> 1;
            if ((operationKeys[o] & 1) == 1 && last[key] != t + 1) {
                last[key] = t + 1;
                use.at(key, o);
            }
        }
    }

    /** @param order the counted transactions as they commit; @return the first discrepancy, or null */
    @Nullable
    String run(int[] order) {
        if (promise == Promise.CC) {
            reach = new int[counted.length][];
            groupWriters();
        }
        for (int t : order) {
            if (t != NOBODY) {
                String wrong = sources(t);
                if (wrong != null) {
                    return wrong;
                }
            }
        }
        int[] lastWriters = new int[promise == Promise.RA ? table.keys().size() : 0];
        Arrays.fill(lastWriters, NOBODY);
        for (int t = 0; t < counted.length; t++) {
            if (counted[t]) {
                String wrong = obeys(t, lastWriters);
                if (wrong != null) {
                    return wrong;
                }
            }
        }
        return null;
    }

    /** Every read returns an own write, the initial value, or what one earlier transaction leaves; CC: who reaches t. */
    private @Nullable String sources(int t) {
        int[] row = null;
        int[][] rows = reach;
        if (rows != null) {
            row = new int[table.sessions()];
            int before = t - 1;
            while (before >= table.sessionStarts()[sessionOf[t]] && !counted[before]) {
                before--;
            }
            int[] earlier = before >= table.sessionStarts()[sessionOf[t]] ? rows[before] : null;
            if (earlier != null) {
                System.arraycopy(earlier, 0, row, 0, row.length);
            }
            row[sessionOf[t]] = t - table.sessionStarts()[sessionOf[t]];
            rows[t] = row;
        }
        for (int o = starts[t]; o < starts[t + 1]; o++) {
            if ((operationKeys[o] & 1) == 1) {
                writes++;
                continue;
            }
            reads++;
            int own = ownWrite(t, o);
            if (own != NOBODY) {
                ownReads++;
                if (values[own] != values[o]) {
                    return read(t, o) + ", but its own latest write is " + Names.value(table, values[own]);
                }
                continue;
            }
            int source = source(t, o);
            if (source < NOBODY) {
                return read(t, o) + (source == NOTHING ? ", which nobody left there" : ", which several left there");
            }
            if (source != NOBODY && position[source] >= position[t]) {
                return read(t, o) + " from " + name(source) + ", which commits later";
            }
            sources[o] = source;
            if (row != null && rows != null && source != NOBODY) {
                int[] from = rows[source];
                for (int s = 0; from != null && s < row.length; s++) {
                    row[s] = Math.max(row[s], from[s]);
                }
                int session = sessionOf[source];
                row[session] = Math.max(row[session], source - table.sessionStarts()[session] + 1);
            }
        }
        return null;
    }

    /** Whom a read that follows no own write returns: a transaction, {@link #NOBODY} for the initial value, or neither. */
    private int source(int t, int operation) {
        int slot = slot(operationKeys[operation] >> 1, values[operation]);
        boolean initial = values[operation] == table.initialValue();
        if (leaves[slot] == NOBODY || leftBy[slot] == t) {
            return initial ? NOBODY : NOTHING;
        }
        return leftBy[slot] == SEVERAL || initial ? among(t, operation, initial) : leftBy[slot];
    }

    /** The same where several left the value: the reader itself may be one of two. */
    private int among(int t, int operation, boolean initial) {
        if (writerStarts.length == 0) {
            groupWriters();
        }
        int key = operationKeys[operation] >> 1;
        int found = initial ? NOBODY : NOTHING;
        for (int w = writerStarts[key]; w < writerStarts[key + 1] && found != SEVERAL; w++) {
            if (writers[w] != t && leaves(writers[w], key) == values[operation]) {
                found = found == NOTHING ? writers[w] : SEVERAL;
            }
        }
        return found;
    }

    private long leaves(int writer, int key) {
        int o = starts[writer + 1] - 1;
        while (operationKeys[o] != (key << 1 | 1)) {
            o--;
        }
        return values[o];
    }

    private void groupWriters() {
        int keys = table.keys().size();
        writerStarts = new int[keys + 1];
        int[] last = new int[keys];
        for (int t = 0; t < counted.length; t++) {
            eachFinalWrite(t, last, (key, operation) -> writerStarts[key + 1]++);
        }
        for (int k = 0; k < keys; k++) {
            writerStarts[k + 1] += writerStarts[k];
        }
        int[] next = Arrays.copyOf(writerStarts, keys);
        writers = new int[writerStarts[keys]];
        Arrays.fill(last, 0);
        for (int t = 0; t < counted.length; t++) {
            int transaction = t;
            eachFinalWrite(t, last, (key, operation) -> writers[next[key]++] = transaction);
        }
    }

    private int ownWrite(int t, int operation) {
        for (int o = operation - 1; o >= starts[t]; o--) {
            if (operationKeys[o] == (operationKeys[operation] | 1)) {
                return o;
            }
        }
        return NOBODY;
    }

    private @Nullable String obeys(int t, int[] lastWriters) {
        stamp++;
        if (promise == Promise.RA) {
            // All that t reads counts as seen by each of its reads.
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                if (sources[o] != OWN) {
                    see(sources[o]);
                }
            }
        }
        int sessionStart = table.sessionStarts()[sessionOf[t]];
        for (int o = starts[t]; o < starts[t + 1]; o++) {
            int source = sources[o];
            if (source == OWN) {
                continue;
            }
            int key = operationKeys[o] >> 1;
            int place = source == NOBODY ? NOBODY : position[source];
            int seen = stamps[key] == stamp ? latest[key] : NOBODY;
            if (promise == Promise.RA && lastWriters[key] >= sessionStart) {
                seen = Math.max(seen, position[lastWriters[key]]);
            } else if (promise == Promise.CC) {
                seen = latestReaching(t, key);
            }
            if (seen > place) {
                return read(t, o) + " from " + (source == NOBODY ? "the initial state" : name(source))
                        + ", but sees a later writer of the key";
            }
            if (promise == Promise.RC) {
                see(source);
            }
        }
        if (promise == Promise.RA) {
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                if ((operationKeys[o] & 1) == 1) {
                    lastWriters[operationKeys[o] >> 1] = t;
                }
            }
        }
        return null;
    }

    private void see(int source) {
        if (source == NOBODY) {
            return;
        }
        for (int o = starts[source]; o < starts[source + 1]; o++) {
            if ((operationKeys[o] & 1) == 1) {
                int key = operationKeys[o] >> 1;
                int before = stamps[key] == stamp ? latest[key] : NOBODY;
                stamps[key] = stamp;
                latest[key] = Math.max(before, position[source]);
            }
        }
    }

    /** CC: the place of the latest writer of the key that reaches t. */
    private int latestReaching(int t, int key) {
        int[][] rows = reach;
        int[] row = rows == null ? null : rows[t];
        int seen = NOBODY;
        if (row == null) {
            return seen;
        }
        int from = writerStarts[key];
        int to = writerStarts[key + 1];
        if (to - from > FEW) {
            for (int s = 0; s < row.length; s++) {
                // The last writer of the session that reaches t is its latest.
                int bound = table.sessionStarts()[s] + row[s];
                int at = Arrays.binarySearch(writers, from, to, bound);
                int last = (at < 0 ? -at - 1 : at) - 1;
                if (last >= from && writers[last] >= table.sessionStarts()[s]) {
                    seen = Math.max(seen, position[writers[last]]);
                }
            }
            return seen;
        }
        for (int w = from; w < to; w++) {
            int session = sessionOf[writers[w]];
            if (writers[w] - table.sessionStarts()[session] < row[session]) {
                seen = Math.max(seen, position[writers[w]]);
            }
        }
        return seen;
    }

    private String read(int t, int operation) {
        return name(t) + " read key " + Names.key(table, operationKeys[operation] >> 1) + " = "
                + Names.value(table, values[operation]);
    }

    private String name(int t) {
        return Names.transaction(table, t);
    }
}
