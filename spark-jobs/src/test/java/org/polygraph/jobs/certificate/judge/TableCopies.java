package org.polygraph.jobs.certificate.judge;

import java.util.function.IntPredicate;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;

/** Makes copies of a history that lack some transactions or operations. Each has dictionaries of its own. */
final class TableCopies {
    private TableCopies() {}

    static HistoryTable of(HistoryTable table, IntPredicate transactions, IntPredicate operations) {
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
            builder.begin(table.sessionLabel(table.sessionOf(t)), table.index(t), table.status(t), t + 1L);
            if (starts != null && ends != null) {
                builder.times(starts[t], ends[t]);
            }
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (operations.test(o)) {
                    int id = table.key(o);
                    int key = table.keys().isString(id)
                            ? builder.keys().id(table.keys().string(id))
                            : builder.keys().id(table.keys().integer(id));
                    long value = code(builder, table, table.value(o));
                    if (table.isWrite(o)) {
                        builder.write(key, value);
                    } else {
                        builder.read(key, value);
                    }
                }
            }
            builder.end();
        }
        try {
            return builder.build();
        } catch (HistoryException e) {
            throw new IllegalStateException(e);
        }
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
