package org.polygraph.jobs.certificate.judge;

import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.replay.ListStates;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Judges a small history at CC, RA, RC or PL2. It tries every choice of a source for each read, and checks each choice
 * by the definition of Biswas and Enea (OOPSLA 2019, figure 2) on a matrix of transactions:
 *
 * <ul>
 *   <li>the commit order extends session order and reads-from; the implicit transaction that wrote the initial values
 *       is first;
 *   <li>if t3 reads a key from t1, and t3 sees t2, which writes the key too, then t2 committed before t1. It sees t2 at
 *       RC if an earlier read of t3 read from t2, at RA if t2 comes directly before it in session order or reads-from,
 *       at CC if there is a path of these, at PL2 never;
 *   <li>the transactions that appended to a list commit in the order of its versions;
 *   <li>a read after an own write returns it; at RA and CC two reads of a key without an own write before them agree.
 * </ul>
 *
 * <p>A commit order exists iff these pairs have no cycle. An indeterminate transaction counts iff a counted one is
 * chosen to read from it, because counting more transactions only adds pairs.
 *
 * <p>Time: choices x transactions^2. With more than {@link #MOST_CHOICES} choices the answer is TOO_LARGE.
 */
final class AxiomBruteForce {
    private static final int MOST_CHOICES = 1 << 16;

    /** A row is a long with a bit per transaction and one for the initial transaction. */
    private static final int MOST_TRANSACTIONS = Long.SIZE - 1;

    private static final int MOST_READS = 1 << 10;

    private final HistoryTable history;
    private final Terms terms;
    private final @Nullable ListStates lists;
    /** Transaction t is node t + 1; node 0 wrote the initial values. */
    private final int nodes;

    /** The external reads of counted transactions, as operations, in the order in which these came to count. */
    private final int[] reads;

    private final int[] readers;
    private final int[] sources;
    private int readCount;
    private final boolean[] counted;
    private int choices;
    private final BooleanSupplier stop;
    /** By operation: the number of its statement, in the order in which the transaction ran them. */
    private final int[] statements;

    private AxiomBruteForce(HistoryTable history, Terms terms, @Nullable ListStates lists, BooleanSupplier stop) {
        this.stop = stop;
        this.lists = lists;
        this.history = history;
        this.terms = terms;
        nodes = history.transactions() + 1;
        reads = new int[history.operations()];
        readers = new int[history.operations()];
        sources = new int[history.operations()];
        counted = new boolean[nodes];
        int[] known = history.statements();
        statements = known == null ? IntStream.range(0, history.operations()).toArray() : known;
    }

    /**
     * Judges a history.
     *
     * @param lists the recorded lists of the history; null if there are none
     * @param stop whether to stop, with the answer TOO_LARGE; called for each choice
     */
    static BruteForce.Answer judge(
            HistoryTable history, Terms terms, @Nullable ListStates lists, BooleanSupplier stop) {
        if (history.transactions() > MOST_TRANSACTIONS || history.operations() > MOST_READS) {
            return BruteForce.Answer.TOO_LARGE;
        }
        AxiomBruteForce all = new AxiomBruteForce(history, terms, lists, stop);
        all.counted[0] = true;
        for (int t = 0; t < history.transactions(); t++) {
            if (history.status(t) == TransactionStatus.COMMITTED && !all.count(t)) {
                return BruteForce.Answer.VIOLATED;
            }
        }
        if (all.choose(0)) {
            return BruteForce.Answer.HOLDS;
        }
        return all.choices > MOST_CHOICES ? BruteForce.Answer.TOO_LARGE : BruteForce.Answer.VIOLATED;
    }

    /** Counts a transaction and appends its external reads; returns false if it contradicts itself. */
    private boolean count(int t) {
        counted[t + 1] = true;
        if (history.firstRepeatedRow(t) >= 0) {
            return false;
        }
        for (int o = history.firstOperation(t); o < history.operationsEnd(t); o++) {
            if (history.isWrite(o)) {
                continue;
            }
            int own = history.lastWrite(t, history.key(o), o);
            int first = history.firstRead(t, history.key(o));
            if (own >= 0) {
                if (value(own) != value(o)) {
                    return false;
                }
            } else if (first != o && !terms.guarantee().readsAlone()) {
                if (value(first) != value(o)) {
                    return false;
                }
            } else {
                reads[readCount] = o;
                readers[readCount++] = t + 1;
            }
        }
        return true;
    }

    private long value(int o) {
        return history.value(o);
    }

    /** Tries every source of read i and of the reads after it. */
    private boolean choose(int i) {
        if (stop.getAsBoolean()) {
            choices = MOST_CHOICES + 1;
        }
        // Further choices only add pairs, so a cycle among the pairs of the first i reads remains.
        if (choices++ >= MOST_CHOICES || !hasOrder(i)) {
            return false;
        }
        if (i == readCount) {
            return true;
        }
        if (value(reads[i]) == history.initialValue(history.key(reads[i])) && chosen(i, 0)) {
            return true;
        }
        for (int t = 0; t < history.transactions() && choices <= MOST_CHOICES; t++) {
            if (terms.mayCount(history.statuses()[t]) && isSource(t, i) && chosen(i, t + 1)) {
                return true;
            }
        }
        return false;
    }

    private boolean isSource(int t, int i) {
        int write = history.lastWrite(t, history.key(reads[i]));
        return t + 1 != readers[i] && write >= 0 && value(write) == value(reads[i]);
    }

    private boolean chosen(int i, int source) {
        int before = readCount;
        boolean isNew = !counted[source];
        sources[i] = source;
        boolean found = (!isNew || count(source - 1)) && choose(i + 1);
        if (isNew) {
            counted[source] = false;
            readCount = before;
        }
        return found;
    }

    /** Whether the pairs that the first reads require have no cycle. */
    private boolean hasOrder(int chosen) {
        long[] direct = new long[nodes];
        direct[0] = (-1L >>> (Long.SIZE - nodes)) & ~1L;
        for (int a = 1; a < nodes; a++) {
            for (int b = a + 1; b < nodes && history.sessionOf(a - 1) == history.sessionOf(b - 1); b++) {
                direct[a] |= counted[a] && counted[b] ? 1L << b : 0;
            }
        }
        for (int i = 0; i < chosen; i++) {
            direct[sources[i]] |= 1L << readers[i];
        }
        long[] paths = direct.clone();
        if (!close(paths)) {
            return false;
        }
        long[] order = paths.clone();
        for (int i = 0; i < chosen; i++) {
            for (int seen = 1; seen < nodes; seen++) {
                if (counted[seen] && seen != sources[i] && seen != readers[i] && writes(seen, i)) {
                    boolean sees =
                            switch (terms.guarantee()) {
                                case RC -> hasReadFrom(i, seen);
                                case PL2 -> false;
                                case RA -> (direct[seen] >> readers[i] & 1) == 1;
                                default -> (paths[seen] >> readers[i] & 1) == 1;
                            };
                    order[seen] |= sees ? 1L << sources[i] : 0;
                }
            }
        }
        if (lists != null) {
            lists.pairs((first, second) ->
                    order[first + 1] |= counted[first + 1] && counted[second + 1] ? 1L << second + 1 : 0);
        }
        return close(order);
    }

    private boolean writes(int node, int i) {
        return history.lastWrite(node - 1, history.key(reads[i])) >= 0;
    }

    /** Whether a read of an earlier statement of the same transaction read from this node. */
    private boolean hasReadFrom(int i, int node) {
        for (int earlier = 0; earlier < i; earlier++) {
            if (readers[earlier] == readers[i]
                    && sources[earlier] == node
                    && statements[reads[earlier]] < statements[reads[i]]) {
                return true;
            }
        }
        return false;
    }

    /** Adds the transitive closure (Warshall); returns false if there is a cycle. */
    private static boolean close(long[] rows) {
        for (int via = 0; via < rows.length; via++) {
            for (int a = 0; a < rows.length; a++) {
                if ((rows[a] >> via & 1) == 1) {
                    rows[a] |= rows[via];
                }
            }
        }
        for (int a = 0; a < rows.length; a++) {
            if ((rows[a] >> a & 1) == 1) {
                return false;
            }
        }
        return true;
    }
}
