package org.polygraph.jobs.application;

import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongSet;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checkpoints;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;

/**
 * The transactions of a chain that cannot be explained before its next part: those that read a value that no
 * transaction wrote so far, and those that read what these wrote.
 *
 * <p>The others are a history of their own, because none of them reads from one that is left out. An order of them has
 * a {@link SeamCut}, whose tail has the transactions that were left out. So the next part is decided without reading
 * the part before it again.
 */
final class OpenTransactions {
    private static final int MOST_ROUNDS = 64;

    private OpenTransactions() {}

    /**
     * Returns UNKNOWN in place of a VIOLATION that a writer in the next part may explain ({@link
     * OpenReads#unlessWritten}), with an order of all transactions that are not open if there is one. If the search for
     * the order failed, the verdict is ERROR. The others may violate the level too: an open transaction may write an
     * initial value again, so that it explains what they read.
     *
     * @param table the history
     * @param path its budget is that of the search
     */
    static Verdict unlessWritten(Verdict verdict, HistoryTable table, CheckRequest request, OnePath path) {
        Verdict open = OpenReads.unlessWritten(verdict, path.name());
        if (open == verdict
                || request.level() == IsolationLevel.LIN
                || request.level() == IsolationLevel.PL2
                || !SeamCut.isPossible(table, false)) {
            return open;
        }
        Verdict.Builder made = path.inTime(request, () -> withOrder(open, table, request, path));
        return made == null || (made.witness() == null && made.status() != Verdict.Status.ERROR)
                ? open
                : made.path(open.path())
                        .counts(open.counts())
                        .millis(open.millis())
                        .build();
    }

    private static Verdict.@Nullable Builder withOrder(
            Verdict open, HistoryTable table, CheckRequest request, OnePath path) {
        BitSet left = of(table, path.budget());
        if (left == null) {
            return null;
        }
        HistoryTable others = table.withStatus(left.stream().toArray(), TransactionStatus.ABORTED);
        Check check = new Check(others, request, path.listener(), path.budget(), Checkpoints.NONE);
        Verdict found = LevelCheck.of(check, path.checker()).build();
        Witness order = found.witness();
        if (found.status() != Verdict.Status.PASS || order == null) {
            return null;
        }
        Verdict.Builder made = open.with()
                .witness(order.with(table))
                .certificate(new Certificate(Certificate.ORDER_OF_OTHERS, null, request.replayed()));
        found.phases().forEach(made::phase);
        return made;
    }

    /** Returns the committed transactions that an order leaves out. */
    static BitSet of(Witness order) {
        BitSet open = new BitSet();
        for (int t = 0; t < order.counted().length; t++) {
            open.set(t, !order.counted()[t] && order.table().status(t) == TransactionStatus.COMMITTED);
        }
        return open;
    }

    /**
     * Returns the open transactions of a history; null if they read from one another in long chains, or if the budget
     * ends. A wrong hit of a hash hides one. The order that is looked for then does not exist.
     */
    private static @Nullable BitSet of(HistoryTable table, Budget budget) {
        BitSet open = new BitSet();
        LongSet lacking = new LongOpenHashSet();
        for (int o : Writes.unwritten(table)) {
            open(table, HistorySelection.transactionOf(table, o), open, lacking);
        }
        // Each round adds those that read from the ones of the round before.
        int round = 0;
        for (int before = -1; before < open.cardinality(); round++) {
            if (round == MOST_ROUNDS || budget.exhausted()) {
                return null;
            }
            before = open.cardinality();
            for (int t = 0; t < table.transactions(); t++) {
                if (!open.get(t) && table.status(t) != TransactionStatus.ABORTED && readsOneOf(table, t, lacking)) {
                    open(table, t, open, lacking);
                }
            }
        }
        return open;
    }

    private static void open(HistoryTable table, int t, BitSet open, LongSet lacking) {
        open.set(t);
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            if (table.isWrite(o)) {
                lacking.add(Writes.hash(table, table.key(o), table.value(o)));
            }
        }
    }

    /** Whether a transaction reads one of some values, and it is not the initial one of its key. */
    private static boolean readsOneOf(HistoryTable table, int t, LongSet values) {
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            if (!table.isWrite(o)
                    && table.value(o) != table.initialValue(table.key(o))
                    && values.contains(Writes.hash(table, table.key(o), table.value(o)))) {
                return true;
            }
        }
        return false;
    }
}
