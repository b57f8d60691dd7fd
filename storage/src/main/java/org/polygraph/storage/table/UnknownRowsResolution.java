package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.booleans.BooleanArrayList;
import it.unimi.dsi.fastutil.bytes.ByteArrayList;
import it.unimi.dsi.fastutil.ints.Int2ObjectMap;
import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntArrays;
import it.unimi.dsi.fastutil.ints.IntLinkedOpenHashSet;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
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
    /** The history as it was recorded; below, perhaps with outcomes in place of unknown ones. */
    private final HistoryTable original;

    private final HistoryTable raw;
    private final Predicates predicates;
    /** By number of an unknown write: the keys of its rows, as far as reads show them. */
    private final Int2ObjectMap<IntLinkedOpenHashSet> shown;
    /** Values that an unknown write and another write may have written, or that are initial ones. */
    private final LongOpenHashSet ambiguous;
    /** By value: the only unknown write of this value; if there are several, one that is not aborted, if there is one. */
    private final Long2IntOpenHashMap writers;

    private final IntOpenHashSet open;
    private final IntOpenHashSet ofAborted;
    /**
     * By condition: 1 if rows may be missing from a result because of an open write, -1 if not, 0 if this is not known
     * yet.
     */
    private final byte[] openTo;

    private int firstOpen = -1;

    private UnknownRowsResolution(HistoryTable raw, Predicates predicates) {
        this.original = raw;
        this.raw = raw;
        this.predicates = predicates;
        this.shown = new Int2ObjectOpenHashMap<>();
        this.ambiguous = new LongOpenHashSet();
        this.writers = new Long2IntOpenHashMap();
        this.writers.defaultReturnValue(-1);
        this.open = new IntOpenHashSet();
        this.ofAborted = new IntOpenHashSet();
        this.openTo = new byte[predicates.conditions()];
    }

    /** The same history with rows for all unknown writes but those that stay open. */
    private UnknownRowsResolution(
            UnknownRowsResolution before,
            HistoryTable decided,
            Int2ObjectMap<IntLinkedOpenHashSet> rows,
            IntOpenHashSet open) {
        this.original = before.original;
        this.raw = decided;
        this.predicates = before.predicates;
        this.shown = rows;
        this.ambiguous = before.ambiguous;
        this.writers = before.writers;
        this.open = open;
        this.ofAborted = before.ofAborted;
        this.firstOpen = before.firstOpen;
        this.openTo = new byte[predicates.conditions()];
    }

    /** The table with reads and writes in place of predicates; with {@link UnknownRows} if some rows remain unknown. */
    static HistoryTable of(HistoryTable raw, Predicates predicates) throws HistoryException {
        UnknownRowsResolution resolution = new UnknownRowsResolution(raw, predicates);
        resolution.collectWriters();
        resolution.collectReads();
        resolution.classify();
        if (resolution.open.isEmpty()) {
            return resolution.rewritten(resolution.shown, false);
        }
        HistoryTable guess = resolution.hasOpenDelete() ? resolution.inOrderOfEnds() : null;
        boolean isGuess = guess != null && guess.unknownRows() == null;
        UnknownRows.Table kind = isGuess
                ? UnknownRows.Table.GUESS
                : resolution.hasOpenDelete() ? UnknownRows.Table.NEITHER : UnknownRows.Table.RELAXED;
        HistoryTable some = guess != null && isGuess ? guess : resolution.relaxed();
        return some.with(new UnknownRows(resolution, kind));
    }

    /** Returns a table of the same transactions in which unknown outcomes are unknown again. */
    HistoryTable withUnknownOutcomes(HistoryTable table) {
        IntArrayList unknown = new IntArrayList();
        for (int t = 0; t < original.transactions(); t++) {
            if (original.status(t) == TransactionStatus.INDETERMINATE) {
                unknown.add(t);
            }
        }
        return table.withStatus(unknown.toIntArray(), TransactionStatus.INDETERMINATE);
    }

    int openWrites() {
        return open.size();
    }

    /** The transaction of the first open write. */
    int firstOpen() {
        return firstOpen;
    }

    private HistoryTable relaxed() throws HistoryException {
        return rewritten(shown, true);
    }

    /** A guess from the order of ends, or of the input without times; null if there is none. */
    @Nullable
    HistoryTable inOrderOfEnds() throws HistoryException {
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
        Int2ObjectMap<IntLinkedOpenHashSet> guessed = new Int2ObjectOpenHashMap<>(shown);
        IntOpenHashSet left = new IntOpenHashSet();
        int perTransaction = position.length / raw.transactions();
        int[] events = new int[position.length];
        int count = 0;
        for (int event = 0; event < events.length; event++) {
            if (counted[event / perTransaction] && position[event] >= 0) {
                events[count++] = event;
            }
        }
        IntArrays.mergeSort(events, 0, count, (a, b) -> Integer.compare(position[a], position[b]));
        State state = new State();
        for (int i = 0; i < count; i++) {
            int t = events[i] / perTransaction;
            // Conditions are evaluated at the snapshot, and writes are left at the commit.
            if (events[i] % perTransaction == 0 && hasOpen(t)) {
                state.evaluate(t, guessed, left);
            }
            if (events[i] % perTransaction == perTransaction - 1) {
                state.apply(t, guessed);
            }
        }
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
            return next.rewritten(guessed, false);
        }
        return next.hasOpenDelete() ? null : next.relaxed().with(new UnknownRows(next, UnknownRows.Table.RELAXED));
    }

    private boolean hasOpen(int t) {
        for (int o = raw.firstOperation(t); o < raw.operationsEnd(t); o++) {
            if (isUnknown(raw.value(o)) && open.contains(Predicates.number(raw.value(o)))) {
                return true;
            }
        }
        return false;
    }

    private boolean isUnknown(long code) {
        return Predicates.isOne(code) && predicates.unknown(Predicates.number(code)) != null;
    }

    private void collectWriters() {
        for (int t = 0; t < raw.transactions(); t++) {
            for (int o = raw.firstOperation(t); o < raw.operationsEnd(t); o++) {
                long code = raw.value(o);
                if (!isUnknown(code)) {
                    continue;
                }
                int number = Predicates.number(code);
                Predicates.Unknown write = predicates.unknown(number);
                shown.put(number, new IntLinkedOpenHashSet());
                if (raw.status(t) == TransactionStatus.ABORTED) {
                    ofAborted.add(number);
                }
                if (write != null && !write.isDelete()) {
                    addWriter(write.value(), number);
                }
            }
        }
        mark(raw.initialValue());
        var state = raw.initialState();
        if (state != null) {
            state.values().forEach(this::mark);
        }
        for (int o = 0; o < raw.operations(); o++) {
            if (raw.isWrite(o) && !Predicates.isStandIn(raw.value(o))) {
                mark(raw.value(o));
            }
        }
    }

    private void addWriter(long value, int number) {
        boolean isFirst = !writers.containsKey(value);
        if (isFirst || !ofAborted.contains(number)) {
            writers.put(value, number);
        }
        if (!isFirst) {
            ambiguous.add(value);
        }
    }

    /** Records a value that is initial, or that a write of known rows may have written. */
    private void mark(long value) {
        if (writers.containsKey(value)) {
            ambiguous.add(value);
        }
    }

    private boolean isRead(int o) {
        return !raw.isWrite(o) && !Predicates.isStandIn(raw.value(o));
    }

    private void collectReads() {
        for (int t = 0; t < raw.transactions(); t++) {
            for (int o = raw.firstOperation(t); o < raw.operationsEnd(t); o++) {
                int writer = isRead(o) && raw.status(t) == TransactionStatus.COMMITTED ? writers.get(raw.value(o)) : -1;
                if (writer >= 0 && !ambiguous.contains(raw.value(o))) {
                    shown.get(writer).add(raw.key(o));
                }
            }
        }
    }

    private void classify() {
        for (int t = 0; t < raw.transactions(); t++) {
            for (int o = raw.firstOperation(t); o < raw.operationsEnd(t); o++) {
                if (!isUnknown(raw.value(o)) || raw.status(t) == TransactionStatus.ABORTED) {
                    continue;
                }
                int number = Predicates.number(raw.value(o));
                Predicates.Unknown write = predicates.unknown(number);
                boolean isShown = write != null
                        && !write.isDelete()
                        && !ambiguous.contains(write.value())
                        && shown.get(number).size() == write.count();
                if (!isShown) {
                    open.add(number);
                    firstOpen = firstOpen < 0 ? t : firstOpen;
                }
            }
        }
    }

    private boolean hasOpenDelete() {
        for (int number : open) {
            Predicates.Unknown write = predicates.unknown(number);
            if (write != null && write.isDelete()) {
                return true;
            }
        }
        return false;
    }

    /** Whether a transaction that may have committed deletes a row that it names. */
    boolean hasDeletes() {
        for (int t = 0; t < raw.transactions(); t++) {
            for (int o = raw.firstOperation(t); o < raw.operationsEnd(t); o++) {
                if (raw.isDelete(o) && raw.status(t) != TransactionStatus.ABORTED) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The rows in an order of the transactions. */
    private final class State {
        private final boolean[] exists = new boolean[raw.keys().size()];
        private final long[] values = new long[exists.length];
        private final int[] rows = new int[exists.length];
        /** Keys that {@link #evaluate} has changed, and what they were before. */
        private final IntArrayList changed = new IntArrayList();

        private final LongArrayList valuesBefore = new LongArrayList();
        private final IntArrayList rowsBefore = new IntArrayList();
        private final BooleanArrayList existedBefore = new BooleanArrayList();

        State() {
            for (int key = 0; key < exists.length; key++) {
                exists[key] = raw.existsAtFirst(key);
                values[key] = raw.initialValue(key);
                rows[key] = -1;
            }
        }

        private void write(int key, boolean isDelete, long value, int row) {
            changed.add(key);
            existedBefore.add(exists[key]);
            valuesBefore.add(values[key]);
            rowsBefore.add(rows[key]);
            exists[key] = !isDelete;
            values[key] = value;
            rows[key] = row;
        }

        /** Leaves what a transaction writes. */
        void apply(int t, Int2ObjectMap<IntLinkedOpenHashSet> guessed) {
            run(t, guessed, null);
            changed.clear();
            valuesBefore.clear();
            rowsBefore.clear();
            existedBefore.clear();
        }

        /**
         * Finds the rows of a transaction's open writes. The state does not change. @param left gets the writes that
         * stay open
         */
        void evaluate(int t, Int2ObjectMap<IntLinkedOpenHashSet> guessed, IntOpenHashSet left) {
            run(t, guessed, left);
            for (int i = changed.size() - 1; i >= 0; i--) {
                int key = changed.getInt(i);
                exists[key] = existedBefore.getBoolean(i);
                values[key] = valuesBefore.getLong(i);
                rows[key] = rowsBefore.getInt(i);
            }
            changed.clear();
            valuesBefore.clear();
            rowsBefore.clear();
            existedBefore.clear();
        }

        private void run(int t, Int2ObjectMap<IntLinkedOpenHashSet> guessed, @Nullable IntOpenHashSet left) {
            int row = -1;
            for (int o = raw.firstOperation(t); o < raw.operationsEnd(t); o++) {
                long code = raw.value(o);
                if (Predicates.isRow(code)) {
                    row = Predicates.rowNumber(code);
                } else if (isUnknown(code)) {
                    int number = Predicates.number(code);
                    if (left != null && open.contains(number)) {
                        IntLinkedOpenHashSet found = matching(number, shown.get(number));
                        if (found == null) {
                            left.add(number);
                        } else {
                            guessed.put(number, found);
                        }
                    }
                    Predicates.Unknown write = predicates.unknown(number);
                    for (int key : guessed.get(number)) {
                        write(
                                key,
                                write != null && write.isDelete(),
                                write == null ? 0 : write.value(),
                                write == null ? -1 : write.row());
                    }
                } else if (raw.isWrite(o)) {
                    write(raw.key(o), raw.isDelete(o), code, row);
                    row = -1;
                }
            }
        }

        /**
         * The rows that a write has, according to reads, with the rows that match; null if their number differs from
         * its count.
         */
        private @Nullable IntLinkedOpenHashSet matching(int number, IntLinkedOpenHashSet needed) {
            Predicates.Unknown write = predicates.unknown(number);
            Condition condition = predicates.condition(predicates.conditionOf(number));
            IntLinkedOpenHashSet found = new IntLinkedOpenHashSet(needed);
            for (int key = 0; key < exists.length; key++) {
                if (exists[key] && condition.matches(raw.values(), predicates.rows(), values[key], rows[key])) {
                    found.add(key);
                }
            }
            return write == null || write.count() < 0 || write.count() == found.size() ? found : null;
        }
    }

    /** Writes the operations anew, with rows for unknown writes. */
    private HistoryTable rewritten(Int2ObjectMap<IntLinkedOpenHashSet> rows, boolean isRelaxed)
            throws HistoryException {
        Rewriting to = new Rewriting();
        int[] starts = new int[raw.transactions() + 1];
        for (int t = 0; t < raw.transactions(); t++) {
            int dropped = 0;
            for (int o = raw.firstOperation(t); o < raw.operationsEnd(t); o++) {
                long code = raw.value(o);
                if (!Predicates.isOne(code)) {
                    if (isRelaxed && isRead(o) && isOpenRead(o)) {
                        dropped++;
                    } else {
                        to.copy(o);
                        dropped = isRead(o) ? dropped : 0;
                    }
                    continue;
                }
                int number = Predicates.number(code);
                if (predicates.unknown(number) != null) {
                    to.write(
                            number,
                            rows.get(number),
                            !(isRelaxed
                                            && (open.contains(number)
                                                    || isLeftOut(
                                                            number,
                                                            rows.get(number).size())))
                                    && !ofAborted.contains(number));
                } else if (!(isRelaxed && (dropped > 0 || isLeftOut(number, predicates.keys(number).length)))) {
                    to.predicate(number, new IntArrayList(predicates.keys(number)));
                }
                dropped = 0;
            }
            starts[t + 1] = to.keys.size();
        }
        // A resolution adds keys, so each has a dictionary of its own, with the same ids.
        KeyDictionary keys = new KeyDictionary();
        keys.addAll(raw.keys().labels());
        return PredicateReads.of(raw.with(keys, to.operations(starts)), to.predicates);
    }

    /** Whether a read may be of a row of an open write that the relaxed history does not have. */
    private boolean isOpenRead(int o) {
        long value = raw.value(o);
        int writer = writers.get(value);
        return writer >= 0
                && open.contains(writer)
                && (ambiguous.contains(value) || !shown.get(writer).contains(raw.key(o)));
    }

    /**
     * Whether the relaxed history leaves a predicate out. A row that a write by a condition has written may have
     * matched because of an open write, which the relaxed history may lack. The rows of a query are reads too, and these
     * name their writers.
     */
    private boolean isLeftOut(int number, int rowsOfIt) {
        return isOpenTo(number) || (rowsOfIt > 0 && !predicates.isRead(number));
    }

    /** Whether rows may be missing from the result of a predicate because of an open write. */
    private boolean isOpenTo(int number) {
        int condition = predicates.conditionOf(number);
        if (openTo[condition] == 0) {
            openTo[condition] = (byte) (isOpenTo(predicates.condition(condition)) ? 1 : -1);
        }
        return openTo[condition] > 0;
    }

    private boolean isOpenTo(Condition condition) {
        for (int each : open) {
            Predicates.Unknown write = predicates.unknown(each);
            if (write != null && !condition.matches(raw.values(), predicates.rows(), write.value(), write.row())) {
                return true;
            }
        }
        return false;
    }

    /** Operations that are written anew. */
    private final class Rewriting {
        private final Predicates predicates = new Predicates(UnknownRowsResolution.this.predicates.rows());
        private final IntArrayList keys = new IntArrayList(raw.operations());
        private final LongArrayList values = new LongArrayList(raw.operations());
        private final ByteArrayList kinds = new ByteArrayList(raw.operations());
        private boolean hasKinds;

        private void add(int key, boolean isWrite, long value, byte kind) {
            keys.add(Operations.pack(key, isWrite));
            values.add(value);
            kinds.add(kind);
            hasKinds |= kind != 0;
        }

        void copy(int o) {
            add(raw.key(o), raw.isWrite(o), raw.value(o), raw.kind(o));
        }

        void predicate(int number, IntArrayList matched) {
            Predicates from = UnknownRowsResolution.this.predicates;
            add(0, false, predicates.add(from.condition(from.conditionOf(number)), matched, from.isRead(number)), (byte)
                    0);
        }

        void write(int number, IntLinkedOpenHashSet rows, boolean isEvaluated) {
            Predicates.Unknown write = UnknownRowsResolution.this.predicates.unknown(number);
            if (write == null) {
                return;
            }
            if (isEvaluated) {
                predicate(number, new IntArrayList(rows));
            }
            for (int key : rows) {
                if (write.isDelete()) {
                    add(key, true, ValueDictionary.NULL, Operations.DELETE);
                    continue;
                }
                if (write.row() >= 0) {
                    add(0, false, Predicates.row(write.row()), (byte) 0);
                }
                add(key, true, write.value(), (byte) 0);
            }
        }

        Operations operations(int[] starts) {
            return new Operations(
                    starts,
                    keys.toIntArray(),
                    values.toLongArray(),
                    hasKinds || raw.operationKinds() != null ? kinds.toByteArray() : null);
        }
    }
}
