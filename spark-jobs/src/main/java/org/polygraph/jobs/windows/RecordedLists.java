package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
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
    private record Name(long session, long index) {}

    /**
     * A recorded operation.
     *
     * @param kind {@link #READ} or {@link #WRITE} of a value, {@link #APPEND} or {@link #LIST}
     * @param values the value, or the elements of the list
     */
    private record Operation(int kind, int key, LongArrayList values) {}

    private record Transaction(
            Name name,
            TransactionStatus status,
            long start,
            long end,
            int file,
            long position,
            List<Operation> operations) {}

    /** Returns the sub-history with lists; null if they do not form a history. */
    static @Nullable HistoryTable of(WindowStore store, ReadPlan plan, HistoryTable sub) throws IOException {
        HistoryTableBuilder builder = new HistoryTableBuilder(plan.format().positions());
        builder.initialValue(new BlockReader(store.layout().initialValue()).value(builder.values()));
        return new RecordedLists(builder).of(sub, found(store, plan, sub, builder), plan);
    }

    /** Finds the transactions of the sub-history, and then those that read the longest lists. */
    private static Collection<Transaction> found(
            WindowStore store, ReadPlan plan, HistoryTable sub, HistoryTableBuilder builder) throws IOException {
        BlockWriter asked = new BlockWriter().unsigned(sub.transactions());
        for (int t = 0; t < sub.transactions(); t++) {
            asked.signed(sub.sessionLabel(sub.sessionOf(t))).signed(sub.index(t));
        }
        asked.unsigned(sub.keys().size());
        for (int key = 0; key < sub.keys().size(); key++) {
            asked.key(sub.keys(), key);
        }
        List<ReadTask> tasks = new ArrayList<>();
        for (Piece piece : plan.pieces()) {
            tasks.add(new ReadTask(piece, asked.toBytes()));
        }
        Layout layout = store.layout();
        long[] offsets = new long[layout.labels().length];
        int[] files = plan.pieces().stream().mapToInt(Piece::file).toArray();
        Map<Name, Transaction> chosen = new HashMap<>();
        Map<Integer, Transaction> longest = new HashMap<>();
        List<byte[]> results = store.workers().run("read the lists of a sub-history", tasks);
        for (int p = 0; p < results.size(); p++) {
            BlockReader in = new BlockReader(results.get(p));
            long lines = in.hasMore()
                    ? layout.context(p, offsets, files, Loading.NONE).lines()
                    : 0;
            for (int left = in.hasMore() ? in.count() : 0; left > 0; left--) {
                Transaction each = transaction(in, files[p], lines, builder);
                chosen.put(each.name, each);
            }
            while (in.hasMore()) {
                Transaction each = transaction(in, files[p], lines, builder);
                longest.merge(each.operations.get(0).key, each, (a, b) -> length(a) < length(b) ? b : a);
            }
        }
        for (Transaction reader : longest.values()) {
            Transaction known = chosen.putIfAbsent(reader.name, reader);
            if (known != null && known.operations.stream().noneMatch(reader.operations.get(0)::equals)) {
                known.operations.addAll(reader.operations);
            }
        }
        return chosen.values();
    }

    private static int length(Transaction reader) {
        return reader.operations.get(0).values.size();
    }

    private static Transaction transaction(BlockReader in, int file, long lines, HistoryTableBuilder builder) {
        Name name = new Name(in.signed(), in.signed());
        TransactionStatus status = TransactionStatus.ofCode((byte) in.count());
        long start = in.signed();
        long end = in.signed();
        long position = lines + in.unsigned();
        List<Operation> operations = new ArrayList<>();
        for (int left = in.count(); left > 0; left--) {
            int kind = in.count();
            int key = in.key(builder.keys());
            LongArrayList values = new LongArrayList();
            for (int n = kind == LIST ? in.count() : 1; n > 0; n--) {
                values.add(in.value(builder.values()));
            }
            operations.add(new Operation(kind, key, values));
        }
        return new Transaction(name, status, start, end, file, position, operations);
    }

    private @Nullable HistoryTable of(HistoryTable sub, Collection<Transaction> found, ReadPlan plan) {
        for (Transaction each : found) {
            for (Operation operation : each.operations) {
                String key = builder.keys().label(operation.key);
                if (operation.kind >= APPEND) {
                    listKeys.add(key);
                }
                if (operation.kind == APPEND) {
                    // The sub-history may have only the read that it implies.
                    versions.add(version(key, operation.values.getLong(0)));
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
        String key = builder.keys().label(operation.key);
        LongArrayList kept = new LongArrayList();
        for (long value : operation.values) {
            if (versions.contains(version(key, value))) {
                kept.add(value);
            }
        }
        boolean isRead = operation.kind == LIST || (operation.kind == READ && listKeys.contains(key));
        if (isRead) {
            builder.readList(operation.key, kept);
        } else if (operation.kind == APPEND && !kept.isEmpty()) {
            builder.append(operation.key, kept.getLong(0));
        } else if (operation.kind < APPEND) {
            long value = operation.values.getLong(0);
            String single = operation.kind + key + " " + builder.values().label(value);
            if (!left.isEmpty() && left.get(0).equals(single)) {
                left.remove(0);
                if (operation.kind == READ) {
                    builder.read(operation.key, value);
                } else {
                    builder.write(operation.key, value);
                }
            }
        }
    }

    /**
     * Finds transactions in a piece, and the longest list of each of some keys. Result: empty if the piece has none; else the number of
     * transactions that were found, these, and the readers of the lists.
     *
     * @param asked the names of the transactions, and the keys
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record ReadTask(Piece piece, byte[] asked) implements Task<byte[]> {
        private static final long serialVersionUID = 1L;

        @Override
        public byte[] run(Budget budget) throws IOException {
            HistoryRows rows;
            try {
                rows = piece.read(budget::exhausted, budget.bytes());
            } catch (HistoryException e) {
                throw new IOException("the input has changed", e);
            }
            BlockReader in = new BlockReader(asked);
            Set<Name> names = new HashSet<>();
            for (int left = in.count(); left > 0; left--) {
                names.add(new Name(in.signed(), in.signed()));
            }
            Rows found = new Rows(rows);
            Set<Integer> wanted = new HashSet<>();
            for (int left = in.count(); left > 0; left--) {
                wanted.add(in.key(found.keys));
            }
            BlockWriter chosen = new BlockWriter();
            BlockWriter readers = new BlockWriter();
            Set<Integer> done = new HashSet<>();
            int count = 0;
            for (int t = 0; t < rows.transactions().size(); t++) {
                boolean isCommitted = rows.transactions().statuses()[t] == TransactionStatus.COMMITTED.code();
                if (names.contains(found.name(t))) {
                    found.write(t, chosen, o -> wanted.contains(found.key(o)));
                    count++;
                }
                for (int o = found.first(t); isCommitted && o < found.first(t + 1); o++) {
                    int reading = o;
                    if (wanted.contains(found.key(o)) && found.isLongest(o) && done.add(found.key(o))) {
                        found.write(t, readers, other -> other == reading);
                    }
                }
            }
            if (count == 0 && readers.size() == 0) {
                return new byte[0];
            }
            return new BlockWriter()
                    .unsigned(count)
                    .raw(chosen.array(), 0, chosen.size())
                    .raw(readers.array(), 0, readers.size())
                    .toBytes();
        }
    }

    /** The rows of a piece as a task writes them. */
    private static final class Rows {
        private final HistoryRows rows;
        private final KeyDictionary keys = new KeyDictionary();
        private final ValueDictionary values = new ValueDictionary();
        private final ValueDictionary.Codes codes;
        private final ListDealTask.Longest longest;

        Rows(HistoryRows rows) {
            this.rows = rows;
            keys.addAll(rows.keys());
            codes = values.addAll(rows.values());
            longest = new ListDealTask.Longest(rows);
        }

        Name name(int t) {
            return new Name(
                    rows.sessionLabels()[rows.sessionOf()[t]],
                    rows.transactions().indexes()[t]);
        }

        int first(int t) {
            return rows.operations().starts()[t];
        }

        int key(int o) {
            return Operations.key(rows.operations().keys()[o]);
        }

        private long value(int o) {
            return rows.operations().values()[o];
        }

        /** Whether an operation read the longest list of its key. */
        boolean isLongest(int o) {
            return ListCodes.isRead(value(o)) && ListCodes.list(value(o)) == longest.of(key(o));
        }

        void write(int t, BlockWriter out, IntPredicate selection) {
            out.signed(name(t).session)
                    .signed(name(t).index)
                    .unsigned(rows.transactions().statuses()[t])
                    .signed(PieceRows.time(rows.transactions().starts(), t))
                    .signed(PieceRows.time(rows.transactions().ends(), t))
                    .unsigned(SourceFiles.position(rows.transactions().sources()[t]));
            BlockWriter operations = new BlockWriter();
            int count = 0;
            for (int o = first(t); o < first(t + 1); o++) {
                if (!selection.test(o)) {
                    continue;
                }
                count++;
                if (ListCodes.isRead(value(o))) {
                    longest.write(
                            ListCodes.list(value(o)), operations.unsigned(LIST).key(keys, key(o)), values, codes);
                } else {
                    boolean isWrite = Operations.isWrite(rows.operations().keys()[o]);
                    operations
                            .unsigned(rows.operations().isAppend(o) ? APPEND : isWrite ? WRITE : READ)
                            .key(keys, key(o))
                            .value(values, codes.of(value(o)));
                }
            }
            out.unsigned(count).raw(operations.array(), 0, operations.size());
        }
    }
}
