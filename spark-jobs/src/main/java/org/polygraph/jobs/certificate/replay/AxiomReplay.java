package org.polygraph.jobs.certificate.replay;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.jobs.certificate.format.ReadSources;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;

/**
 * Checks by definition that a commit order satisfies the axiom of CC, RA, RC or PL2 (Biswas and Enea, OOPSLA 2019,
 * figure 2). If t3 reads x from t1 and sees another writer t2 of x, t2 must commit before t1. At RC t3 sees the
 * transactions that statements before this read read from; at RA the sources of all its reads, and the transactions
 * that its session ran earlier; at PL2 nothing; at CC all transactions that precede it by session order and reads
 * ({@link CausalReplay}).
 *
 * <p>Time: for RC and RA, proportional to the writes of the sources of all reads. Memory: 8 bytes per key (RA 16).
 */
final class AxiomReplay {
    private final HistoryTable table;
    private final Guarantee guarantee;
    private final boolean[] counted;
    private final int[] position;
    private final int[] starts;
    private final int[] keys;
    private final int[] sources;
    private final int[] statements;

    /**
     * By key: (the transaction being checked, place of the latest writer that it sees). Transactions and, within one,
     * places only grow, so the larger of two entries is the current one.
     */
    private final long[] seen;

    /** RA, by key: (session, place of its last writer so far); of two entries the larger is the current one. */
    private final long[] ran;

    /** @param found the sources of all reads of counted transactions; each commits before its reader or is later */
    AxiomReplay(Witness witness, NamedSources found) {
        table = witness.table();
        guarantee = witness.terms().guarantee();
        counted = witness.counted();
        position = witness.position();
        starts = table.operationStarts();
        keys = table.operationKeys();
        sources = found.found;
        statements = found.statements();
        seen = new long[guarantee == Guarantee.CC ? 0 : table.keys().size()];
        ran = new long[guarantee == Guarantee.RA ? table.keys().size() : 0];
    }

    /** @param order the counted transactions in commit order; @return the first discrepancy, or null */
    @Nullable
    String run(int[] order) {
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

    /** RC and PL2: each read sees the sources of the statements before it. */
    private @Nullable String committed(int t) {
        int unseen = starts[t];
        for (int o = starts[t]; o < starts[t + 1]; o++) {
            if (sources[o] != ReadSources.NONE) {
                for (; statements[unseen] < statements[o]; unseen++) {
                    see(t, sources[unseen]);
                }
                String wrong = checkRead(t, o);
                if (wrong != null) {
                    return wrong;
                }
            }
        }
        return null;
    }

    /** RA: each read sees the sources of all reads, and the transactions that its session ran earlier. */
    private @Nullable String atomic(int t, int session) {
        for (int o = starts[t]; o < starts[t + 1]; o++) {
            if (sources[o] != ReadSources.NONE) {
                see(t, sources[o]);
            }
        }
        for (int o = starts[t]; o < starts[t + 1]; o++) {
            if (sources[o] != ReadSources.NONE) {
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
        return (long) number << 32 | (transaction == ReadSources.INITIAL ? 0 : position[transaction] + 1);
    }

    private @Nullable String checkRead(int t, int o) {
        int source = sources[o];
        if (source != ReadSources.INITIAL && position[source] >= position[t]) {
            return later(table, o, source);
        }
        return seen[Operations.key(keys[o])] > entry(t, source) ? stale(table, o, source) : null;
    }

    private void see(int t, int source) {
        if (source < 0 || guarantee == Guarantee.PL2) {
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
                + (source == ReadSources.INITIAL ? "the initial state" : Names.transaction(table, source))
                + ", but sees a later writer of the key";
    }
}
