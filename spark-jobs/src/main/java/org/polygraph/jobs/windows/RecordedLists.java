package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.format.pieces.Piece;
import org.polygraph.storage.format.pieces.ReadPlan;
import org.polygraph.storage.lists.ListCodes;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryRows;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.Operations;
import org.polygraph.storage.table.SourceFiles;

/**
 * Finds the lists of a sub-history that windows found. There, a list is the version that its last element made, and no operation shows
 * the order of the appends. So its transactions are read again as they were recorded, and of each key the longest list that a
 * committed transaction read. Elements whose versions are not in the sub-history are left out: each list is then what is left of a state.
 */
final class RecordedLists {
    private static final int READ = 0;
    private static final int WRITE = 1;
    private static final int APPEND = 2;
    private static final int LIST = 3;

    /** The keys and versions of the sub-history. */
    private final Set<String> versions = new HashSet<>();
    /** By transaction: its operations on single values in the sub-history that were not found in the input so far. */
    private final Map<Name, List<String>> singles = new HashMap<>();

    private final Set<String> listKeys = new HashSet<>();
    private final HistoryTableBuilder builder;

    private RecordedLists(HistoryTableBuilder builder) {
        this.builder = builder;
    }

    /** A transaction by the label of its session and its index. */
    private record Name(long session, long index) implements Serializable {}

    /**
     * A recorded operation. Keys and values are a Long, a String or null.
     *
     * @param kind {@link #READ} or {@link #WRITE} of a value, {@link #APPEND} or {@link #LIST}
     * @param values the value, or the elements of the list
     */
    private record Operation(int kind, Serializable key, ArrayList<@Nullable Serializable> values)
            implements Serializable {}

    /** @param position in the piece, and then in its file */
    private record Transaction(
            Name name,
            TransactionStatus status,
            long start,
            long end,
            int file,
            long position,
            ArrayList<Operation> operations)
            implements Serializable {
        Transaction at(long more) {
            return new Transaction(name, status, start, end, file, position + more, operations);
        }

        /** Of a transaction with one operation: the length of its list. */
        int length() {
            return operations.get(0).values.size();
        }
    }

    /** Returns the sub-history with lists; null if they do not form a history. */
    static @Nullable HistoryTable of(WindowStore store, ReadPlan plan, HistoryTable sub) throws IOException {
        HistoryTableBuilder builder = new HistoryTableBuilder(plan.format().positions());
        builder.initialValue(new BlockReader(store.layout().initialValue()).value(builder.values()));
        return new RecordedLists(builder).of(sub, found(store, plan, sub), plan);
    }

    /** Finds the transactions of the sub-history, and then those that read the longest lists. */
    private static Collection<Transaction> found(WindowStore store, ReadPlan plan, HistoryTable sub)
            throws IOException {
        HashSet<Name> names = new HashSet<>();
        for (int t = 0; t < sub.transactions(); t++) {
            names.add(new Name(sub.sessionLabel(sub.sessionOf(t)), sub.index(t)));
        }
        HashSet<Serializable> keys = new HashSet<>();
        for (int key = 0; key < sub.keys().size(); key++) {
            keys.add(key(sub.keys(), key));
        }
        List<ReadTask> tasks = plan.pieces().stream()
                .map(piece -> new ReadTask(piece, names, keys))
                .toList();
        Layout layout = store.layout();
        long[] offsets = new long[layout.labels().length];
        int[] files = plan.pieces().stream().mapToInt(Piece::file).toArray();
        Map<Name, Transaction> chosen = new HashMap<>();
        Map<Serializable, Transaction> longest = new HashMap<>();
        List<Found> results = store.workers().run("read the lists of a sub-history", tasks);
        for (int p = 0; p < results.size(); p++) {
            long lines = layout.context(p, offsets, files, Loading.NONE).lines();
            results.get(p).chosen.forEach(each -> chosen.put(each.name, each.at(lines)));
            for (Transaction each : results.get(p).longest) {
                longest.merge(each.operations.get(0).key, each.at(lines), (a, b) -> a.length() < b.length() ? b : a);
            }
        }
        for (Transaction reader : longest.values()) {
            Transaction known = chosen.putIfAbsent(reader.name, reader);
            if (known != null && !known.operations.contains(reader.operations.get(0))) {
                known.operations.addAll(reader.operations);
            }
        }
        return chosen.values();
    }

    private static Serializable key(KeyDictionary keys, int id) {
        return keys.isString(id) ? keys.string(id) : (Serializable) keys.integer(id);
    }

    private int key(Operation operation) {
        return operation.key instanceof Long number
                ? builder.keys().id(number)
                : builder.keys().id((String) operation.key);
    }

    private LongArrayList values(Operation operation) {
        LongArrayList codes = new LongArrayList();
        for (Serializable value : operation.values) {
            codes.add(
                    value == null
                            ? ValueDictionary.NULL
                            : value instanceof Long number
                                    ? builder.values().code(number)
                                    : builder.values().code((String) value));
        }
        return codes;
    }

    private @Nullable HistoryTable of(HistoryTable sub, Collection<Transaction> found, ReadPlan plan) {
        for (Transaction each : found) {
            for (Operation operation : each.operations) {
                String key = builder.keys().label(key(operation));
                if (operation.kind >= APPEND) {
                    listKeys.add(key);
                }
                if (operation.kind == APPEND) {
                    // The sub-history may have only the read that it implies.
                    versions.add(version(key, values(operation).getLong(0)));
                }
            }
        }
        for (int t = 0; t < sub.transactions(); t++) {
            Name name = new Name(sub.sessionLabel(sub.sessionOf(t)), sub.index(t));
            for (int o = sub.firstOperation(t); o < sub.operationsEnd(t); o++) {
                String operation =
                        sub.keys().label(sub.key(o)) + " " + sub.values().label(sub.value(o));
                if (sub.values().isOpaque(sub.value(o))) {
                    versions.add(operation);
                } else if (!listKeys.contains(sub.keys().label(sub.key(o)))) {
                    singles.computeIfAbsent(name, each -> new ArrayList<>())
                            .add((sub.isWrite(o) ? WRITE : READ) + operation);
                }
            }
        }
        List<Transaction> inOrder = new ArrayList<>(found);
        inOrder.sort(Comparator.comparingInt(Transaction::file).thenComparingLong(Transaction::position));
        int file = -1;
        for (Transaction each : inOrder) {
            if (each.file != file) {
                file = each.file;
                builder.file(plan.files().get(file));
            }
            builder.begin(each.name.session, each.name.index, each.status, each.position);
            if (each.start != HistoryTable.NO_TIME || each.end != HistoryTable.NO_TIME) {
                builder.times(each.start, each.end);
            }
            List<String> left = singles.getOrDefault(each.name, new ArrayList<>());
            each.operations.forEach(operation -> add(operation, left));
            builder.end();
        }
        try {
            return builder.build();
        } catch (HistoryException e) {
            return null;
        }
    }

    private String version(String key, long element) {
        return key + " [.. " + builder.values().label(element) + "]";
    }

    private void add(Operation operation, List<String> left) {
        int id = key(operation);
        String key = builder.keys().label(id);
        LongArrayList values = values(operation);
        LongArrayList kept = new LongArrayList(values);
        kept.removeIf(value -> !versions.contains(version(key, value)));
        if (operation.kind == LIST || (operation.kind == READ && listKeys.contains(key))) {
            builder.readList(id, kept);
        } else if (operation.kind == APPEND && !kept.isEmpty()) {
            builder.append(id, kept.getLong(0));
        } else if (operation.kind < APPEND) {
            long value = values.getLong(0);
            String single = operation.kind + key + " " + builder.values().label(value);
            if (!left.isEmpty() && left.get(0).equals(single)) {
                left.remove(0);
                if (operation.kind == READ) {
                    builder.read(id, value);
                } else {
                    builder.write(id, value);
                }
            }
        }
    }

    /** What a piece has. @param longest of some keys the readers of the longest list, with this read only */
    private record Found(ArrayList<Transaction> chosen, ArrayList<Transaction> longest) implements Serializable {}

    /** Finds transactions in a piece, and the longest list of each of some keys. */
    private record ReadTask(Piece piece, HashSet<Name> names, HashSet<Serializable> keys) implements Task<Found> {
        @Override
        public Found run(Budget budget) throws IOException {
            try {
                Rows rows = new Rows(piece.read(budget::exhausted, budget.bytes()), piece.file());
                return rows.find(names, keys);
            } catch (HistoryException e) {
                throw new IOException("the input has changed", e);
            }
        }
    }

    /** The rows of a piece. */
    private record Rows(HistoryRows rows, int file, ListDealTask.Longest longest) {
        Rows(HistoryRows rows, int file) {
            this(rows, file, new ListDealTask.Longest(rows));
        }

        Found find(Set<Name> names, Set<Serializable> keys) {
            BitSet wanted = new BitSet();
            for (int key = 0; key < rows.keys().size(); key++) {
                wanted.set(key, keys.contains(RecordedLists.key(rows.keys(), key)));
            }
            BitSet unread = (BitSet) wanted.clone();
            Found found = new Found(new ArrayList<>(), new ArrayList<>());
            int[] starts = rows.operations().starts();
            for (int t = 0; t < rows.transactions().size(); t++) {
                boolean isCommitted = rows.transactions().statuses()[t] == TransactionStatus.COMMITTED.code();
                if (names.contains(name(t))) {
                    found.chosen.add(transaction(
                            t, IntStream.range(starts[t], starts[t + 1]).filter(o -> wanted.get(key(o)))));
                }
                for (int o = starts[t]; isCommitted && o < starts[t + 1]; o++) {
                    if (unread.get(key(o)) && isLongest(o)) {
                        unread.clear(key(o));
                        found.longest.add(transaction(t, IntStream.of(o)));
                    }
                }
            }
            return found;
        }

        private Name name(int t) {
            return new Name(
                    rows.sessionLabels()[rows.sessionOf()[t]],
                    rows.transactions().indexes()[t]);
        }

        private int key(int o) {
            return Operations.key(rows.operations().keys()[o]);
        }

        private long value(int o) {
            return rows.operations().values()[o];
        }

        /** Whether an operation read the longest list of its key. */
        private boolean isLongest(int o) {
            return ListCodes.isRead(value(o)) && ListCodes.list(value(o)) == longest.of(key(o));
        }

        private Transaction transaction(int t, IntStream operations) {
            return new Transaction(
                    name(t),
                    TransactionStatus.ofCode(rows.transactions().statuses()[t]),
                    PieceRows.time(rows.transactions().starts(), t),
                    PieceRows.time(rows.transactions().ends(), t),
                    file,
                    SourceFiles.position(rows.transactions().sources()[t]),
                    new ArrayList<>(operations.mapToObj(this::operation).toList()));
        }

        private Operation operation(int o) {
            boolean isList = ListCodes.isRead(value(o));
            boolean isWrite = Operations.isWrite(rows.operations().keys()[o]);
            int kind = isList ? LIST : rows.operations().isAppend(o) ? APPEND : isWrite ? WRITE : READ;
            ArrayList<@Nullable Serializable> values = new ArrayList<>();
            for (long code : isList ? longest.elements(ListCodes.list(value(o))) : LongArrayList.of(value(o))) {
                ValueDictionary of = rows.values();
                values.add(
                        of.isNull(code) ? null : of.isInteger(code) ? (Serializable) of.integer(code) : of.text(code));
            }
            return new Operation(kind, RecordedLists.key(rows.keys(), key(o)), values);
        }
    }
}
