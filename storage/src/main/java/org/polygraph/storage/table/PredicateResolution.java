package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2LongMap;
import it.unimi.dsi.fastutil.ints.Int2LongOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongArrays;
import java.util.Arrays;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;

/**
 * Expresses predicates as reads of single keys (spark-jobs/docs/predicates.md, Reduction to reads). A row and bounds get a key of
 * whether the row is between the bounds: each writer of the row writes it, and a result that lacks the row, or that has it without its
 * value, reads it. Bounds between which the same values of the row are share this key, and a row that is never between them needs none.
 *
 * <p>Time and memory: linear in the operations, plus for each predicate the rows that may match, plus for each write of a row the keys
 * that the row has.
 */
final class PredicateResolution {
    private static final long MOST_OPERATIONS = 1 << 28;
    private static final int NONE = -1;

    private final HistoryTable table;
    private final Predicates predicates;
    private final KeyDictionary keys;
    private final ValueDictionary values;
    private final int rows;

    /** The different integers that a row has ever had, by row and ascending: row k has [starts[k], starts[k + 1]). */
    private final int[] starts;

    private final long[] had;
    /** By row and values [from, to) of it: the number of the key. */
    private final Long2IntOpenHashMap ofRange = new Long2IntOpenHashMap();

    /** By number: the row, the key, the first and the last value that match, and the number of the next key of the same row. */
    private final IntArrayList rowOf = new IntArrayList();

    private final IntArrayList matchKeys = new IntArrayList();

    private final LongArrayList lowest = new LongArrayList();
    private final LongArrayList highest = new LongArrayList();
    private final IntArrayList next = new IntArrayList();
    private final int[] firsts;

    private final long yes;
    private final long no;
    private final IntArrayList newKeys = new IntArrayList();
    private final LongArrayList newCodes = new LongArrayList();

    private PredicateResolution(HistoryTable table, Predicates predicates) {
        this.table = table;
        this.predicates = predicates;
        keys = table.keys();
        values = table.values();
        rows = keys.size();
        starts = new int[rows + 1];
        had = had();
        firsts = new int[rows];
        Arrays.fill(firsts, NONE);
        ofRange.defaultReturnValue(NONE);
        yes = values.opaque("yes");
        no = values.opaque("no");
    }

    /**
     * The table with reads and writes in place of the codes that stand for predicates.
     *
     * @throws HistoryException if the history inserts or deletes rows too
     */
    static HistoryTable of(HistoryTable table, Predicates predicates) throws HistoryException {
        if (table.hasRows()) {
            throw new HistoryException(
                    table.source().files().get(0),
                    "inserts or deletes in a history that also has predicates",
                    "writes of values",
                    "rows that come and go are not decided with predicates yet");
        }
        table.values().markPredicates();
        return new PredicateResolution(table, predicates).resolved();
    }

    private long[] had() {
        int[] counts = new int[rows + 2];
        for (int o = 0; o < table.operations(); o++) {
            if (isInteger(o)) {
                counts[table.key(o) + 2]++;
            }
        }
        for (int k = 0; k < rows; k++) {
            counts[k + 2] += counts[k + 1] + (values.isInteger(table.initialValue(k)) ? 1 : 0);
        }
        long[] all = new long[counts[rows + 1]];
        for (int k = 0; k < rows; k++) {
            if (values.isInteger(table.initialValue(k))) {
                all[counts[k + 1]++] = values.integer(table.initialValue(k));
            }
        }
        for (int o = 0; o < table.operations(); o++) {
            if (isInteger(o)) {
                all[counts[table.key(o) + 1]++] = values.integer(table.value(o));
            }
        }
        int n = 0;
        for (int k = 0; k < rows; k++) {
            Arrays.sort(all, counts[k], counts[k + 1]);
            starts[k] = n;
            for (int i = counts[k]; i < counts[k + 1]; i++) {
                if (n == starts[k] || all[n - 1] != all[i]) {
                    all[n++] = all[i];
                }
            }
        }
        starts[rows] = n;
        return Arrays.copyOf(all, n);
    }

    private boolean isInteger(int o) {
        return table.isWrite(o) && values.isInteger(table.value(o));
    }

    private HistoryTable resolved() throws HistoryException {
        for (int p = 0; p < predicates.size(); p++) {
            for (int row = 0; row < rows; row++) {
                keyOf(p, row);
            }
        }
        int[] ends = new int[table.transactions() + 1];
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (table.value(o) == Predicates.OF_UNKNOWN_ROWS) {
                    requireAborted(t);
                } else if (Predicates.isOne(table.value(o))) {
                    read(Predicates.number(table.value(o)));
                } else {
                    put(table.operationKeys()[o], table.value(o));
                    if (table.isWrite(o)) {
                        write(table.key(o), table.value(o));
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
            initial.put(matchKeys.getInt(number), code(matches(number, table.initialValue(row))));
        }
        return table.with(new Operations(ends, newKeys.toIntArray(), newCodes.toLongArray(), null))
                .withInitialState(initial);
    }

    /** No other transaction sees what an aborted one wrote, so its update of unknown rows is left out. */
    private void requireAborted(int transaction) throws HistoryException {
        if (table.status(transaction) != TransactionStatus.ABORTED) {
            throw new HistoryException(
                    table.whereIs(transaction),
                    "a \"pw\" without \"keys\"",
                    "the keys of the rows that it wrote",
                    "an update of unknown rows is not decided yet: record its keys");
        }
    }

    /** The number of the key of a row and a predicate, which is made if it is new; NONE if the row never matches. */
    private int keyOf(int predicate, int row) {
        boolean isOutside = starts[row] == starts[row + 1]
                || had[starts[row + 1] - 1] < predicates.low(predicate)
                || had[starts[row]] > predicates.high(predicate);
        if (isOutside) {
            return NONE;
        }
        int from = search(row, predicates.low(predicate));
        int to = predicates.high(predicate) == Long.MAX_VALUE
                ? starts[row + 1]
                : search(row, predicates.high(predicate) + 1);
        if (from >= to) {
            return NONE;
        }
        // Values of a row are at places of its own, so both places identify it.
        long range = (long) from << 32 | to;
        int known = ofRange.get(range);
        if (known != NONE) {
            return known;
        }
        int number = matchKeys.size();
        ofRange.put(range, number);
        rowOf.add(row);
        matchKeys.add(key(row, predicates.low(predicate), predicates.high(predicate)));
        lowest.add(had[from]);
        highest.add(had[to - 1]);
        next.add(firsts[row]);
        firsts[row] = number;
        return number;
    }

    /** The first place of a value of a row that is not below a bound. */
    private int search(int row, long bound) {
        int at = LongArrays.binarySearch(had, starts[row], starts[row + 1], bound);
        return at < 0 ? -at - 1 : at;
    }

    /** A key that no transaction has. */
    private int key(int row, long lo, long hi) {
        String label = "row " + keys.label(row) + " between " + lo + " and " + hi;
        int size = keys.size();
        int id = keys.id(label);
        while (id < size) {
            label += "'";
            id = keys.id(label);
        }
        return id;
    }

    private void read(int predicate) {
        IntOpenHashSet matched = new IntOpenHashSet(predicates.keys(predicate));
        for (int row = 0; row < rows; row++) {
            int number = keyOf(predicate, row);
            boolean isMatched = matched.contains(row);
            if (isMatched && predicates.isRead(predicate)) {
                continue;
            }
            if (number != NONE) {
                put(matchKeys.getInt(number) << 1, code(isMatched));
            } else if (isMatched) {
                // No version of the row matches: a value that nothing wrote.
                put(row << 1, yes);
            }
        }
    }

    private void write(int row, long value) {
        for (int number = firsts[row]; number != NONE; number = next.getInt(number)) {
            put(matchKeys.getInt(number) << 1 | 1, code(matches(number, value)));
        }
    }

    private boolean matches(int number, long value) {
        return values.isInteger(value)
                && values.integer(value) >= lowest.getLong(number)
                && values.integer(value) <= highest.getLong(number);
    }

    private long code(boolean matches) {
        return matches ? yes : no;
    }

    private void put(int keyAndKind, long code) {
        if (newKeys.size() >= MOST_OPERATIONS) {
            throw new BudgetException("predicates and the rows that may match them are more than " + MOST_OPERATIONS
                    + " pairs; check a part of the history, or narrower bounds");
        }
        newKeys.add(keyAndKind);
        newCodes.add(code);
    }
}
