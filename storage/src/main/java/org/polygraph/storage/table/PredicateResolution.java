package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.bytes.ByteArrayList;
import it.unimi.dsi.fastutil.ints.Int2LongMap;
import it.unimi.dsi.fastutil.ints.Int2LongOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;

/**
 * Expresses predicates as reads of single keys (spark-jobs/docs/predicates.md, Reduction to reads). A row and a condition get a key of
 * whether the row matches: each writer of the row writes it, in the way that it writes the row, and a result that lacks the row, or
 * that has it without its value, reads it. Bounds between which the same values of the row are share this key, and a row that never matches
 * needs none.
 *
 * <p>Time and memory: linear in the operations, plus for each predicate the rows that may match, plus for each write of a row the keys
 * that the row has.
 */
final class PredicateResolution {
    private static final int MOST_OPERATIONS = 1 << 28;
    private static final int NONE = -1;

    private final HistoryTable table;
    private final Predicates predicates;
    private final KeyDictionary keys;
    private final ValueDictionary values;
    private final RowVersions versions;

    /** By row and the versions that match: the number of the key. */
    private final Long2IntOpenHashMap numbers = new Long2IntOpenHashMap();

    /** By number: the row, the key, the condition, and the number of the next key of the same row. */
    private final IntArrayList rowOf = new IntArrayList();

    private final IntArrayList matchKeys = new IntArrayList();
    private final IntArrayList conditionOf = new IntArrayList();
    private final IntArrayList next = new IntArrayList();
    private final int[] firsts;

    /** By condition: the rows that may match, and the numbers of their keys. */
    private final List<int[]> candidates = new ArrayList<>();

    private final List<int[]> candidateNumbers = new ArrayList<>();

    private final long yes;
    private final long no;
    private final IntArrayList newKeys = new IntArrayList();
    private final LongArrayList newCodes = new LongArrayList();
    private final @Nullable ByteArrayList newKinds;

    private PredicateResolution(HistoryTable table, Predicates predicates) {
        this.table = table;
        this.predicates = predicates;
        keys = table.keys();
        values = table.values();
        versions = new RowVersions(table, predicates);
        firsts = new int[keys.size()];
        Arrays.fill(firsts, NONE);
        numbers.defaultReturnValue(NONE);
        yes = values.opaque("yes");
        // A delete leaves null, and a row that is deleted does not match.
        no = table.hasRows() ? ValueDictionary.NULL : values.opaque("no");
        newKinds = table.hasRows() ? new ByteArrayList() : null;
    }

    /** The table with reads and writes in place of the codes that stand for predicates, and without those of columns. */
    static HistoryTable of(HistoryTable table, Predicates predicates) throws HistoryException {
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (table.value(o) == Predicates.OF_UNKNOWN_ROWS) {
                    requireAborted(table, t);
                }
            }
        }
        if (predicates.size() == 0) {
            return table.with(withoutStandIns(
                    table.operationStarts(), table.operationKeys(), table.operationValues(), table.operationKinds()));
        }
        table.values().markPredicates();
        return new PredicateResolution(table, predicates).resolved();
    }

    /** Operations without those that stand for columns and for writes of unknown rows. */
    static Operations withoutStandIns(int[] starts, int[] keys, long[] codes, byte @Nullable [] kinds) {
        int[] keptStarts = new int[starts.length];
        int[] keptKeys = new int[keys.length];
        long[] keptCodes = new long[keys.length];
        byte[] keptKinds = kinds == null ? null : new byte[keys.length];
        int n = 0;
        for (int t = 0; t + 1 < starts.length; t++) {
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                if (codes[o] != Predicates.OF_UNKNOWN_ROWS && !Predicates.isRow(codes[o])) {
                    if (kinds != null && keptKinds != null) {
                        keptKinds[n] = kinds[o];
                    }
                    keptKeys[n] = keys[o];
                    keptCodes[n++] = codes[o];
                }
            }
            keptStarts[t + 1] = n;
        }
        return new Operations(
                keptStarts,
                Arrays.copyOf(keptKeys, n),
                Arrays.copyOf(keptCodes, n),
                keptKinds == null ? null : Arrays.copyOf(keptKinds, n));
    }

    private HistoryTable resolved() {
        for (int c = 0; c < predicates.conditions(); c++) {
            addCandidates(c);
        }
        int[] ends = new int[table.transactions() + 1];
        int columns = NONE;
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                long code = table.value(o);
                if (Predicates.isRow(code)) {
                    columns = Predicates.rowNumber(code);
                } else if (Predicates.isOne(code)) {
                    read(Predicates.number(code), o);
                } else if (code != Predicates.OF_UNKNOWN_ROWS) {
                    byte kind = table.kind(o);
                    put(table.operationKeys()[o], code, kind);
                    if (table.isWrite(o)) {
                        write(table.key(o), code, columns, kind);
                        columns = NONE;
                    }
                }
            }
            ends[t + 1] = newKeys.size();
        }
        Int2LongMap initial = new Int2LongOpenHashMap();
        Int2LongMap stated = table.initialState();
        if (stated != null) {
            initial.putAll(stated);
        }
        for (int number = 0; number < matchKeys.size(); number++) {
            int row = rowOf.getInt(number);
            boolean matches = matches(number, table.initialValue(row), NONE);
            boolean isRowOfNull = table.hasRows() && !matches && table.existsAtFirst(row);
            initial.put(matchKeys.getInt(number), isRowOfNull ? HistoryTable.ROW_OF_NULL : code(matches));
        }
        byte[] kinds = newKinds == null ? null : newKinds.toByteArray();
        return table.with(new Operations(ends, newKeys.toIntArray(), newCodes.toLongArray(), kinds))
                .withInitialState(initial);
    }

    /** No other transaction sees what an aborted one wrote, so its write of unknown rows is left out. */
    private static void requireAborted(HistoryTable table, int transaction) throws HistoryException {
        if (table.status(transaction) != TransactionStatus.ABORTED) {
            throw new HistoryException(
                    table.whereIs(transaction),
                    "a \"pw\" or \"pd\" without \"keys\"",
                    "the keys of the rows that it wrote",
                    "a write of unknown rows is not decided yet: record its keys");
        }
    }

    /** Finds the rows that may match a condition, and makes the keys that are new. */
    private void addCandidates(int condition) {
        int[] rows = versions.candidates(predicates.condition(condition));
        int[] numbersHere = new int[rows.length];
        int n = 0;
        for (int row : rows) {
            long matched = versions.matched(predicates.condition(condition), condition, row);
            if (matched == RowVersions.NONE) {
                continue;
            }
            int number = numbers.get(matched);
            if (number == NONE) {
                number = matchKeys.size();
                numbers.put(matched, number);
                rowOf.add(row);
                matchKeys.add(key(row, predicates.condition(condition).label()));
                conditionOf.add(condition);
                next.add(firsts[row]);
                firsts[row] = number;
            }
            rows[n] = row;
            numbersHere[n++] = number;
        }
        candidates.add(Arrays.copyOf(rows, n));
        candidateNumbers.add(Arrays.copyOf(numbersHere, n));
    }

    /** A key that no transaction has. */
    private int key(int row, String condition) {
        String label = "row " + keys.label(row) + " " + condition;
        int size = keys.size();
        int id = keys.id(label);
        while (id < size) {
            label += "'";
            id = keys.id(label);
        }
        return id;
    }

    /** Reads whether rows match, but of those whose value is read too and is enough. */
    private void read(int predicate, int operation) {
        int c = predicates.conditionOf(predicate);
        Condition condition = predicates.condition(c);
        int[] matched = predicates.keys(predicate);
        IntOpenHashSet left = new IntOpenHashSet(matched);
        IntOpenHashSet enough = new IntOpenHashSet();
        for (int i = 0; predicates.isRead(predicate) && condition.isOfValue() && i < matched.length; i++) {
            if (condition.matches(values, table.value(operation - matched.length + i))) {
                enough.add(matched[i]);
            }
        }
        int[] rows = candidates.get(c);
        for (int i = 0; i < rows.length; i++) {
            boolean isMatched = left.remove(rows[i]);
            if (!enough.contains(rows[i])) {
                put(matchKeys.getInt(candidateNumbers.get(c)[i]) << 1, code(isMatched), (byte) 0);
            }
        }
        for (int row : matched) {
            if (left.contains(row) && !enough.contains(row)) {
                // No version of the row matches, so nothing writes this value.
                put(key(row, condition.label()) << 1, values.opaque("matches"), (byte) 0);
            }
        }
    }

    private void write(int row, long value, int columns, byte kind) {
        boolean isDelete = kind == Operations.DELETE;
        for (int number = firsts[row]; number != NONE; number = next.getInt(number)) {
            put(matchKeys.getInt(number) << 1 | 1, code(!isDelete && matches(number, value, columns)), kind);
        }
    }

    private boolean matches(int number, long value, int columns) {
        return predicates.condition(conditionOf.getInt(number)).matches(values, predicates.rows(), value, columns);
    }

    private long code(boolean matches) {
        return matches ? yes : no;
    }

    private void put(int keyAndKind, long code, byte kind) {
        if (newKeys.size() >= MOST_OPERATIONS) {
            throw new BudgetException("predicates and the rows that may match them are more than " + MOST_OPERATIONS
                    + " pairs; check a part of the history, or narrower conditions");
        }
        newKeys.add(keyAndKind);
        newCodes.add(code);
        if (newKinds != null) {
            newKinds.add(kind);
        }
    }
}
