package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2IntOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.KeyDictionary;

/**
 * Selected operations of a history as a history of its own. Sessions, indexes, statuses, times, positions in the
 * source, keys, values, the initial value and the header stay the same. Transactions without a selected operation are
 * left out unless they are selected too. Lists are without the elements whose appends are not selected, and operations
 * that others imply are selected with these, see {@link ListSelection}.
 *
 * <p>Time and memory are linear in the selection, apart from {@code log sessions} a transaction. The dictionary of
 * values is shared with the whole history.
 */
public final class HistorySelection {
    /** How the label of a key begins that expresses a condition on a row; labels of texts are quoted. */
    private static final String OF_ROW = '"' + PredicateReads.ROW;

    private final HistoryTable table;
    private final int[] transactions;
    private final int[] keys;
    private final int[] operations;

    private HistorySelection(HistoryTable table, int[] transactions, int[] keys, int[] operations) {
        this.table = table;
        this.transactions = transactions;
        this.keys = keys;
        this.operations = operations;
    }

    /**
     * Selects operations and their transactions.
     *
     * @param operations ids in the whole, strictly ascending; kept, not copied
     */
    public static HistorySelection of(HistoryTable whole, int[] operations) {
        int[] explicit = explicit(whole, operations);
        IntArrayList transactions = new IntArrayList();
        int end = -1;
        for (int o : explicit) {
            if (o >= end) {
                int t = transactionOf(whole, o);
                transactions.add(t);
                end = whole.operationsEnd(t);
            }
        }
        return of(whole, transactions.toIntArray(), explicit);
    }

    /** Selects the whole history. */
    public static HistorySelection whole(HistoryTable table) {
        return new HistorySelection(
                table, numbers(table.transactions()), numbers(table.keys().size()), numbers(table.operations()));
    }

    /** The selection in the form of PC and the levels that it implies, see {@link ListReduction#ofCommits}. */
    public HistorySelection ofCommits() {
        ListReduced reduced = table.reduced();
        HistoryTable commits = ListReduction.ofCommits(table);
        ListReduced form = commits.reduced();
        if (commits == table || form == null) {
            return this;
        }
        int[] recorded = new int[form.versions().recorded().operations()];
        for (int o = 0; o < operations.length; o++) {
            if (!table.isImplied(o)) {
                recorded[reduced == null ? o : reduced.origin()[o]] = operations[o];
            }
        }
        int[] origins = form.origin().clone();
        Arrays.setAll(origins, o -> recorded[form.origin()[o]]);
        return new HistorySelection(commits, transactions, keys, origins);
    }

    private static int[] explicit(HistoryTable whole, int[] operations) {
        return whole.listVersions() == null ? operations : ListSelection.explicit(whole, operations);
    }

    /**
     * The selection in another form.
     *
     * @param other has the same transactions. The operations of each of its keys are those of a key of this selection,
     *     of the same name if there is one
     * @return null if it has other operations
     */
    @Nullable
    HistorySelection as(HistoryTable other) {
        List<IntArrayList> own = byKey(table);
        List<IntArrayList> others = byKey(other);
        int[] otherKeys = new int[others.size()];
        int[] origins = new int[other.operations()];
        for (int key = 0; key < otherKeys.length; key++) {
            IntArrayList wanted = others.get(key);
            String name = other.keys().label(key);
            // Conditions that match the same values of a row have one key, whose name is that of any of them.
            int end = name.startsWith(OF_ROW) ? name.indexOf(' ', OF_ROW.length()) : -1;
            String ofRow = name.substring(0, end + 1);
            int like = -1;
            for (int k = 0; k < own.size() && !wanted.isEmpty(); k++) {
                String label = table.keys().label(k);
                boolean mayBe = label.equals(name) || like < 0 && !ofRow.isEmpty() && label.startsWith(ofRow);
                like = mayBe && isSame(own.get(k), other, wanted) ? k : like;
            }
            if (like < 0 && !wanted.isEmpty()) {
                return null;
            }
            otherKeys[key] = like < 0 ? -1 : keys[like];
            for (int i = 0; i < wanted.size(); i++) {
                origins[wanted.getInt(i)] = operations[own.get(like).getInt(i)];
            }
        }
        return new HistorySelection(other, transactions, otherKeys, origins);
    }

    /**
     * Selects the operations of the keys that another history of the same transactions has.
     *
     * @return the selection in the form of this history; null if it has other operations of these keys
     */
    public static @Nullable HistorySelection ofKeys(HistoryTable whole, HistoryTable other) {
        Set<String> labels = new HashSet<>();
        for (int key = 0; key < other.keys().size(); key++) {
            labels.add(other.keys().label(key));
        }
        IntArrayList kept = new IntArrayList();
        for (int o = 0; o < whole.operations(); o++) {
            if (labels.contains(whole.keys().label(whole.key(o)))) {
                kept.add(o);
            }
        }
        return of(whole, numbers(whole.transactions()), kept.toIntArray()).as(other);
    }

    /** The first numbers, from 0. */
    static int[] numbers(int count) {
        int[] numbers = new int[count];
        Arrays.setAll(numbers, i -> i);
        return numbers;
    }

    private static List<IntArrayList> byKey(HistoryTable table) {
        List<IntArrayList> byKey = new ArrayList<>();
        for (int key = 0; key < table.keys().size(); key++) {
            byKey.add(new IntArrayList(2));
        }
        for (int o = 0; o < table.operations(); o++) {
            byKey.get(table.key(o)).add(o);
        }
        return byKey;
    }

    /** Whether operations of one key are the same reads and writes of the same transactions as those of another. */
    private boolean isSame(IntArrayList own, HistoryTable other, IntArrayList wanted) {
        boolean isSame = own.size() == wanted.size();
        for (int i = 0; isSame && i < own.size(); i++) {
            int o = own.getInt(i);
            int p = wanted.getInt(i);
            isSame = table.isWrite(o) == other.isWrite(p)
                    && table.value(o) == other.value(p)
                    && transactionOf(table, o) == transactionOf(other, p);
        }
        return isSame;
    }

    /**
     * Selects operations and transactions, which may have no selected operation.
     *
     * @param kept ids of transactions in the whole, strictly ascending, with those of all selected operations; not copied
     * @param selected ids in the whole, strictly ascending
     */
    public static HistorySelection of(HistoryTable whole, int[] kept, int[] selected) {
        int[] operations = explicit(whole, selected);
        int[] starts = new int[kept.length + 1];
        Int2IntOpenHashMap keyIds = new Int2IntOpenHashMap();
        keyIds.defaultReturnValue(-1);
        IntArrayList keys = new IntArrayList();
        OperationList own = new OperationList(operations.length);
        int[] statements = whole.statements();
        int[] selectedStatements = new int[statements == null ? 0 : operations.length];
        int next = 0;
        for (int i = 0; i < kept.length; i++) {
            for (; next < operations.length && operations[next] < whole.operationsEnd(kept[i]); next++) {
                int o = operations[next];
                int id = keyIds.putIfAbsent(whole.key(o), keys.size());
                if (id < 0) {
                    id = keys.size();
                    keys.add(whole.key(o));
                }
                own.add(Operations.pack(id, whole.isWrite(o)), whole.value(o), whole.kind(o));
                if (statements != null) {
                    selectedStatements[next] = statements[o];
                }
            }
            starts[i + 1] = next;
        }
        int[] keptKeys = keys.toIntArray();
        if (whole.hasLists() || whole.listVersions() != null) {
            HistoryTable part = ListSelection.of(whole, kept, keptKeys, operations);
            // The lists that were recorded have the sessions that were recorded.
            boolean isOrdered = whole.sessions() < whole.transactions();
            HistoryTable lists = isOrdered ? part : part.withoutSessionOrder();
            ListReduced reduced = lists.reduced();
            int[] origins = reduced == null ? operations : reduced.origin().clone();
            for (int o = 0; reduced != null && o < origins.length; o++) {
                origins[o] = operations[origins[o]];
            }
            return new HistorySelection(lists, kept, keptKeys, origins);
        }
        Operations built = own.build(starts);
        if (statements != null) {
            built = new Operations(starts, built.keys(), built.values(), built.kinds(), selectedStatements);
        }
        return new HistorySelection(table(whole, keptKeys, kept, built), kept, keptKeys, operations);
    }

    /**
     * A history of some transactions with other operations.
     *
     * @param keys by key of the result: its id in the whole
     * @param kept ids of the transactions in the whole, strictly ascending
     * @param operations their keys are keys of the result
     */
    static HistoryTable table(HistoryTable whole, int[] keys, int[] kept, Operations operations) {
        return new HistoryTable(
                whole.header().ofKeys(keys),
                KeyDictionary.picked(whole.keys(), keys),
                whole.values(),
                sessions(whole, kept),
                whole.allTransactions().select(kept),
                operations);
    }

    private static Sessions sessions(HistoryTable whole, int[] kept) {
        long[] labels = new long[kept.length];
        int[] starts = new int[kept.length + 1];
        int count = 0;
        int end = -1;
        for (int i = 0; i < kept.length; i++) {
            if (kept[i] >= end) {
                int session = whole.sessionOf(kept[i]);
                labels[count] = whole.sessionLabel(session);
                starts[count++] = i;
                end = whole.transactionsEnd(session);
            }
        }
        starts[count] = kept.length;
        return new Sessions(Arrays.copyOf(labels, count), Arrays.copyOf(starts, count + 1));
    }

    /** The transaction of an operation, by binary search. */
    public static int transactionOf(HistoryTable whole, int operation) {
        int low = 0;
        int high = whole.transactions();
        while (high - low > 1) {
            int middle = (low + high) >>> 1;
            if (whole.firstOperation(middle) <= operation) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    public HistoryTable table() {
        return table;
    }

    /** By transaction of the selection: its id in the whole, ascending. Not a copy. */
    public int[] transactions() {
        return transactions;
    }

    /** By key of the selection: its id in the whole. Not a copy. */
    public int[] keys() {
        return keys;
    }

    /**
     * By operation of the selection: its id in the whole; of one that is implied, the id of the operation that implies
     * it. Not a copy.
     */
    public int[] operations() {
        return operations;
    }
}
