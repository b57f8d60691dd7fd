package org.polygraph.jobs.windows;

import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.format.InitialState;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * The values of keys before the first transaction: those of the header, and given ones. The driver holds them, about 40
 * bytes a key.
 *
 * @param table a history with them and without transactions
 * @param ofSlices the same for tasks of slices
 * @param unusedKeys keys that the header names and no operation has
 */
record InitialValues(HistoryTable table, Beginning ofSlices, long unusedKeys) {
    /** The value that all keys have if the header states no others. */
    static InitialValues common(Layout layout) {
        return new InitialValues(built(layout.initialValues()), new Beginning(layout.initialValue(), null), 0);
    }

    /** All values of the header and all given ones. */
    static InitialValues stated(Layout layout, @Nullable InitialState given, int slices, Section.Files files)
            throws IOException {
        HistoryTableBuilder all = layout.initialValues();
        if (given != null) {
            all.keys().addAll(given.keys());
        }
        HistoryTable table = applied(built(all), given);
        return new InitialValues(table, Beginning.of(table, slices, files), 0);
    }

    /** The same without the given values of keys that no operation has, in place of these. @param found by {@link InitialTask}s */
    InitialValues used(Layout layout, @Nullable InitialState given, List<byte[]> found, int slices, Section.Files files)
            throws IOException {
        HistoryTableBuilder kept = layout.initialValues();
        int ofHeader = kept.keys().size();
        BitSet used = new BitSet();
        for (byte[] items : found) {
            for (BlockReader in = new BlockReader(items); in.hasMore(); in.skipValue()) {
                used.set(in.key(kept.keys()));
            }
        }
        HistoryTable table = applied(built(kept), given);
        Beginning dealt = Beginning.of(table, slices, files);
        if (ofSlices.others() != null) {
            ofSlices.others().delete();
        }
        return new InitialValues(table, dealt, ofHeader - used.get(0, ofHeader).cardinality());
    }

    private static HistoryTable applied(HistoryTable stated, @Nullable InitialState given) {
        try {
            return given == null ? stated : given.applied(stated);
        } catch (HistoryException e) {
            throw new IllegalStateException("a history without operations takes no initial values", e);
        }
    }

    private static HistoryTable built(HistoryTableBuilder builder) {
        try {
            return builder.build();
        } catch (HistoryException e) {
            throw new IllegalStateException("initial values do not form a history", e);
        }
    }
}
