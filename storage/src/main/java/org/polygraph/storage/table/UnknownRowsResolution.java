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
 * Finds the rows of writes by a condition that does not name them (spark-jobs/docs/predicates.md, Writes of unknown
 * rows).
 *
 * <p>A value that only one such write can have written names its rows where it is read. If these are as many as its
 * count, they are all. The others are open. Then the history becomes a relaxed one, which has less to explain than the
 * history, whatever the rows are; and an order of it yields a guess, with the rows that match in this order.
 */
final class UnknownRowsResolution {
    /** The most open writes of which all choices of rows are tried. */
    private static final int MOST_OPEN = 64;

    /** The history as it was recorded; below, perhaps with outcomes in place of unknown ones. */
    private final HistoryTable original;

    private final KnownRows known;
    private int firstOpen = -1;

    private UnknownRowsResolution(HistoryTable raw, Predicates predicates) {
        original = raw;
        ShownRows shown = new ShownRows(raw, predicates);
        known = new KnownRows(raw, predicates, shown, shown.rows(), new IntOpenHashSet());
        classify();
    }

    /** The same history with rows for all unknown writes but those that stay open. */
    private UnknownRowsResolution(
            UnknownRowsResolution before,
            HistoryTable decided,
            Int2ObjectMap<IntLinkedOpenHashSet> rows,
            IntOpenHashSet open) {
        original = before.original;
        known = new KnownRows(decided, before.known.predicates(), before.known.shown(), rows, open);
        firstOpen = before.firstOpen;
    }

    /** The table with reads and writes in place of predicates; with {@link UnknownRows} if some rows remain unknown. */
    static HistoryTable of(HistoryTable raw, Predicates predicates) throws HistoryException {
        UnknownRowsResolution resolution = new UnknownRowsResolution(raw.withoutRefusals(), predicates);
        if (resolution.known.open().isEmpty()) {
            return resolution.rewritten();
        }
        HistoryTable guess = resolution.known.hasOpenDelete() ? resolution.inOrderOfEnds() : null;
        boolean isGuess = guess != null && guess.unknownRows() == null;
        UnknownRows.Table kind = isGuess
                ? UnknownRows.Table.GUESS
                : resolution.known.hasOpenDelete() ? UnknownRows.Table.NEITHER : UnknownRows.Table.RELAXED;
        HistoryTable some = guess != null && isGuess ? guess : resolution.rewritten();
        return some.with(new UnknownRows(resolution, kind));
    }

    /** Returns a table of the same transactions in which unknown outcomes are unknown again. */
    HistoryTable withUnknownOutcomes(HistoryTable table) {
        return table.withStatus(ofUnknownOutcome(), TransactionStatus.INDETERMINATE);
    }

    /** Returns the table of the history in which transactions of unknown outcome are aborted. */
    HistoryTable withAborted() throws HistoryException {
        return of(original.withStatus(ofUnknownOutcome(), TransactionStatus.ABORTED), known.predicates());
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

    int openWrites() {
        return known.open().size();
    }

    /** The transaction of the first open write. */
    int firstOpen() {
        return firstOpen;
    }

    /** The history with the rows of its writes; the relaxed one if some are open. */
    private HistoryTable rewritten() throws HistoryException {
        return new RowRewriting(known).rewritten();
    }

    /** A guess from the order of ends, or of the input without times; null if there is none. */
    @Nullable
    HistoryTable inOrderOfEnds() throws HistoryException {
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
     * A guess: each open write has the rows that match in an order, unless they disagree with its count; then it stays
     * open. Whether a transaction of unknown outcome that has such a write counts is part of the guess.
     *
     * @param counted by transaction: whether it counts
     * @param position by event, one or two a transaction: its place
     * @return with {@link UnknownRows} if a write stays open; null if that is a delete
     */
    @Nullable
    HistoryTable inOrder(boolean[] counted, int[] position) throws HistoryException {
        OrderReplay replay = new OrderReplay(known, OrderReplay.Wrong.IGNORED);
        replay.run(counted, position, () -> false);
        return guess(counted, replay.found(), replay.left());
    }

    /**
     * A guess from an order that {@link ReplaySearch} finds; null if it finds none.
     *
     * @param events of a transaction: 1, or 2 for its snapshot and its commit
     */
    @Nullable
    HistoryTable byReplay(int events, boolean usesTimes, boolean inRealTime, long skew, BooleanSupplier stop)
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
        UnknownRowsResolution next = new UnknownRowsResolution(this, decided, guessed, left);
        if (left.isEmpty()) {
            return next.rewritten();
        }
        return next.known.hasOpenDelete()
                ? null
                : next.rewritten().with(new UnknownRows(next, UnknownRows.Table.RELAXED));
    }

    /** By number of an unknown write: the keys of its rows, as far as they are known. Not a copy. */
    Int2ObjectMap<IntLinkedOpenHashSet> rows() {
        return known.rows();
    }

    /** Returns the history in which each unknown write has these rows. */
    HistoryTable withRows(Int2ObjectMap<IntLinkedOpenHashSet> chosen) throws HistoryException {
        return new UnknownRowsResolution(this, original, chosen, new IntOpenHashSet()).rewritten();
    }

    /** All choices of the rows of open writes; null if there are more than {@code most}, or none. */
    @Nullable
    RowChoices choices(long most, BooleanSupplier stop) {
        Int2ObjectMap<BitSet> candidates =
                known.open().size() > MOST_OPEN ? null : CandidateRows.of(known.of(original), stop);
        return candidates == null ? null : RowChoices.of(this, known, candidates, most);
    }

    /** See {@link UnknownRows#refinement}; null also if open writes may have too many rows. */
    @Nullable
    SerialRefinement refinement(long few, BooleanSupplier stop) {
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
    boolean hasDeletes() {
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
