package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2ObjectMap;
import it.unimi.dsi.fastutil.ints.IntLinkedOpenHashSet;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;

/**
 * What is known of the rows of the unknown writes of a history.
 *
 * @param raw the history as it was recorded, perhaps with outcomes in place of unknown ones
 * @param shown what reads show of the rows
 * @param rows by number of an unknown write: the keys of its rows, as far as they are known
 * @param open the writes that may have other rows too
 */
record KnownRows(
        HistoryTable raw,
        Predicates predicates,
        ShownRows shown,
        Int2ObjectMap<IntLinkedOpenHashSet> rows,
        IntOpenHashSet open) {
    KnownRows of(HistoryTable other) {
        return new KnownRows(other, predicates, shown, rows, open);
    }

    /** Whether a value of a row may be that of an open write that is not known to have the row. */
    boolean isOfOpen(int row, long value) {
        int writer = shown.writerOf(value);
        return writer >= 0
                && open.contains(writer)
                && (shown.isAmbiguous(value) || !rows.get(writer).contains(row));
    }

    boolean hasOpenDelete() {
        for (int number : open) {
            Predicates.Unknown write = predicates.unknown(number);
            if (write != null && write.isDelete()) {
                return true;
            }
        }
        return false;
    }

    /** Whether a version matches. @param columns the number of its columns; negative for none */
    boolean matches(Condition condition, long value, int columns) {
        return condition.matches(raw.values(), predicates.rows(), value, columns);
    }
}
