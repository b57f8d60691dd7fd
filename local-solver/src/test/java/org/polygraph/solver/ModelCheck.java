package org.polygraph.solver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Checks an order by the definition, with no code of the search. O(input log largest key).
 */
final class ModelCheck {
    private ModelCheck() {}

    /** Solves, and checks the order if there is one. */
    static Outcome solve(Polygraph p, SolverOptions options) {
        Outcome outcome = new Solver().solve(p, options);
        if (outcome instanceof Outcome.Satisfiable found) {
            assertThat(firstFault(p, found.position(), found.committed())).isNull();
        }
        return outcome;
    }

    /** The first fault of the order, or null if it has none. */
    private static @Nullable String firstFault(Polygraph p, int[] position, boolean @Nullable [] committed) {
        int events = p.events();
        int[] eventAt = new int[events];
        Arrays.fill(eventAt, -1);
        for (int e = 0; e < events; e++) {
            if (position[e] < 0 || position[e] >= events || eventAt[position[e]] != -1) {
                return "position " + position[e] + " of event " + e + " is out of range or taken";
            }
            eventAt[position[e]] = e;
        }
        for (int e = 0; e < events; e++) {
            for (int i = p.predecessorStart[e]; i < p.predecessorStart[e + 1]; i++) {
                if (position[p.predecessor[i]] >= position[e]) {
                    return "the known edge " + p.predecessor[i] + " -> " + e + " is reversed";
                }
            }
        }
        for (int t = 0; p.eventsPerTransaction == 2 && t < p.transactions; t++) {
            if (position[p.snapshot(t)] >= position[p.commit(t)]) {
                return "transaction " + t + " commits before its snapshot";
            }
        }
        for (int k = 0; k < p.keys(); k++) {
            String fault = firstFault(p, k, position, committed);
            if (fault != null) {
                return fault;
            }
        }
        return null;
    }

    private static @Nullable String firstFault(Polygraph p, int key, int[] position, boolean @Nullable [] committed) {
        int writers = 0;
        long[] commits = new long[p.writerStart[key + 1] - p.writerStart[key]];
        for (int w = p.writerStart[key]; w < p.writerStart[key + 1]; w++) {
            if (counts(p, committed, p.writerTxn[w])) {
                commits[writers++] = (long) position[p.commit(p.writerTxn[w])] << 32 | w;
            }
        }
        Arrays.sort(commits, 0, writers);
        for (int i = 1; i < writers; i++) {
            int before = p.writerTxn[(int) commits[i - 1]];
            int after = p.writerTxn[(int) commits[i]];
            if (p.bindsNext(key, p.writerClass[(int) commits[i - 1]])
                    && position[p.commit(before)] > position[p.snapshot(after)]) {
                return "writers " + before + " and " + after + " of key " + key + " overlap";
            }
        }
        for (int r = p.readerStart[key]; r < p.readerStart[key + 1]; r++) {
            if (!counts(p, committed, p.readerTxn[r])) {
                continue;
            }
            long read = (long) position[p.readAt(key, p.readerTxn[r])] << 32;
            int found = Arrays.binarySearch(commits, 0, writers, read);
            // Only the reader's own write, as writer 0, can equal the read, which does not return it.
            int below = found < 0 ? ~found : found;
            int seen = below == 0 ? Polygraph.INITIAL : p.writerClass[(int) commits[below - 1]];
            if (seen != p.readerClass[r]) {
                return "transaction " + p.readerTxn[r] + " reads class " + p.readerClass[r] + " of key " + key
                        + " where the order gives " + seen;
            }
        }
        return null;
    }

    private static boolean counts(Polygraph p, boolean @Nullable [] committed, int txn) {
        return !p.isOptional(txn) || (committed != null && committed[txn]);
    }
}
