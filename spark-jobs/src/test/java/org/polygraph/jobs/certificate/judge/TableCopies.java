package org.polygraph.jobs.certificate.judge;

import java.util.function.IntPredicate;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * Makes copies of a history that lack some transactions or operations, or that are changed. Each has dictionaries of
 * its own.
 */
final class TableCopies {
    private TableCopies() {}

    /** The changes to a copy; the default changes nothing. */
    interface Change {
        default long session(int t, long session) {
            return session;
        }

        default long index(int t, long index) {
            return index;
        }

        default TransactionStatus outcome(int t, TransactionStatus outcome) {
            return outcome;
        }

        default long value(int o, long value) {
            return value;
        }

        default long key(int o, long key) {
            return key;
        }

        default boolean write(int o, boolean write) {
            return write;
        }
    }

    /** Copies the given transactions and operations. */
    static HistoryTable of(HistoryTable table, IntPredicate transactions, IntPredicate operations) {
        try {
            return copy(table, transactions, operations, new Change() {});
        } catch (HistoryException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Copies the whole history with changes. Keys and values must be integers or null. */
    static HistoryTable changed(HistoryTable table, Change change) throws HistoryException {
        return copy(table, t -> true, o -> true, change);
    }

    private static HistoryTable copy(
            HistoryTable table, IntPredicate transactions, IntPredicate operations, Change change)
            throws HistoryException {
        HistoryTableBuilder builder = new HistoryTableBuilder();
        builder.file("part");
        builder.initialValue(code(builder, table, table.initialValue()));
        long[] starts = table.starts();
        long[] ends = table.ends();
        // Keys are added from the last to the first, so that they get other numbers than in the table.
        for (int t = table.transactions() - 1; t >= 0; t--) {
            if (!transactions.test(t)) {
                continue;
            }
            builder.begin(
                    change.session(t, table.sessionLabel(table.sessionOf(t))),
                    change.index(t, table.index(t)),
                    change.outcome(t, table.status(t)),
                    t + 1L);
            if (starts != null && ends != null) {
                builder.times(starts[t], ends[t]);
            }
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (operations.test(o)) {
                    int keyAndKind = table.operationKeys()[o];
                    int id = keyAndKind >> 1;
                    int key = table.keys().isString(id)
                            ? builder.keys().id(table.keys().string(id))
                            : builder.keys().id(change.key(o, table.keys().integer(id)));
                    long value = code(builder, table, table.value(o));
                    if (table.values().isInteger(table.value(o))) {
                        value = builder.values()
                                .code(change.value(o, table.values().integer(table.value(o))));
                    }
                    if (change.write(o, (keyAndKind & 1) == 1)) {
                        builder.write(key, value);
                    } else {
                        builder.read(key, value);
                    }
                }
            }
            builder.end();
        }
        return builder.build();
    }

    private static long code(HistoryTableBuilder builder, HistoryTable table, long code) {
        ValueDictionary values = table.values();
        return values.isNull(code)
                ? ValueDictionary.NULL
                : values.isInteger(code)
                        ? builder.values().code(values.integer(code))
                        : builder.values().code(values.text(code));
    }
}
