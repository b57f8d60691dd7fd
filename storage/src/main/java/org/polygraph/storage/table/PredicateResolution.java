package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2IntOpenHashMap;
import it.unimi.dsi.fastutil.ints.Int2LongMap;
import it.unimi.dsi.fastutil.ints.Int2LongOpenHashMap;
import it.unimi.dsi.fastutil.ints.Int2ObjectMap;
import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.ints.IntSet;
import it.unimi.dsi.fastutil.ints.IntSets;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
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
 * <p>A result that has a row with its value needs no such read if each version with this value matches. Otherwise it
 * reads a key of whether the row matches and has the value.
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
    private final PairKeys keysOfPairs;
    private final @Nullable LongSet pairs;

    /** By row and the versions that match: the number of the key. */
    private final Long2IntOpenHashMap numbers = new Long2IntOpenHashMap();

    /** Keys of pairs that a write found although no version of the row matches, and their rows. */
    private final IntArrayList unmatchedKeys = new IntArrayList();

    private final IntArrayList unmatchedRows = new IntArrayList();

    /** By number: the row, the key, the condition, and the number of the next key of the same row. */
    private final IntArrayList rowOf = new IntArrayList();

    private final IntArrayList matchKeys = new IntArrayList();
    private final IntArrayList conditionOf = new IntArrayList();
    private final IntArrayList next = new IntArrayList();
    private final int[] firsts;

    /** By pair of a condition on columns and a row of its results: the values of versions that do not match. */
    private final Long2ObjectOpenHashMap<LongOpenHashSet> mismatched = new Long2ObjectOpenHashMap<>();

    /** By key of a pair and a value: its number. The value that a version has to have too, by number. */
    private final Int2IntOpenHashMap numberOfValue = new Int2IntOpenHashMap();

    private final Int2LongOpenHashMap valueOf = new Int2LongOpenHashMap();

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
     * @param pairs see {@link PredicateReads#pair}; null for all pairs that may matter
     */
    PredicateResolution(
            HistoryTable table,
            Predicates predicates,
            RowVersions versions,
            PairKeys keysOfPairs,
            @Nullable LongSet pairs) {
        this.table = table;
        this.predicates = predicates;
        this.versions = versions;
        this.keysOfPairs = keysOfPairs;
        this.pairs = pairs;
        keys = table.keys();
        values = table.values();
        firsts = new int[keys.size()];
        Arrays.fill(firsts, NONE);
        numbers.defaultReturnValue(NONE);
        numberOfValue.defaultReturnValue(NONE);
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
        collectMismatched();
        for (int o = 0; o < table.operations(); o++) {
            if (Predicates.isOne(table.value(o))) {
                addValues(Predicates.number(table.value(o)), o);
            }
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
                number = add(keysOfPairs.of(PredicateReads.pair(condition, row)), row, condition);
                numbers.put(matched, number);
            }
            rows[n] = row;
            numbersHere[n++] = number;
        }
        candidates.set(condition, Arrays.copyOf(rows, n));
        candidateNumbers.set(condition, Arrays.copyOf(numbersHere, n));
    }

    /** Adds a key that each writer of a row writes. @return its number */
    private int add(int key, int row, int condition) {
        int number = matchKeys.size();
        rowOf.add(row);
        matchKeys.add(key);
        conditionOf.add(condition);
        next.add(firsts[row]);
        firsts[row] = number;
        return number;
    }

    /** Collects the values of versions that do not match, for the conditions on columns and the rows of their results. */
    private void collectMismatched() {
        Int2ObjectOpenHashMap<IntSet> conditionsOf = new Int2ObjectOpenHashMap<>();
        for (int p = 0; p < predicates.size(); p++) {
            int c = predicates.conditionOf(p);
            boolean isOfColumns =
                    predicates.isRead(p) && !predicates.condition(c).isOfValue();
            for (int at = predicates.firstKey(p); isOfColumns && at < predicates.keysEnd(p); at++) {
                conditionsOf
                        .computeIfAbsent(predicates.keyAt(at), unused -> new IntOpenHashSet())
                        .add(c);
            }
        }
        for (Int2ObjectMap.Entry<IntSet> each : conditionsOf.int2ObjectEntrySet()) {
            for (int c : each.getValue()) {
                addMismatched(c, each.getIntKey(), table.initialValue(each.getIntKey()));
            }
        }
        for (int o = 0; o < table.operations() && !conditionsOf.isEmpty(); o++) {
            IntSet conditions = table.isWrite(o) ? conditionsOf.get(table.key(o)) : null;
            for (int c : conditions == null ? IntSets.EMPTY_SET : conditions) {
                if (table.isDelete(o)
                        || !predicates
                                .condition(c)
                                .matches(values, predicates.rows(), table.value(o), Predicates.columnsOf(table, o))) {
                    addMismatched(c, table.key(o), table.value(o));
                }
            }
        }
    }

    private void addMismatched(int condition, int row, long value) {
        mismatched
                .computeIfAbsent(PredicateReads.pair(condition, row), unused -> new LongOpenHashSet())
                .add(value);
    }

    /** Creates the keys of the rows of a result that some version with the returned value does not match. */
    private void addValues(int predicate, int operation) {
        int c = predicates.conditionOf(predicate);
        int[] matched = predicates.keys(predicate);
        for (int i = 0; predicates.isRead(predicate) && i < matched.length; i++) {
            long value = table.value(operation - matched.length + i);
            if (isSelected(c, matched[i]) && mayMismatch(c, matched[i], value)) {
                int key = keyOfValue(c, matched[i], value);
                if (!numberOfValue.containsKey(key)) {
                    int number = add(key, matched[i], c);
                    numberOfValue.put(key, number);
                    valueOf.put(number, value);
                }
            }
        }
    }

    private boolean mayMismatch(int c, int row, long value) {
        Condition condition = predicates.condition(c);
        LongOpenHashSet others = mismatched.get(PredicateReads.pair(c, row));
        return condition.isOfValue() ? !condition.matches(values, value) : others != null && others.contains(value);
    }

    private int keyOfValue(int condition, int row, long value) {
        return keysOfPairs.of(PredicateReads.pair(condition, row), values.label(value));
    }

    /**
     * Adds reads of whether rows match: first of the rows that the result lacks, then of those that it has.
     */
    private void read(int predicate, int operation) {
        int c = predicates.conditionOf(predicate);
        if (!isSelected(c)) {
            return;
        }
        int[] matched = predicates.keys(predicate);
        Int2IntOpenHashMap found = new Int2IntOpenHashMap(matched.length);
        for (int row : matched) {
            found.put(row, NONE);
        }
        int[] rows = candidates.get(c);
        for (int i = 0; i < rows.length; i++) {
            int number = candidateNumbers.get(c)[i];
            if (found.containsKey(rows[i])) {
                found.put(rows[i], number);
            } else {
                put(matchKeys.getInt(number) << 1, ValueDictionary.NULL, (byte) 0);
            }
        }
        for (int i = 0; i < matched.length; i++) {
            long value = predicates.isRead(predicate) ? table.value(operation - matched.length + i) : 0;
            if (!isSelected(c, matched[i]) || !found.containsKey(matched[i])) {
                continue;
            }
            if (!predicates.isRead(predicate)) {
                put(keyOf(c, matched[i], found.remove(matched[i])) << 1, yes, (byte) 0);
            } else if (mayMismatch(c, matched[i], value)) {
                put(keyOfValue(c, matched[i], value) << 1, yes, (byte) 0);
            }
        }
    }

    /** The key of a pair, which has no number if no version of the row matches. Then nothing writes it. */
    private int keyOf(int condition, int row, int number) {
        if (number != NONE) {
            return matchKeys.getInt(number);
        }
        int key = keysOfPairs.of(PredicateReads.pair(condition, row));
        unmatchedKeys.add(key);
        unmatchedRows.add(row);
        return key;
    }

    private boolean isSelected(int condition, int row) {
        return pairs == null || pairs.contains(PredicateReads.pair(condition, row));
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
        return (!valueOf.containsKey(number) || valueOf.get(number) == value)
                && predicates.condition(conditionOf.getInt(number)).matches(values, predicates.rows(), value, columns);
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
