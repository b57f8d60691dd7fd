package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2ObjectMap;
import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntArrays;
import it.unimi.dsi.fastutil.ints.IntLinkedOpenHashSet;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;

/**
 * The writes by a condition of a history that does not name the rows that they wrote, and the search for these rows
 * (spark-jobs/docs/rows.md, Writes of unknown rows).
 *
 * <p>A value that only one such write can have written names its rows where it is read. If these are as many as the
 * count of the write, they are all of its rows. A write whose rows are not all known is open. A history with open writes
 * becomes a relaxed one, which has less to explain than the history, whatever the rows are. An order of it yields a
 * guess, with the rows that match in this order.
 */
public final class UnknownRows {
    /** The history as it was recorded. That of {@link #known} may have other outcomes in place of unknown ones. */
    private final HistoryTable original;

    private final KnownRows known;
    /** {@link RowRewriting#needsSnapshots}. */
    private boolean needsSnapshots;

    private UnknownRows(HistoryTable raw, Predicates predicates) {
        original = raw;
        ShownRows shown = new ShownRows(raw, predicates);
        known = new KnownRows(raw, predicates, shown, shown.rows(), new IntOpenHashSet());
        classify();
    }

    /** The same history with rows for all unknown writes but those that stay open. */
    private UnknownRows(
            UnknownRows before, HistoryTable decided, Int2ObjectMap<IntLinkedOpenHashSet> rows, IntOpenHashSet open) {
        original = before.original;
        known = new KnownRows(decided, before.known.predicates(), before.known.shown(), rows, open);
    }

    /** The table with reads and writes in place of predicates; with {@link UnknownRows} if some rows remain unknown. */
    static HistoryTable of(HistoryTable raw, Predicates predicates) throws HistoryException {
        UnknownRows unknown = new UnknownRows(raw.withoutRefusals(), predicates);
        HistoryTable rewritten = unknown.rewritten();
        return unknown.known.open().isEmpty() ? rewritten : rewritten.with(unknown);
    }

    /** Returns a table of the same transactions with the outcomes that were recorded; a guess has others. */
    HistoryTable withUnknownOutcomes(HistoryTable other) {
        return other.withStatus(ofUnknownOutcome(), TransactionStatus.INDETERMINATE);
    }

    /** Returns the history of a table with these writes, in which transactions of unknown outcome are aborted. */
    public static HistoryTable withAborted(HistoryTable table) throws HistoryException {
        UnknownRows unknown = table.unknownRows();
        Recorded recorded = table.recorded();
        if (unknown == null || recorded == null) {
            return table;
        }
        HistoryTable aborted = unknown.original.withStatus(unknown.ofUnknownOutcome(), TransactionStatus.ABORTED);
        return of(aborted, unknown.known.predicates()).with(recorded);
    }

    /** Whether the outcome of a transaction is unknown. */
    public boolean hasUnknownOutcomes() {
        return ofUnknownOutcome().length > 0;
    }

    private int[] ofUnknownOutcome() {
        IntArrayList unknown = new IntArrayList();
        for (int t = 0; t < original.transactions(); t++) {
            if (original.status(t) == TransactionStatus.INDETERMINATE) {
                unknown.add(t);
            }
        }
        return unknown.toIntArray();
    }

    /**
     * A write whose rows are not known.
     *
     * @param statement such as {@code pw(between 5 and 9)}
     */
    public record Open(int transaction, String statement) {}

    /** These writes, by their transactions. */
    public List<Open> writes() {
        HistoryTable raw = known.raw();
        Predicates predicates = known.predicates();
        List<Open> writes = new ArrayList<>();
        for (int t = 0; t < raw.transactions(); t++) {
            for (int o = raw.firstOperation(t); o < raw.operationsEnd(t); o++) {
                int number = predicates.isUnknown(raw.value(o)) ? Predicates.number(raw.value(o)) : -1;
                Predicates.Unknown write = number < 0 ? null : predicates.unknown(number);
                if (write != null && known.open().contains(number)) {
                    String condition =
                            predicates.condition(predicates.conditionOf(number)).label();
                    writes.add(new Open(t, (write.isDelete() ? "pd(" : "pw(") + condition + ")"));
                }
            }
        }
        return writes;
    }

    /**
     * Returns a table as each level judges it: with plain writes in place of inserts and deletes if the rows of some
     * delete are not known, because whether an insert finds no row depends on them. Else the same table.
     */
    public static HistoryTable judged(HistoryTable table) {
        UnknownRows unknown = table.unknownRows();
        return unknown != null && unknown.known.hasOpenDelete() ? table.withoutRows() : table;
    }

    /**
     * Whether a violation of the relaxed history is one of the history. If a transaction is two events, an open write
     * may begin a row again that was deleted after its snapshot; then another delete finds this row.
     *
     * @param events of a transaction: 1, or 2 for its snapshot and its commit
     * @param isOfCommits whether the level is RC, RA or CC
     */
    public boolean refutes(int events, boolean isOfCommits) {
        return isOfCommits ? !needsSnapshots : events == 1 || !hasDeletes();
    }

    /** The history with the rows of its writes; the relaxed one if some are open. */
    private HistoryTable rewritten() throws HistoryException {
        RowRewriting rewriting = new RowRewriting(known);
        HistoryTable rewritten = rewriting.rewritten();
        needsSnapshots = rewriting.needsSnapshots();
        return rewritten;
    }

    /**
     * Returns the guess ({@link #inOrder}) of the order in which transactions ended or, without times, of their order in
     * the input.
     */
    public HistoryTable inOrderOfEnds() throws HistoryException {
        HistoryTable raw = known.raw();
        int[] order = new int[raw.transactions()];
        Arrays.setAll(order, t -> t);
        long[] ends = raw.ends();
        IntArrays.mergeSort(
                order,
                (a, b) -> ends == null || ends[a] == ends[b]
                        ? Long.compare(raw.sourceOf(a), raw.sourceOf(b))
                        : Long.compare(ends[a], ends[b]));
        boolean[] counted = new boolean[order.length];
        int[] position = new int[order.length];
        for (int i = 0; i < order.length; i++) {
            position[order[i]] = i;
            counted[i] = raw.status(i) != TransactionStatus.ABORTED;
        }
        return inOrder(counted, position);
    }

    /**
     * Returns a guess: each open write has the rows that match in an order, unless they disagree with its count; then
     * it stays open. Whether a transaction of unknown outcome that has such a write counts is part of the guess.
     *
     * @param counted by transaction: whether it counts
     * @param position by event, one or two a transaction: its place
     * @return with {@link UnknownRows} if a write stays open
     */
    public HistoryTable inOrder(boolean[] counted, int[] position) throws HistoryException {
        OrderReplay replay = new OrderReplay(known);
        replay.run(counted, position);
        return guess(counted, replay.found(), replay.left());
    }

    /**
     * Returns a guess with the rows that match in an order in which a replay of the history as it was recorded finds
     * nothing wrong; null if a search does not find one.
     *
     * @param events of a transaction: 1, or 2 for its snapshot and its commit
     * @param usesTimes whether times determine which event is tried first
     * @param inRealTime whether the order has to agree with real time
     * @param skew the most by which two clocks differ
     * @param countsAll whether all transactions of unknown outcome count, or only those whose values show it
     * @param stop whether to end the search
     */
    public @Nullable HistoryTable byReplay(
            int events, boolean usesTimes, boolean inRealTime, long skew, boolean countsAll, BooleanSupplier stop)
            throws HistoryException {
        ReplaySearch search =
                new ReplaySearch(known.of(original), events, usesTimes, inRealTime, skew, countsAll, stop);
        if (!search.run()) {
            return null;
        }
        Int2ObjectMap<IntLinkedOpenHashSet> guessed = new Int2ObjectOpenHashMap<>(known.rows());
        search.putRows(guessed);
        return guess(search.isCounted(), guessed, new IntOpenHashSet());
    }

    private HistoryTable guess(boolean[] counted, Int2ObjectMap<IntLinkedOpenHashSet> guessed, IntOpenHashSet left)
            throws HistoryException {
        HistoryTable raw = known.raw();
        IntArrayList committed = new IntArrayList();
        IntArrayList aborted = new IntArrayList();
        for (int t = 0; t < raw.transactions(); t++) {
            if (raw.status(t) == TransactionStatus.INDETERMINATE && hasOpen(t)) {
                (counted[t] ? committed : aborted).add(t);
            }
        }
        HistoryTable decided = raw.withStatus(committed.toIntArray(), TransactionStatus.COMMITTED)
                .withStatus(aborted.toIntArray(), TransactionStatus.ABORTED);
        UnknownRows next = new UnknownRows(this, decided, guessed, left);
        HistoryTable rewritten = next.rewritten();
        return left.isEmpty() ? rewritten : rewritten.with(next);
    }

    private boolean hasOpen(int t) {
        HistoryTable raw = known.raw();
        for (int o = raw.firstOperation(t); o < raw.operationsEnd(t); o++) {
            if (known.predicates().isUnknown(raw.value(o)) && known.open().contains(Predicates.number(raw.value(o)))) {
                return true;
            }
        }
        return false;
    }

    private void classify() {
        HistoryTable raw = known.raw();
        for (int t = 0; t < raw.transactions(); t++) {
            for (int o = raw.firstOperation(t); o < raw.operationsEnd(t); o++) {
                if (!known.predicates().isUnknown(raw.value(o)) || raw.status(t) == TransactionStatus.ABORTED) {
                    continue;
                }
                int number = Predicates.number(raw.value(o));
                Predicates.Unknown write = known.predicates().unknown(number);
                boolean isShown = write != null
                        && !write.isDelete()
                        && !known.shown().isAmbiguous(write.value())
                        && known.rows().get(number).size() == write.count();
                if (!isShown) {
                    known.open().add(number);
                }
            }
        }
    }

    /** Whether a transaction that may have committed deletes rows. */
    private boolean hasDeletes() {
        HistoryTable raw = known.raw();
        boolean hasDeletes = known.hasOpenDelete();
        for (int t = 0; t < raw.transactions() && !hasDeletes; t++) {
            for (int o = raw.firstOperation(t); o < raw.operationsEnd(t); o++) {
                hasDeletes |= raw.isDelete(o) && raw.status(t) != TransactionStatus.ABORTED;
            }
        }
        return hasDeletes;
    }
}
