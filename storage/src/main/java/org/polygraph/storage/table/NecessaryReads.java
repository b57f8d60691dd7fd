package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2LongMap;
import it.unimi.dsi.fastutil.ints.Int2LongOpenHashMap;
import it.unimi.dsi.fastutil.ints.Int2ObjectMap;
import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntArrays;
import it.unimi.dsi.fastutil.ints.IntLinkedOpenHashSet;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.TransactionStatus;

/**
 * Reads and writes that each serial execution of a history explains, whatever rows its open writes have
 * (spark-jobs/docs/predicates.md, Writes of unknown rows). If no order explains them, the history is violated at the
 * levels of serial orders.
 *
 * <p>A result states of a row whether it matches a condition. The row and the condition have two keys, one for results
 * that have the row and one for those that lack it. Each known write of the row writes to both whether it matches. An
 * open write that may have the row writes only to the key whose readers look for what it leaves. So it can explain such
 * a read and never contradicts one. A version whose writer is known has a key too. In it, each open write whose
 * condition matches the version overwrites it, because such a write between the version and its reader would have had
 * the row.
 */
final class NecessaryReads implements RecordedWalk.Visitor {
    private static final int MOST_OPERATIONS = 1 << 21;
    private static final int NONE = -1;

    private final KnownRows known;
    private final HistoryTable raw;
    private final Predicates predicates;
    private final Int2ObjectMap<BitSet> candidates;
    private final KeyDictionary keys = new KeyDictionary();
    private final Int2LongMap initial = new Int2LongOpenHashMap();
    private final long yes;
    private final long no;
    private final boolean hasOpenDelete;

    /**
     * The versions that transactions which may have committed leave in known rows: by row their numbers, their values
     * and columns.
     */
    private final List<IntArrayList> versionsOf = new ArrayList<>();

    private final LongArrayList versionValues = new LongArrayList();
    private final IntArrayList versionColumns = new IntArrayList();

    /** By condition and row: the key of results that have the row; the next one is that of results that lack it. */
    private final Long2IntOpenHashMap keyOfPair = new Long2IntOpenHashMap();

    /** By row: the conditions that have keys. */
    private final List<IntArrayList> conditionsOf = new ArrayList<>();

    /** By condition: the rows that have keys. */
    private final List<IntArrayList> rowsOf = new ArrayList<>();

    /** By row and value of a version that is read: its number; and by that number its key and its row. */
    private final Long2IntOpenHashMap readVersions = new Long2IntOpenHashMap();

    private final IntArrayList readKeys = new IntArrayList();
    private final IntArrayList readRows = new IntArrayList();
    /** By open write: the numbers of versions that it overwrites. */
    private final Int2ObjectMap<IntArrayList> overwritten = new Int2ObjectOpenHashMap<>();

    private final Long2IntOpenHashMap valueNumbers = new Long2IntOpenHashMap();

    private final IntArrayList newKeys = new IntArrayList();
    private final LongArrayList newValues = new LongArrayList();
    private final ByteList newKinds = new ByteList();
    /** Whether the transaction that is added may have committed. */
    private boolean mayCount;

    /** @param candidates by number of an open write: the rows that it may have */
    NecessaryReads(KnownRows known, Int2ObjectMap<BitSet> candidates) {
        this.known = known;
        this.raw = known.raw();
        this.predicates = known.predicates();
        this.candidates = candidates;
        keys.addAll(raw.keys().labels());
        Int2LongMap stated = raw.initialState();
        if (stated != null) {
            initial.putAll(stated);
        }
        yes = raw.values().opaque("yes");
        no = raw.values().opaque("no");
        hasOpenDelete = known.hasOpenDelete();
        keyOfPair.defaultReturnValue(NONE);
        readVersions.defaultReturnValue(NONE);
        valueNumbers.defaultReturnValue(NONE);
        for (int row = 0; row < raw.keys().size(); row++) {
            conditionsOf.add(new IntArrayList(0));
            versionsOf.add(new IntArrayList(0));
        }
        for (int c = 0; c < predicates.conditions(); c++) {
            rowsOf.add(new IntArrayList(0));
        }
        collectVersions();
    }

    /** The history of the reads that were selected; null if they are too many, or if it was stopped. */
    @Nullable
    HistoryTable table(BooleanSupplier stop) {
        newKeys.clear();
        newValues.clear();
        newKinds.clear();
        sort();
        int[] starts = new int[raw.transactions() + 1];
        RecordedWalk walk = new RecordedWalk(raw, predicates, this);
        for (int t = 0; t < raw.transactions(); t++) {
            mayCount = mayCount(t);
            walk.over(t);
            starts[t + 1] = newKeys.size();
            if (newKeys.size() > MOST_OPERATIONS || stop.getAsBoolean()) {
                return null;
            }
        }
        byte[] kinds = raw.operationKinds() == null && !hasDeletes() ? null : newKinds.toByteArray();
        Operations operations = new Operations(starts, newKeys.toIntArray(), newValues.toLongArray(), kinds);
        return raw.with(keys, operations).withInitialState(initial);
    }

    /** Makes the order of the operations independent of that of the selection. */
    private void sort() {
        for (IntArrayList conditions : conditionsOf) {
            conditions.sort((a, b) -> predicates
                    .condition(a)
                    .label()
                    .compareTo(predicates.condition(b).label()));
        }
        for (IntArrayList each : rowsOf) {
            each.sort(null);
        }
        for (IntArrayList versions : overwritten.values()) {
            versions.sort((a, b) -> readRows.getInt(a) == readRows.getInt(b)
                    ? keys.label(readKeys.getInt(a)).compareTo(keys.label(readKeys.getInt(b)))
                    : Integer.compare(readRows.getInt(a), readRows.getInt(b)));
        }
    }

    /** Selects all reads. */
    void selectAll() {
        for (int c = 0; c < predicates.conditions(); c++) {
            for (int row = 0; row < conditionsOf.size(); row++) {
                selectPair(c, row);
            }
        }
        for (int o = 0; o < raw.operations(); o++) {
            if (known.isRead(o)) {
                selectVersion(raw.key(o), raw.value(o));
            }
        }
    }

    /**
     * Selects what the results of a condition state about a row. @return false if it was selected before, or demands
     * nothing
     */
    boolean selectPair(int condition, int row) {
        long pair = PredicateReads.pair(condition, row);
        boolean isMatched = matchesAtFirst(condition, row);
        IntArrayList versions = versionsOf.get(row);
        for (int i = 0; !isMatched && i < versions.size(); i++) {
            int v = versions.getInt(i);
            isMatched = matches(condition, versionValues.getLong(v), versionColumns.getInt(v));
        }
        if (!isMatched || keyOfPair.containsKey(pair)) {
            return false;
        }
        String label = PredicateReads.ROW + raw.keys().label(row) + " "
                + predicates.condition(condition).label();
        int has = keys.newId(label + " found");
        int lacks = keys.newId(label + " missing");
        keyOfPair.put(pair, has);
        conditionsOf.get(row).add(condition);
        rowsOf.get(condition).add(row);
        initial.put(has, code(matchesAtFirst(condition, row)));
        initial.put(lacks, code(matchesAtFirst(condition, row)));
        return true;
    }

    /**
     * Selects the requirement that no open write comes between a version and its readers. @return false if it was
     * selected before, or demands nothing
     */
    boolean selectVersion(int row, long value) {
        if (value == ValueDictionary.NULL
                || known.isOfOpen(row, value)
                || readVersions.containsKey(version(row, value))) {
            return false;
        }
        int written = raw.existsAtFirst(row) && raw.initialValue(row) == value ? 1 : 0;
        int v = NONE;
        IntArrayList versions = versionsOf.get(row);
        for (int i = 0; i < versions.size(); i++) {
            if (versionValues.getLong(versions.getInt(i)) == value) {
                written++;
                v = versions.getInt(i);
            }
        }
        return written == 1 && selectVersion(row, value, v);
    }

    private boolean hasDeletes() {
        for (int i = 0; i < newKinds.size(); i++) {
            if (newKinds.get(i) == Operations.DELETE) {
                return true;
            }
        }
        return false;
    }

    private boolean mayCount(int t) {
        return raw.status(t) != TransactionStatus.ABORTED;
    }

    private void collectVersions() {
        RecordedWalk walk = new RecordedWalk(raw, predicates, new RecordedWalk.Visitor() {
            @Override
            public boolean unknown(int predicate, Predicates.Unknown write) {
                for (int row : known.rows().get(predicate)) {
                    if (!write.isDelete()) {
                        addVersion(row, write.value(), write.row());
                    }
                }
                return true;
            }

            @Override
            public boolean write(int operation, int row, long value, int columns) {
                if (!raw.isDelete(operation)) {
                    addVersion(row, value, columns);
                }
                return true;
            }
        });
        for (int t = 0; t < raw.transactions(); t++) {
            if (mayCount(t)) {
                walk.over(t);
            }
        }
    }

    private void addVersion(int row, long value, int columns) {
        versionsOf.get(row).add(versionValues.size());
        versionValues.add(value);
        versionColumns.add(columns);
    }

    private boolean matches(int condition, long value, int columns) {
        return known.matches(predicates.condition(condition), value, columns);
    }

    private boolean matchesAtFirst(int condition, int row) {
        return raw.existsAtFirst(row) && matches(condition, raw.initialValue(row), NONE);
    }

    private long code(boolean matches) {
        return matches ? yes : no;
    }

    /** @param v the number of the known version; {@link #NONE} if it is the initial one */
    private boolean selectVersion(int row, long value, int v) {
        int columns = v == NONE ? NONE : versionColumns.getInt(v);
        int number = readKeys.size();
        boolean isOverwritten = false;
        for (int each : known.open()) {
            if (!known.rows().get(each).contains(row) && matches(predicates.conditionOf(each), value, columns)) {
                overwritten.computeIfAbsent(each, unused -> new IntArrayList()).add(number);
                isOverwritten = true;
            }
        }
        if (isOverwritten) {
            int key = keys.newId(PredicateReads.ROW + raw.keys().label(row) + " = "
                    + raw.values().label(value));
            readVersions.put(version(row, value), number);
            readKeys.add(key);
            readRows.add(row);
            initial.put(key, code(v == NONE));
        }
        return isOverwritten;
    }

    private long version(int row, long value) {
        int next = valueNumbers.size();
        int known = valueNumbers.putIfAbsent(value, next);
        return (long) row << 32 | (known == NONE ? next : known);
    }

    @Override
    public boolean read(int operation, int row, long value) {
        if (!(value == ValueDictionary.NULL && hasOpenDelete) && !known.isOfOpen(row, value)) {
            put(row, false, value, (byte) 0);
            int version = mayCount && value != ValueDictionary.NULL ? readVersions.get(version(row, value)) : NONE;
            if (version != NONE) {
                put(readKeys.getInt(version), false, yes, (byte) 0);
            }
        }
        return true;
    }

    @Override
    public boolean result(int predicate) {
        addMatches(predicate, new IntLinkedOpenHashSet(predicates.keys(predicate)), true);
        return true;
    }

    @Override
    public boolean unknown(int predicate, Predicates.Unknown write) {
        IntLinkedOpenHashSet rows = known.rows().get(predicate);
        boolean isOpen = known.open().contains(predicate);
        addMatches(predicate, rows, !isOpen);
        byte kind = write.isDelete() ? Operations.DELETE : 0;
        int[] ascending = rows.toIntArray();
        IntArrays.quickSort(ascending);
        for (int row : ascending) {
            write(row, write.isDelete() ? ValueDictionary.NULL : write.value(), write.row(), kind);
        }
        if (isOpen && mayCount) {
            addOpen(predicate, write, rows);
        }
        return true;
    }

    @Override
    public boolean write(int operation, int row, long value, int columns) {
        // With an open delete an insert may find no row although no known delete comes before it.
        boolean isPlain = hasOpenDelete && raw.isInsert(operation);
        write(row, value, columns, isPlain ? 0 : raw.kind(operation));
        return true;
    }

    /** Adds the selected reads of whether rows match a condition. @param areAll whether other rows do not match */
    private void addMatches(int predicate, IntLinkedOpenHashSet matched, boolean areAll) {
        int condition = predicates.conditionOf(predicate);
        IntArrayList possible = rowsOf.get(condition);
        for (int i = 0; mayCount && i < possible.size(); i++) {
            int row = possible.getInt(i);
            int has = keyOfPair.get(PredicateReads.pair(condition, row));
            if (matched.contains(row)) {
                put(has, false, yes, (byte) 0);
            } else if (areAll) {
                put(has + 1, false, no, (byte) 0);
            }
        }
    }

    private void addOpen(int number, Predicates.Unknown write, IntLinkedOpenHashSet matched) {
        BitSet possible = candidates.get(number);
        for (int row = possible.nextSetBit(0); row >= 0; row = possible.nextSetBit(row + 1)) {
            if (matched.contains(row)) {
                continue;
            }
            IntArrayList conditions = conditionsOf.get(row);
            for (int i = 0; i < conditions.size(); i++) {
                int c = conditions.getInt(i);
                boolean matches = !write.isDelete() && matches(c, write.value(), write.row());
                put(keyOfPair.get(PredicateReads.pair(c, row)) + (matches ? 0 : 1), true, code(matches), (byte) 0);
            }
        }
        IntArrayList versions = overwritten.get(number);
        for (int i = 0; versions != null && i < versions.size(); i++) {
            put(readKeys.getInt(versions.getInt(i)), true, no, (byte) 0);
        }
    }

    /** Adds a write of a known row, to its own key and to those of whether it matches. */
    private void write(int row, long value, int columns, byte kind) {
        put(row, true, value, kind);
        boolean isDelete = kind == Operations.DELETE;
        IntArrayList conditions = conditionsOf.get(row);
        for (int i = 0; mayCount && i < conditions.size(); i++) {
            int c = conditions.getInt(i);
            int has = keyOfPair.get(PredicateReads.pair(c, row));
            long code = code(!isDelete && matches(c, value, columns));
            put(has, true, code, (byte) 0);
            put(has + 1, true, code, (byte) 0);
        }
        int version = mayCount && !isDelete ? readVersions.get(version(row, value)) : NONE;
        if (version != NONE) {
            put(readKeys.getInt(version), true, yes, (byte) 0);
        }
    }

    private void put(int key, boolean isWrite, long value, byte kind) {
        newKeys.add(Operations.pack(key, isWrite));
        newValues.add(value);
        newKinds.add(kind);
    }
}
