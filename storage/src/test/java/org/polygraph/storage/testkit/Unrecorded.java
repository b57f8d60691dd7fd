package org.polygraph.storage.testkit;

import java.util.function.LongUnaryOperator;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.SourceFiles;

/**
 * A history whose order was not recorded: without times, its places in a file sorted by session. Keys and values are
 * integers.
 */
public final class Unrecorded {
    private Unrecorded() {}

    /** A copy with the same values, which may ascend. */
    public static HistoryTable of(HistoryTable history) {
        return copy(history, value -> value);
    }

    /** A copy with other values: ascending ones no longer ascend, equal ones stay equal. */
    public static HistoryTable shuffled(HistoryTable history) {
        return copy(
                history, value -> value == history.initialValue() ? value : value * 0x9E3779B1L & Integer.MAX_VALUE);
    }

    private static HistoryTable copy(HistoryTable history, LongUnaryOperator values) {
        HistoryTableBuilder builder = new HistoryTableBuilder(SourceFiles.Unit.ROW);
        builder.initialValue(history.initialValue());
        for (int t = 0; t < history.transactions(); t++) {
            builder.begin(history.sessionLabel(history.sessionOf(t)), history.index(t), history.status(t), t);
            for (int o = history.firstOperation(t); o < history.operationsEnd(t); o++) {
                int key = builder.keys().id(history.keys().integer(history.key(o)));
                long value = values.applyAsLong(history.value(o));
                if (history.isWrite(o)) {
                    builder.write(key, value);
                } else {
                    builder.read(key, value);
                }
            }
            builder.end();
        }
        try {
            return builder.build();
        } catch (HistoryException e) {
            throw new AssertionError(e);
        }
    }
}
