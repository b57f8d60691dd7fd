package org.polygraph.jobs.certificate.replay;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;

/**
 * Replays RC, RA or CC: checks by definition that a commit order satisfies the axiom (Biswas and Enea, OOPSLA 2019,
 * figure 2). If t3 reads x from t1 and sees another writer t2 of x, t2 must commit before t1. At RC t3 sees the
 * transactions that it read from before this read; at RA the sources of all its reads, and the transactions that its
 * session ran earlier; at CC all transactions that precede it by session order and reads ({@link CausalReplay}). Values
 * identify the transaction that a read read from ({@link SourcesByValue}); if two counted transactions left a value,
 * the source is the latest one before the read in the order.
 *
 * <p>Time: for RC and RA, proportional to the writes of the sources of all reads. Memory: 4 bytes per operation and 8
 * per key (RA 16).
 */
final class AxiomReplay {
    private final HistoryTable table;
    private final Guarantee guarantee;
    private final boolean[] counted;
    private final int[] position;
    private final int[] starts;
    private final int[] keys;
    private final SourcesByValue found;
    private final int[] sources;

    /**
     * By key: (the transaction being checked, place of the latest writer that it sees). Transactions and, within one,
     * places only grow, so the larger of two entries is the current one.
     */
    private final long[] seen;

    /** RA, by key: (session, place of its last writer so far); of two entries the larger is the current one. */
    private final long[] ran;

    AxiomReplay(Witness witness) {
        table = witness.table();
        guarantee = witness.terms().guarantee();
        counted = witness.counted();
        position = witness.position();
        starts = table.operationStarts();
        keys = table.operationKeys();
        found = new SourcesByValue(table, counted);
        sources = found.sources;
        seen = new long[guarantee == Guarantee.CC ? 0 : table.keys().size()];
        ran = new long[guarantee == Guarantee.RA ? table.keys().size() : 0];
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

    /** Whether the replay ended at a read of a value that several transactions left. */
    boolean isAmbiguous() {
        return found.isAmbiguous;
    }

    /** @param order the counted transactions in commit order; @return the first discrepancy, or null */
    @Nullable
    String run(int[] order) {
        String wrong = found.find();
        if (wrong == null) {
            return obeyed(order);
        }
        for (int choice = 0;
                found.isAmbiguous && wrong != null && choice < (guarantee == Guarantee.CC ? 1 : 2);
                choice++) {
            if (new ChosenSources(table, guarantee, order, position, sources, choice == 0).misreads(1).length == 0) {
                wrong = obeyed(order);
            }
        }
        return wrong;
    }

    /** The first read that contradicts the axiom with the sources that were found; or null. */
    private @Nullable String obeyed(int[] order) {
        String wrong = null;
        if (guarantee == Guarantee.CC) {
            return new CausalReplay(table, counted, sources, position).run(order);
        }
        Arrays.fill(seen, -1);
        Arrays.fill(ran, -1);
        for (int s = 0; s < table.sessions() && wrong == null; s++) {
            int end = table.transactionsEnd(s);
            for (int t = table.firstTransaction(s); t < end && wrong == null; t++) {
                if (counted[t]) {
                    wrong = guarantee == Guarantee.RA ? atomic(t, s) : committed(t);
                }
            }
        }
        return wrong;
    }

    /** RC: each read sees the sources of the reads before it. */
    private @Nullable String committed(int t) {
        for (int o = starts[t]; o < starts[t + 1]; o++) {
            if (sources[o] != SourcesByValue.NONE) {
                String wrong = checkRead(t, o);
                if (wrong != null) {
                    return wrong;
                }
                see(t, sources[o]);
            }
        }
        return null;
    }

    /** RA: each read sees the sources of all reads, and the transactions that its session ran earlier. */
    private @Nullable String atomic(int t, int session) {
        for (int o = starts[t]; o < starts[t + 1]; o++) {
            if (sources[o] != SourcesByValue.NONE) {
                see(t, sources[o]);
            }
        }
        for (int o = starts[t]; o < starts[t + 1]; o++) {
            if (sources[o] != SourcesByValue.NONE) {
                String wrong = checkRead(t, o);
                if (wrong == null && ran[Operations.key(keys[o])] > entry(session, sources[o])) {
                    wrong = stale(table, o, sources[o]);
                }
                if (wrong != null) {
                    return wrong;
                }
            }
        }
        for (int o = starts[t]; o < starts[t + 1]; o++) {
            if (Operations.isWrite(keys[o])) {
                ran[Operations.key(keys[o])] = entry(session, t);
            }
        }
        return null;
    }

    /** A pair of a number and the place of a transaction, which is 0 for the initial one. */
    private long entry(int number, int transaction) {
        return (long) number << 32 | (transaction == SourcesByValue.INITIAL ? 0 : position[transaction] + 1);
    }

    private @Nullable String checkRead(int t, int o) {
        int source = sources[o];
        if (source != SourcesByValue.INITIAL && position[source] >= position[t]) {
            return later(table, o, source);
        }
        return seen[Operations.key(keys[o])] > entry(t, source) ? stale(table, o, source) : null;
    }

    private void see(int t, int source) {
        if (source == SourcesByValue.INITIAL) {
            return;
        }
        long entry = entry(t, source);
        for (int o = starts[source]; o < starts[source + 1]; o++) {
            // A read becomes -1, which changes no maximum. A branch would be mispredicted, because half of the
            // operations are writes.
            int key = Operations.key(keys[o]);
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
