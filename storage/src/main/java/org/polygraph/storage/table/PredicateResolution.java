package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2LongMap;
import it.unimi.dsi.fastutil.ints.Int2LongOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.BudgetException;

/**
 * Expresses predicates as reads of single keys (spark-jobs/docs/rows.md, How they are decided). A row and a
 * condition get a key of whether the row matches: each writer of the row writes it too, with an insert or a delete if
 * the row has one. A result that lacks the row, or that has it without its value, reads it. Conditions that the same
 * versions of the row match share this key. A row that never matches needs no key.
 *
 * <p>Time and memory: linear in the operations, plus for each predicate the rows that may match, plus for each write of
 * a row the keys that the row has.
 */
final class PredicateResolution {
    private static final int MOST_OPERATIONS = 1 << 28;
    private static final int NONE = -1;

    private final HistoryTable table;
    private final Predicates predicates;
    private final KeyDictionary keys;
    private final ValueDictionary values;
    private final RowVersions versions;
    private final Long2IntOpenHashMap keyOfPair;
    private final @Nullable LongSet pairs;

    /** By row and the versions that match: the number of the key. */
    private final Long2IntOpenHashMap numbers = new Long2IntOpenHashMap();

    /** By number: the row, the key, the condition, and the number of the next key of the same row. */
    /** Keys of pairs that a query found although no version of the row matches, and their rows. */
    private final IntArrayList unmatchedKeys = new IntArrayList();

    private final IntArrayList unmatchedRows = new IntArrayList();
    private final IntArrayList rowOf = new IntArrayList();

    private final IntArrayList matchKeys = new IntArrayList();
    private final IntArrayList conditionOf = new IntArrayList();
    private final IntArrayList next = new IntArrayList();
    private final int[] firsts;

    /** By condition: the rows that may match, and the numbers of their keys. */
    private final List<int[]> candidates = new ArrayList<>();

    private final List<int[]> candidateNumbers = new ArrayList<>();

    /** By condition: its rows in {@link #pairs}. */
    private final List<IntArrayList> selected = new ArrayList<>();

    private final long yes;
    private final OperationList operations;

    /**
     * Prepares the resolution.
     *
     * @param table as it was recorded
     * @param keyOfPair by pair: the key, if an earlier resolution has made it; gets those that are new
     * @param pairs see {@link PredicateReads#pair}; null for all pairs that may matter
     */
    PredicateResolution(
            HistoryTable table,
            Predicates predicates,
            RowVersions versions,
            Long2IntOpenHashMap keyOfPair,
            @Nullable LongSet pairs) {
        this.table = table;
        this.predicates = predicates;
        this.versions = versions;
        this.keyOfPair = keyOfPair;
        this.pairs = pairs;
        keys = table.keys();
        values = table.values();
        firsts = new int[keys.size()];
        Arrays.fill(firsts, NONE);
        numbers.defaultReturnValue(NONE);
        yes = values.opaque(PredicateReads.YES);
        operations = new OperationList(table.operations());
    }

    HistoryTable resolved() {
        for (int c = 0; pairs != null && c < predicates.conditions(); c++) {
            selected.add(new IntArrayList(0));
        }
        if (pairs != null) {
            long[] sorted = pairs.toLongArray();
            Arrays.sort(sorted);
            for (long pair : sorted) {
                selected.get((int) (pair >>> 32)).add((int) pair);
            }
        }
        for (int c = 0; c < predicates.conditions(); c++) {
            candidates.add(new int[0]);
            candidateNumbers.add(new int[0]);
        }
        for (int c : inOrder()) {
            addCandidates(c, pairs == null ? versions.candidates(predicates.condition(c)) : byLabel(selected.get(c)));
        }
        int[] ends = new int[table.transactions() + 1];
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                long code = table.value(o);
                if (Predicates.isOne(code)) {
                    read(Predicates.number(code), o);
                } else if (!Predicates.isRow(code)) {
                    put(table.operationKeys()[o], code, table.kind(o));
                    if (table.isWrite(o)) {
                        write(table.key(o), code, Predicates.columnsOf(table, o), table.kind(o));
                    }
                }
            }
            ends[t + 1] = operations.size();
        }
        Int2LongMap initial = new Int2LongOpenHashMap();
        Int2LongMap stated = table.initialState();
        if (stated != null) {
            initial.putAll(stated);
        }
        for (int number = 0; number < matchKeys.size(); number++) {
            int row = rowOf.getInt(number);
            initial.put(matchKeys.getInt(number), initial(row, matches(number, table.initialValue(row), NONE)));
        }
        for (int i = 0; i < unmatchedKeys.size(); i++) {
            initial.put(unmatchedKeys.getInt(i), initial(unmatchedRows.getInt(i), false));
        }
        return table.with(operations.build(ends)).withInitialState(initial);
    }

    private long initial(int row, boolean matches) {
        boolean isRowOfNull = table.hasRows() && !matches && table.existsAtFirst(row);
        return isRowOfNull ? Header.ROW_OF_NULL : code(matches);
    }

    /**
     * The conditions. Selected pairs are in the order of their labels, so that a part of the history, which has other
     * numbers, has the same operations in the same order.
     */
    private int[] inOrder() {
        IntArrayList all = new IntArrayList(predicates.conditions());
        for (int condition = 0; condition < predicates.conditions(); condition++) {
            all.add(condition);
        }
        if (pairs != null) {
            all.sort((a, b) -> predicates
                    .condition(a)
                    .label()
                    .compareTo(predicates.condition(b).label()));
        }
        return all.toIntArray();
    }

    private int[] byLabel(IntArrayList rows) {
        rows.sort((a, b) -> keys.label(a).compareTo(keys.label(b)));
        return rows.toIntArray();
    }

    /**
     * Creates the keys of rows that may match a condition. Selected pairs share no keys, so that the keys do not depend
     * on other pairs.
     */
    private void addCandidates(int condition, int[] rows) {
        int[] numbersHere = new int[rows.length];
        int n = 0;
        for (int row : rows) {
            long matched = versions.matched(predicates.condition(condition), condition, row);
            if (matched == RowVersions.NONE) {
                continue;
            }
            int number = pairs == null ? numbers.get(matched) : NONE;
            if (number == NONE) {
                number = matchKeys.size();
                numbers.put(matched, number);
                rowOf.add(row);
                matchKeys.add(key(row, condition));
                conditionOf.add(condition);
                next.add(firsts[row]);
                firsts[row] = number;
            }
            rows[n] = row;
            numbersHere[n++] = number;
        }
        candidates.set(condition, Arrays.copyOf(rows, n));
        candidateNumbers.set(condition, Arrays.copyOf(numbersHere, n));
    }

    /** The key of a pair, which no transaction has. */
    private int key(int row, int condition) {
        long pair = PredicateReads.pair(condition, row);
        int known = keyOfPair.get(pair);
        if (known >= 0) {
            return known;
        }
        String label = PredicateReads.ROW + keys.label(row) + " "
                + predicates.condition(condition).label();
        int id = keys.newId(label);
        keyOfPair.put(pair, id);
        return id;
    }

    /**
     * Adds reads of whether rows match. A row whose value is read too needs none, because that read requires as much.
     */
    private void read(int predicate, int operation) {
        int c = predicates.conditionOf(predicate);
        if (!isSelected(c)) {
            return;
        }
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
            boolean isSelected = pairs == null || pairs.contains(PredicateReads.pair(c, row));
            if (isSelected && left.contains(row) && !enough.contains(row)) {
                // No version of the row matches, so nothing writes this value.
                int key = key(row, c);
                unmatchedKeys.add(key);
                unmatchedRows.add(row);
                put(key << 1, values.opaque(PredicateReads.YES), (byte) 0);
            }
        }
    }

    private boolean isSelected(int condition) {
        return pairs == null || !selected.get(condition).isEmpty();
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
        // A delete leaves null, and a row that is deleted does not match.
        return matches ? yes : ValueDictionary.NULL;
    }

    private void put(int keyAndKind, long code, byte kind) {
        if (operations.size() >= MOST_OPERATIONS) {
            throw new BudgetException("predicates and the rows that may match them are more than " + MOST_OPERATIONS
                    + " pairs; check a part of the history, or narrower conditions");
        }
        operations.add(keyAndKind, code, kind);
    }
}
