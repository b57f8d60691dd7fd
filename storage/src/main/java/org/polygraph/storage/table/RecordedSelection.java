package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2IntOpenHashMap;
import it.unimi.dsi.fastutil.ints.Int2LongMap;
import it.unimi.dsi.fastutil.ints.Int2LongOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.HistoryException;

/**
 * Some operations of a history with predicates, in the form in which they were recorded. A predicate of the
 * selection has all of its rows that are rows of the selection. So the history requires of an order what the selection
 * requires, if the selection has the writers of what it reads.
 */
public final class RecordedSelection {
    /** The field of a header that states that the history is a part of another one. */
    private static final String PART = "part";
    /** The values of this field, as JSON. In a part of writes, inserts and deletes count as other writes. */
    private static final String OF_ROWS = "true";

    private static final String OF_WRITES = "\"writes\"";

    private final HistoryTable table;
    private final HistoryTable raw;
    private final Predicates predicates;
    private final PredicateReads reads;
    /** Recorded operations that are kept: plain ones, and those whose values are codes of predicates. */
    private final BitSet kept = new BitSet();
    /** By recorded operation: the operation with the predicate that it is a row of; -1 for none. */
    private final int[] ofPredicate;
    /** By operation of the table: the recorded one, see {@link PredicateReads#origins}. */
    private final int[] origins;

    private final IntOpenHashSet rows = new IntOpenHashSet();
    private final Predicates to;
    private final Int2IntOpenHashMap ids = new Int2IntOpenHashMap();
    private final IntArrayList keys = new IntArrayList();
    private final OperationList recorded = new OperationList(0);

    private RecordedSelection(HistoryTable table, PredicateReads reads, Predicates predicates) {
        this.table = table;
        this.reads = reads;
        this.predicates = predicates;
        this.raw = table.asRead();
        this.to = new Predicates(predicates.rows());
        this.ofPredicate = reads.results();
        this.origins = reads.origins(table);
        ids.defaultReturnValue(-1);
    }

    /**
     * Returns some operations as they were recorded.
     *
     * @param operations ids, ascending
     * @return null if none of them expresses a predicate, or if the rows of some predicate were not recorded
     */
    public static @Nullable HistoryTable of(HistoryTable table, int[] operations) {
        Predicates predicates = table.recordedPredicates();
        PredicateReads reads = table.predicates();
        if (predicates == null || reads == null || predicates.hasUnknown()) {
            return null;
        }
        return new RecordedSelection(table, reads, predicates).of(operations);
    }

    /**
     * Returns some operations as they were recorded, with the ids that they have in the history.
     *
     * @param operations ids, ascending
     * @return null where {@link #of(HistoryTable, int[])} is null, or if the recorded form has other operations
     */
    public static @Nullable HistorySelection selection(HistoryTable table, int[] operations) {
        HistoryTable recorded = of(table, operations);
        return recorded == null ? null : HistorySelection.of(table, operations).as(recorded);
    }

    /**
     * Returns the operations that express the recorded form of some operations: with each predicate all that express it
     * on rows of the selection, and with each write all that state which conditions it fulfils.
     *
     * @param operations ids, ascending
     * @return ids, ascending; null where {@link #of(HistoryTable, int[])} is null
     */
    public static int @Nullable [] expressed(HistoryTable table, int[] operations) {
        Predicates predicates = table.recordedPredicates();
        PredicateReads reads = table.predicates();
        if (predicates == null || reads == null || predicates.hasUnknown()) {
            return null;
        }
        RecordedSelection selection = new RecordedSelection(table, reads, predicates);
        if (selection.of(operations) == null) {
            return null;
        }
        IntArrayList all = new IntArrayList();
        int t = -1;
        for (int o : operations) {
            if (t < 0 || o >= table.operationsEnd(t)) {
                t = HistorySelection.transactionOf(table, o);
                selection.express(t, all);
            }
        }
        return all.toIntArray();
    }

    /**
     * Whether the header of a history states that it is a part of another one. None of its transactions loads initial
     * rows, because those that do are never in a part. Its times need not order any transactions, because a part without
     * times may violate a level with real time.
     */
    public static boolean isPart(HistoryTable history) {
        return OF_ROWS.equals(history.metadata().get(PART)) || isOfWrites(history);
    }

    /**
     * Whether the header states besides that inserts and deletes count as other writes, because some of those that they
     * depend on are not in the part.
     */
    public static boolean isOfWrites(HistoryTable history) {
        return OF_WRITES.equals(history.metadata().get(PART));
    }

    /** The same history with a header that states that it is a part of another one. */
    public static HistoryTable part(HistoryTable history, boolean ofWrites) {
        return history.with(PART, (ofWrites && history.hasRows()) || isOfWrites(history) ? OF_WRITES : OF_ROWS);
    }

    /**
     * Returns some operations as a history to write. Its header states that it is a part of another one, see
     * {@link #isPart}.
     *
     * @param recorded whether predicates are written as they were recorded; else as the operations that express them.
     *     Lists are written as they were recorded, without the elements of appends that are not among the operations
     * @param ofWrites whether its inserts and deletes count as other writes, see {@link #isOfWrites}
     */
    public static HistoryTable written(HistoryTable table, int[] operations, boolean recorded, boolean ofWrites) {
        HistoryTable selected = recorded ? of(table, operations) : null;
        if (selected != null) {
            return part(selected.asRead(), ofWrites);
        }
        HistoryTable plain = HistorySelection.of(table, operations).table();
        return part(plain.withRecordedLists(), ofWrites);
    }

    private @Nullable HistoryTable of(int[] operations) {
        IntArrayList transactions = new IntArrayList();
        boolean hasPredicate = false;
        for (int i = 0; i < operations.length; ) {
            int t = HistorySelection.transactionOf(table, operations[i]);
            BitSet selected = new BitSet();
            for (; i < operations.length && operations[i] < table.operationsEnd(t); i++) {
                selected.set(operations[i]);
            }
            transactions.add(t);
            hasPredicate |= select(t, selected);
        }
        if (!hasPredicate) {
            return null;
        }
        int[] starts = new int[transactions.size() + 1];
        for (int i = 0; i < transactions.size(); i++) {
            write(transactions.getInt(i));
            starts[i + 1] = recorded.size();
        }
        int mentioned = keys.size();
        addOtherRows();
        HistoryTable selected =
                HistorySelection.table(raw, keys.toIntArray(), transactions.toIntArray(), recorded.build(starts));
        return resolved(withInitialRows(selected, mentioned));
    }

    /** Adds the rows that the predicates missed and that no kept operation mentions. */
    private void addOtherRows() {
        int[] all = rows.toIntArray();
        Arrays.sort(all);
        for (int row : all) {
            id(row);
        }
    }

    /** The same history with the initial values of the keys from a number on, so that a file of it has these rows. */
    private static HistoryTable withInitialRows(HistoryTable selected, int from) {
        Int2LongMap state = selected.initialState() == null
                ? new Int2LongOpenHashMap()
                : new Int2LongOpenHashMap(selected.initialState());
        for (int key = from; key < selected.keys().size(); key++) {
            state.putIfAbsent(key, selected.initialValue());
        }
        return from == selected.keys().size() ? selected : selected.withInitialState(state);
    }

    private HistoryTable resolved(HistoryTable selected) {
        try {
            return PredicateReads.of(selected, to);
        } catch (HistoryException e) {
            throw new IllegalStateException("all rows are known", e);
        }
    }

    /**
     * Selects the recorded form of some operations of a transaction. @return whether one of them expresses a predicate
     */
    private boolean select(int t, BitSet selected) {
        boolean hasPredicate = false;
        for (int o = selected.nextSetBit(0); o >= 0; o = selected.nextSetBit(o + 1)) {
            int origin = origins[o];
            int row = reads.rowOf(table.key(o));
            rows.add(row < 0 ? table.key(o) : row);
            hasPredicate |= row >= 0;
            if (row < 0 || table.isWrite(o)) {
                kept.set(origin);
                // A row that a query returned is a part of its result.
                if (row < 0 && ofPredicate[origin] >= 0 && !raw.isWrite(origin)) {
                    hasPredicate = true;
                    kept.set(ofPredicate[origin]);
                }
            } else {
                for (int at = origin; isStandIn(t, at); at++) {
                    kept.set(at, kept.get(at) || Predicates.isOne(raw.value(at)));
                }
            }
        }
        return hasPredicate;
    }

    /** Adds the operations of a transaction that express what is kept of it. */
    private void express(int t, IntArrayList all) {
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            int origin = origins[o];
            int row = reads.rowOf(table.key(o));
            boolean isExpressed =
                    row < 0 || table.isWrite(o) ? isKept(origin) : rows.contains(row) && hasKept(t, origin);
            if (isExpressed) {
                all.add(o);
            }
        }
    }

    /** Whether one of the predicates directly after each other is kept. */
    private boolean hasKept(int t, int first) {
        int at = first;
        while (isStandIn(t, at) && !(Predicates.isOne(raw.value(at)) && kept.get(at))) {
            at++;
        }
        return isStandIn(t, at);
    }

    /** Whether an operation of a transaction, if it has this one, is none of the table. */
    private boolean isStandIn(int t, int o) {
        return o < raw.operationsEnd(t)
                && (Predicates.isStandIn(raw.value(o)) || raw.values().isOther(raw.value(o)));
    }

    private boolean isKept(int o) {
        return ofPredicate[o] >= 0 && kept.get(ofPredicate[o]) ? rows.contains(raw.key(o)) : kept.get(o);
    }

    private void write(int t) {
        int row = -1;
        for (int o = raw.firstOperation(t); o < raw.operationsEnd(t); o++) {
            long code = raw.value(o);
            if (Predicates.isRow(code)) {
                row = o;
            } else if (Predicates.isOne(code)) {
                if (kept.get(o)) {
                    predicate(o);
                }
            } else {
                if (isKept(o)) {
                    if (row >= 0) {
                        recorded.add(0, raw.value(row), (byte) 0);
                    }
                    recorded.add(Operations.pack(id(raw.key(o)), raw.isWrite(o)), code, raw.kind(o));
                }
                row = -1;
            }
        }
    }

    /** Writes the predicate at a place, with the rows that are kept. */
    private void predicate(int o) {
        int number = Predicates.number(raw.value(o));
        Condition condition = predicates.condition(predicates.conditionOf(number));
        IntArrayList matched = new IntArrayList();
        for (int key : predicates.keys(number)) {
            if (rows.contains(key)) {
                matched.add(id(key));
            }
        }
        boolean isRead = predicates.isRead(number);
        long code = isRead || !matched.isEmpty()
                ? to.add(condition, matched, isRead)
                : to.add(condition, writeOfNoRow(o, predicates.recording(raw.value(o))));
        recorded.add(0, code, (byte) 0);
    }

    /** What a predicate writes, if none of its rows is kept. */
    private Predicates.Unknown writeOfNoRow(int o, Predicates.Recording recording) {
        Predicates.Unknown write = recording.write();
        if (write != null) {
            return write;
        }
        int columns = Predicates.isRow(raw.value(o + 1)) ? Predicates.rowNumber(raw.value(o + 1)) : -1;
        int first = columns < 0 ? o + 1 : o + 2;
        return new Predicates.Unknown(raw.isDelete(first), raw.value(first), columns, 0);
    }

    private int id(int key) {
        int id = ids.get(key);
        if (id < 0) {
            id = keys.size();
            ids.put(key, id);
            keys.add(key);
        }
        return id;
    }
}
