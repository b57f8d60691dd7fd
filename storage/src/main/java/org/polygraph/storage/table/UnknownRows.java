package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2ObjectMap;
import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntArrays;
import it.unimi.dsi.fastutil.ints.IntLinkedOpenHashSet;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import java.util.Arrays;
import java.util.BitSet;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;

/**
 * The writes by a condition of a history that does not name the rows that they wrote, and the search for these rows
 * (spark-jobs/docs/predicates.md, Writes of unknown rows).
 *
 * <p>A value that only one such write can have written names its rows where it is read. If these are as many as the
 * count of the write, they are all of its rows. A write whose rows are not all known is open. A history with open writes
 * becomes a relaxed one, which has less to explain than the history, whatever the rows are. An order of it yields a
 * guess, with the rows that match in this order.
 */
public final class UnknownRows {
    /** How a table relates to a history with such writes. */
    public enum Table {
        /** The table lacks all operations that depend on these rows, see {@link UnknownRows#refutes}. */
        RELAXED,
        /** The table has the rows that match in the order of ends. If it keeps a level, so does the history. */
        GUESS,
        /** The verdict on the table proves nothing. */
        NEITHER
    }

    /** The most open writes of which all choices of rows are tried. */
    private static final int MOST_OPEN = 64;

    /** The history as it was recorded. That of {@link #known} may have other outcomes in place of unknown ones. */
    private final HistoryTable original;

    private final KnownRows known;
    private int firstOpen = -1;
    private Table table = Table.RELAXED;

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
        firstOpen = before.firstOpen;
    }

    /** The table with reads and writes in place of predicates; with {@link UnknownRows} if some rows remain unknown. */
    static HistoryTable of(HistoryTable raw, Predicates predicates) throws HistoryException {
        UnknownRows unknown = new UnknownRows(raw.withoutRefusals(), predicates);
        if (unknown.known.open().isEmpty()) {
            return unknown.rewritten();
        }
        HistoryTable guess = unknown.known.hasOpenDelete() ? unknown.inOrderOfEnds() : null;
        boolean isGuess = guess != null && guess.unknownRows() == null;
        if (unknown.known.hasOpenDelete()) {
            unknown.table = isGuess ? Table.GUESS : Table.NEITHER;
        }
        HistoryTable some = guess != null && isGuess ? guess : unknown.rewritten();
        return some.with(unknown);
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

    private int[] ofUnknownOutcome() {
        IntArrayList unknown = new IntArrayList();
        for (int t = 0; t < original.transactions(); t++) {
            if (original.status(t) == TransactionStatus.INDETERMINATE) {
                unknown.add(t);
            }
        }
        return unknown.toIntArray();
    }

    /** How many of these writes there are. */
    public int writes() {
        return known.open().size();
    }

    /** The transaction of the first of these writes. */
    public int first() {
        return firstOpen;
    }

    /**
     * The relation of the table to the history: relaxed if no open write is a delete; otherwise a guess if the rows
     * that match in the order of ends agree with all counts, else neither.
     */
    public Table table() {
        return table;
    }

    /**
     * Whether a violation of the table is one of the history. If a transaction is two events, an open write may begin a
     * row again that was deleted after its snapshot. Then another delete finds this row.
     *
     * @param events of a transaction: 1, or 2 for its snapshot and its commit
     */
    public boolean refutes(int events) {
        return table == Table.RELAXED && (events == 1 || !hasDeletes());
    }

    /** The history with the rows of its writes; the relaxed one if some are open. */
    private HistoryTable rewritten() throws HistoryException {
        return new RowRewriting(known).rewritten();
    }

    /**
     * Returns the guess ({@link #inOrder}) of the order in which transactions ended or, without times, of their order in
     * the input.
     */
    public @Nullable HistoryTable inOrderOfEnds() throws HistoryException {
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
     * @return with {@link UnknownRows} if a write stays open; null if that is a delete
     */
    public @Nullable HistoryTable inOrder(boolean[] counted, int[] position) throws HistoryException {
        OrderReplay replay = new OrderReplay(known, OrderReplay.Wrong.IGNORED);
        replay.run(counted, position, () -> false);
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
     * @param stop whether to end the search
     */
    public @Nullable HistoryTable byReplay(
            int events, boolean usesTimes, boolean inRealTime, long skew, BooleanSupplier stop)
            throws HistoryException {
        ReplaySearch search = new ReplaySearch(known.of(original), events, usesTimes, inRealTime, skew, stop);
        if (!search.run()) {
            return null;
        }
        Int2ObjectMap<IntLinkedOpenHashSet> guessed = new Int2ObjectOpenHashMap<>(known.rows());
        search.putRows(guessed);
        return guess(search.isCounted(), guessed, new IntOpenHashSet());
    }

    private @Nullable HistoryTable guess(
            boolean[] counted, Int2ObjectMap<IntLinkedOpenHashSet> guessed, IntOpenHashSet left)
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
        if (left.isEmpty()) {
            return next.rewritten();
        }
        return next.known.hasOpenDelete() ? null : next.rewritten().with(next);
    }

    /** By number of an unknown write: the keys of its rows, as far as they are known. Not a copy. */
    Int2ObjectMap<IntLinkedOpenHashSet> rows() {
        return known.rows();
    }

    /** Returns the history in which each unknown write has these rows. */
    HistoryTable withRows(Int2ObjectMap<IntLinkedOpenHashSet> chosen) throws HistoryException {
        return new UnknownRows(this, original, chosen, new IntOpenHashSet()).rewritten();
    }

    /**
     * Returns all choices of the rows of these writes; null if there are more than some number, if none has the
     * counts, or if the search for them was stopped.
     */
    public @Nullable RowChoices choices(long most, BooleanSupplier stop) {
        Int2ObjectMap<BitSet> candidates =
                known.open().size() > MOST_OPEN ? null : CandidateRows.of(known.of(original), stop);
        return candidates == null ? null : RowChoices.of(this, known, candidates, most);
    }

    /**
     * Returns what each serial order explains; null if open writes may have too many rows, or if it was stopped.
     *
     * @param few the most rows times conditions that are all selected at first
     */
    public @Nullable SerialRefinement refinement(long few, BooleanSupplier stop) {
        KnownRows ofOriginal = known.of(original);
        Int2ObjectMap<BitSet> candidates = CandidateRows.of(ofOriginal, stop);
        return candidates == null
                ? null
                : new SerialRefinement(ofOriginal, new NecessaryReads(ofOriginal, candidates), few, stop);
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
                    firstOpen = firstOpen < 0 ? t : firstOpen;
                }
            }
        }
    }

    /** Whether a transaction that may have committed deletes a row that it names. */
    private boolean hasDeletes() {
        HistoryTable raw = known.raw();
        for (int t = 0; t < raw.transactions(); t++) {
            for (int o = raw.firstOperation(t); o < raw.operationsEnd(t); o++) {
                if (raw.isDelete(o) && raw.status(t) != TransactionStatus.ABORTED) {
                    return true;
                }
            }
        }
        return false;
    }
}
