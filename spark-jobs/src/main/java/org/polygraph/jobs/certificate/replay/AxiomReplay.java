package org.polygraph.jobs.certificate.replay;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.storage.table.HistoryTable;

/**
 * Replays RC, RA or CC: whether a commit order obeys the axiom, by definition (Biswas and Enea, OOPSLA 2019, figure 2).
 * Where t3 reads x from t1 and sees another writer t2 of x, t2 must commit before t1. Seen are, under RC, the writers of
 * what t3 read before; under RA, of all it read, and what its session ran earlier; under CC, all that reaches it by session
 * order and reads ({@link CausalReplay}). Who read from whom is told by values ({@link SourcesByValue}), so where two
 * counted transactions left a value, the latest one before the read in the order is taken.
 *
 * <p>Time: RC and RA, a read and its writer's writes at a time. Memory: 4 bytes an operation and 8 a key (RA 16).
 */
final class AxiomReplay {
    private static final int AHEAD = 32;

    private final HistoryTable table;
    private final Guarantee promise;
    private final boolean[] counted;
    private final int[] position;
    private final int[] starts;
    private final int[] keys;
    private final SourcesByValue found;
    private final int[] sources;

    /**
     * Per key: (number of the transaction that is looked at, place of the latest writer that it sees). Numbers and, in a
     * transaction, places only grow, so the larger of two entries is the one that holds.
     */
    private final long[] seen;

    /** Keeps the compiler from leaving the reads out. */
    @SuppressWarnings("UnusedVariable")
    private int fetched;

    /** RA, per key: (session, place of its last writer so far), likewise. */
    private final long[] ran;

    AxiomReplay(Witness witness) {
        table = witness.table();
        promise = witness.terms().promise();
        counted = witness.counted();
        position = witness.position();
        starts = table.operationStarts();
        keys = table.operationKeys();
        found = new SourcesByValue(table, counted);
        sources = found.sources;
        seen = new long[promise == Guarantee.CC ? 0 : table.keys().size()];
        ran = new long[promise == Guarantee.RA ? table.keys().size() : 0];
    }

    long reads() {
        return found.reads;
    }

    long ownReads() {
        return found.ownReads;
    }

    long writes() {
        return found.writes;
    }

    /** Whether a read stopped it that several may have left. */
    boolean isAmbiguous() {
        return found.isAmbiguous;
    }

    /** @param order the counted transactions as they commit; @return the first discrepancy, or null */
    @Nullable
    String run(int[] order) {
        String wrong = found.find();
        if (wrong != null && !(found.isAmbiguous && isReadInOrder(order))) {
            return wrong;
        }
        wrong = null;
        if (promise == Guarantee.CC) {
            return new CausalReplay(table, counted, sources, position).run(order);
        }
        Arrays.fill(seen, -1);
        Arrays.fill(ran, -1);
        for (int s = 0; s < table.sessions() && wrong == null; s++) {
            int end = table.transactionsEnd(s);
            for (int t = table.firstTransaction(s); t < end && wrong == null; t++) {
                if (t % AHEAD == 0) {
                    fetch(t, Math.min(end, t + AHEAD));
                }
                if (counted[t]) {
                    wrong = promise == Guarantee.RA ? atomic(t, s) : committed(t);
                }
            }
        }
        return wrong;
    }

    /**
     * Takes as the source of each read the latest earlier transaction that left its value: any choice of sources under which the order
     * obeys the axiom is a proof. False if some read has none.
     */
    private boolean isReadInOrder(int[] order) {
        Map<KeyValue, Integer> latest = new HashMap<>();
        Map<Integer, Long> own = new HashMap<>();
        for (int t : order) {
            for (int o = t < 0 ? 0 : starts[t]; t >= 0 && o < starts[t + 1]; o++) {
                int key = table.key(o);
                long value = table.value(o);
                sources[o] = SourcesByValue.NONE;
                if (table.isWrite(o)) {
                    own.put(key, value);
                } else if (!own.containsKey(key)) {
                    int initial = value == table.initialValue() ? SourcesByValue.INITIAL : SourcesByValue.NONE;
                    sources[o] = latest.getOrDefault(new KeyValue(key, value), initial);
                    if (sources[o] == SourcesByValue.NONE) {
                        return false;
                    }
                }
            }
            own.forEach((key, value) -> latest.put(new KeyValue(key, value), t));
            own.clear();
        }
        return true;
    }

    private record KeyValue(int key, long value) {}

    /** RC: each read sees the writers of the reads before it. */
    private @Nullable String committed(int t) {
        for (int o = starts[t]; o < starts[t + 1]; o++) {
            if (sources[o] != SourcesByValue.NONE) {
                String wrong = isLatestSeen(t, o);
                if (wrong != null) {
                    return wrong;
                }
                see(t, sources[o]);
            }
        }
        return null;
    }

    /** RA: each read sees the writers of all reads, and what the session ran earlier. */
    private @Nullable String atomic(int t, int session) {
        for (int o = starts[t]; o < starts[t + 1]; o++) {
            if (sources[o] != SourcesByValue.NONE) {
                see(t, sources[o]);
            }
        }
        for (int o = starts[t]; o < starts[t + 1]; o++) {
            if (sources[o] != SourcesByValue.NONE) {
                String wrong = isLatestSeen(t, o);
                if (wrong == null && ran[keys[o] >>> 1] > entry(session, sources[o])) {
                    wrong = stale(table, o, sources[o]);
                }
                if (wrong != null) {
                    return wrong;
                }
            }
        }
        for (int o = starts[t]; o < starts[t + 1]; o++) {
            if ((keys[o] & 1) == 1) {
                ran[keys[o] >>> 1] = entry(session, t);
            }
        }
        return null;
    }

    /** Sources' operations are anywhere in memory: asked for side by side, before each is waited for in turn. */
    private void fetch(int from, int to) {
        int sum = 0;
        for (int o = starts[from]; o < starts[to]; o++) {
            if (sources[o] >= 0) {
                int begin = starts[sources[o]];
                sum += keys[begin] + keys[starts[sources[o] + 1] - 1] + position[sources[o]];
            }
        }
        fetched += sum;
    }

    /** The place of a transaction, after 0 for the initial one, behind a number. */
    private long entry(int number, int transaction) {
        return (long) number << 32 | (transaction == SourcesByValue.INITIAL ? 0 : position[transaction] + 1);
    }

    private @Nullable String isLatestSeen(int t, int o) {
        int source = sources[o];
        if (source != SourcesByValue.INITIAL && position[source] >= position[t]) {
            return later(table, o, source);
        }
        return seen[keys[o] >>> 1] > entry(t, source) ? stale(table, o, source) : null;
    }

    private void see(int t, int source) {
        if (source == SourcesByValue.INITIAL) {
            return;
        }
        long entry = entry(t, source);
        for (int o = starts[source]; o < starts[source + 1]; o++) {
            // What it read counts as -1, which changes nothing: half are writes, which no branch would foresee.
            int key = keys[o] >>> 1;
            seen[key] = Math.max(seen[key], entry | (keys[o] & 1) - 1);
        }
    }

    static String later(HistoryTable table, int o, int source) {
        return Names.read(table, o) + " from " + Names.transaction(table, source) + ", which commits later";
    }

    static String stale(HistoryTable table, int o, int source) {
        return Names.read(table, o) + " from "
                + (source == SourcesByValue.INITIAL ? "the initial state" : Names.transaction(table, source))
                + ", but sees a later writer of the key";
    }
}
