package org.polygraph.partitioner.axiom;

import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.closure.EventOrder;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.ReadsFrom;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.ListVersions;

/**
 * The search for a commit order that obeys the axiom of CC, RA, RC or PL2: {@link #index}, and unless there are {@link
 * #violations}, {@link #order}. Open reads are left out. So a refutation is final, but an order may not explain them.
 * Linear apart from the {@link Axiom}.
 */
public final class CommitOrder {
    private final HistoryTable table;
    private final IsolationLevel level;
    private final IndexedHistory.Indeterminate indeterminate;
    private final ReadsFrom reads;
    private final BooleanSupplier stop;
    private final KnownGraph graph;
    private Axiom.@Nullable Conflict conflict;
    private int @Nullable [] position;

    private CommitOrder(
            ReadsFrom reads, IsolationLevel level, IndexedHistory.Indeterminate indeterminate, BooleanSupplier stop) {
        this.table = reads.table();
        this.level = level;
        this.indeterminate = indeterminate;
        this.reads = reads;
        this.stop = stop;
        this.graph = new KnownGraph(new Events(1, table.sessionStarts(), IndexedHistory.sessionOf(table)));
    }

    /**
     * Reads a history.
     *
     * @param level CC, RA, RC or PL2
     * @param stop ends the indexing, also that in {@link #order}
     * @throws BudgetException if it is to stop
     */
    public static CommitOrder index(
            HistoryTable table,
            IsolationLevel level,
            IndexedHistory.Indeterminate indeterminate,
            BooleanSupplier stop) {
        return new CommitOrder(ReadsFrom.of(table, indeterminate, level, stop), level, indeterminate, stop);
    }

    /**
     * Returns impossible reads, and transactions that contradict themselves. If there are any, the level does not hold.
     */
    public List<Violation> violations() {
        return reads.violations();
    }

    /** Whether some reads have several possible writers. */
    public boolean hasOpenReads() {
        return reads.open().length > 0;
    }

    public CommitStatus commitStatus() {
        return reads.commitStatus();
    }

    /** The source of each read. */
    public ReadsFrom readsFrom() {
        return reads;
    }

    /**
     * Infers the edges that the axiom demands and looks for an order.
     *
     * @param mostBytes the most bytes of a {@link CausalAxiom}
     * @param ended whether the budget has ended
     * @return whether there is one
     * @throws BudgetException if the budget ends
     */
    public boolean order(long mostBytes, BooleanSupplier ended) {
        Axiom axiom = level == IsolationLevel.CC
                ? new CausalAxiom(IndexedHistory.of(table, indeterminate, stop), mostBytes)
                : new ReadAxiom(reads, level);
        conflict = axiom.infer(graph, ended);
        ListVersions lists = conflict == null ? table.listVersions() : null;
        if (lists != null) {
            graph.nextRound();
            lists.pairs((first, second, isShown) -> addPair(lists.transaction(first), lists.transaction(second)));
        }
        position = conflict == null ? EventOrder.byTurns(graph) : null;
        return position != null;
    }

    /** Receives two transactions, of which the first commits before the second one if this one counts. */
    public interface Pairs {
        void next(int first, int second);
    }

    /** Gives what the versions of lists demand of transactions whose outcome is a choice. */
    public void openPairs(Pairs to) {
        ListVersions lists = table.listVersions();
        if (lists != null) {
            lists.pairs((first, second, isShown) -> {
                int t = lists.transaction(second);
                if (commitStatus().of(t) == CommitStatus.OPTIONAL) {
                    to.next(lists.transaction(first), t);
                }
            });
        }
    }

    private void addPair(int first, int second) {
        if (commitStatus().isCounted(first) && commitStatus().isCounted(second)) {
            graph.add(first, second);
        }
    }

    /**
     * Session order, WR and, unless these have a cycle, the edges that the axiom demands; and the order of the versions
     * of lists.
     */
    public KnownGraph graph() {
        return graph;
    }

    /** The read of an initial value that refuted it; null if a cycle did. */
    public Axiom.@Nullable Conflict conflict() {
        return conflict;
    }

    /** The place of each transaction in the order found. */
    public int[] position() {
        int[] found = position;
        if (found == null) {
            throw new IllegalStateException("no order was found");
        }
        return found;
    }

    public HistoryTable table() {
        return table;
    }

    public IsolationLevel level() {
        return level;
    }
}
