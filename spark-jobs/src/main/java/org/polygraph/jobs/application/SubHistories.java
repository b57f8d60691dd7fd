package org.polygraph.jobs.application;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.TableCopy;

/**
 * Puts sub-histories of one history together to one, in which a transaction of several of them has the operations of
 * each, those of each in their order.
 */
final class SubHistories {
    private record Name(long session, long index) {}

    /** An operation of a sub-history. */
    private record Operation(HistoryTable of, int id) {
        boolean isSame(HistoryTable other, int operation) {
            return of.isWrite(id) == other.isWrite(operation)
                    && of.keys().label(of.key(id)).equals(other.keys().label(other.key(operation)))
                    && of.values().label(of.value(id)).equals(other.values().label(other.value(operation)));
        }
    }

    /** Where a transaction was recorded. */
    record Source(String file, long position) {}

    private record Transaction(HistoryTable of, int id, Source source, List<Operation> operations) {}

    /** The place of an operation: its transaction, and one that stays the same when others are put before it. */
    private record Place(Name transaction, Operation operation) {}

    private final Map<Name, Transaction> transactions =
            new TreeMap<>(Comparator.comparingLong(Name::session).thenComparingLong(Name::index));
    /** By sub-history: its operations. */
    private final List<List<Place>> places = new ArrayList<>();

    private @Nullable HistoryTable first;

    /** Adds a sub-history. */
    void add(HistoryTable sub) {
        add(sub, t -> new Source(sub.source().files().get(sub.fileOf(t)), sub.sourcePosition(t)));
    }

    /**
     * Adds a sub-history.
     *
     * @param sources by transaction: where it was recorded
     */
    void add(HistoryTable sub, IntFunction<Source> sources) {
        first = first == null ? sub : first;
        List<Place> added = new ArrayList<>();
        for (int t = 0; t < sub.transactions(); t++) {
            Name name = new Name(sub.sessionLabel(sub.sessionOf(t)), sub.index(t));
            int id = t;
            List<Operation> known = transactions
                    .computeIfAbsent(name, n -> new Transaction(sub, id, sources.apply(id), new ArrayList<>()))
                    .operations();
            int next = 0;
            for (int o = sub.firstOperation(t); o < sub.operationsEnd(t); o++) {
                int at = next;
                while (at < known.size() && !known.get(at).isSame(sub, o)) {
                    at++;
                }
                if (at == known.size()) {
                    at = next;
                    known.add(at, new Operation(sub, o));
                }
                added.add(new Place(name, known.get(at)));
                next = at + 1;
            }
        }
        places.add(added);
    }

    /** Returns the history of all of them. */
    HistoryTable table() {
        HistoryTableBuilder builder = new HistoryTableBuilder();
        TableCopy copy = new TableCopy(builder);
        if (first != null) {
            builder.initialValue(copy.code(first.values(), first.initialValue()));
        }
        transactions.forEach((name, transaction) -> {
            HistoryTable of = transaction.of();
            Source source = transaction.source();
            builder.file(source.file());
            builder.begin(name.session(), name.index(), of.status(transaction.id()), source.position());
            builder.times(time(of.starts(), transaction.id()), time(of.ends(), transaction.id()));
            transaction.operations().forEach(each -> copy.add(each.of(), each.id()));
            builder.end();
        });
        try {
            return builder.build();
        } catch (HistoryException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * The ids of the operations of a sub-history, ascending.
     *
     * @param table {@link #table}
     */
    int[] operations(HistoryTable table, int sub) {
        IntArrayList operations = new IntArrayList();
        for (Place place : places.get(sub)) {
            List<Operation> all = Objects.requireNonNull(transactions.get(place.transaction()))
                    .operations();
            int at = 0;
            while (all.get(at) != place.operation()) {
                at++;
            }
            int t = table.transaction(
                    place.transaction().session(), place.transaction().index());
            operations.add(table.firstOperation(t) + at);
        }
        operations.sort(null);
        return operations.toIntArray();
    }

    private static long time(long @Nullable [] times, int t) {
        return times == null ? HistoryTable.NO_TIME : times[t];
    }
}
