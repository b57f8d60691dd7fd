package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.booleans.BooleanArrayList;
import it.unimi.dsi.fastutil.ints.Int2ObjectMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntLinkedOpenHashSet;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a history in an order of its transactions: finds those that match the conditions of writes of unknown
 * rows.
 */
final class MatchingRows {
    private final HistoryTable raw;
    private final Predicates predicates;
    /** By number of an unknown write: the keys of its rows, as far as they are known. */
    private final Int2ObjectMap<IntLinkedOpenHashSet> known;
    /** The writes whose rows are not all known. */
    private final IntOpenHashSet open;

    private final boolean[] exists;
    private final long[] values;
    private final int[] rows;
    /** Keys that {@link #evaluate} has changed, and what they were before. */
    private final IntArrayList changed = new IntArrayList();

    private final LongArrayList valuesBefore = new LongArrayList();
    private final IntArrayList rowsBefore = new IntArrayList();
    private final BooleanArrayList existedBefore = new BooleanArrayList();

    MatchingRows(
            HistoryTable raw, Predicates predicates, Int2ObjectMap<IntLinkedOpenHashSet> known, IntOpenHashSet open) {
        this.raw = raw;
        this.predicates = predicates;
        this.known = known;
        this.open = open;
        this.exists = new boolean[raw.keys().size()];
        this.values = new long[exists.length];
        this.rows = new int[exists.length];
        for (int key = 0; key < exists.length; key++) {
            exists[key] = raw.existsAtFirst(key);
            values[key] = raw.initialValue(key);
            rows[key] = -1;
        }
    }

    private void write(int key, boolean isDelete, long value, int row) {
        changed.add(key);
        existedBefore.add(exists[key]);
        valuesBefore.add(values[key]);
        rowsBefore.add(rows[key]);
        exists[key] = !isDelete;
        values[key] = value;
        rows[key] = row;
    }

    /** Leaves what a transaction writes. */
    void apply(int t, Int2ObjectMap<IntLinkedOpenHashSet> guessed) {
        run(t, guessed, null);
        changed.clear();
        valuesBefore.clear();
        rowsBefore.clear();
        existedBefore.clear();
    }

    /**
     * Finds the rows of a transaction's open writes. The state does not change. @param left gets the writes that
     * stay open
     */
    void evaluate(int t, Int2ObjectMap<IntLinkedOpenHashSet> guessed, IntOpenHashSet left) {
        run(t, guessed, left);
        for (int i = changed.size() - 1; i >= 0; i--) {
            int key = changed.getInt(i);
            exists[key] = existedBefore.getBoolean(i);
            values[key] = valuesBefore.getLong(i);
            rows[key] = rowsBefore.getInt(i);
        }
        changed.clear();
        valuesBefore.clear();
        rowsBefore.clear();
        existedBefore.clear();
    }

    private void run(int t, Int2ObjectMap<IntLinkedOpenHashSet> guessed, @Nullable IntOpenHashSet left) {
        int row = -1;
        for (int o = raw.firstOperation(t); o < raw.operationsEnd(t); o++) {
            long code = raw.value(o);
            if (Predicates.isRow(code)) {
                row = Predicates.rowNumber(code);
            } else if (predicates.isUnknown(code)) {
                int number = Predicates.number(code);
                if (left != null && open.contains(number)) {
                    IntLinkedOpenHashSet found = matching(number, known.get(number));
                    if (found == null) {
                        left.add(number);
                    } else {
                        guessed.put(number, found);
                    }
                }
                Predicates.Unknown write = predicates.unknown(number);
                for (int key : guessed.get(number)) {
                    write(
                            key,
                            write != null && write.isDelete(),
                            write == null ? 0 : write.value(),
                            write == null ? -1 : write.row());
                }
            } else if (raw.isWrite(o)) {
                write(raw.key(o), raw.isDelete(o), code, row);
                row = -1;
            }
        }
    }

    /**
     * The rows that a write has, according to reads, with the rows that match; null if their number differs from
     * its count.
     */
    private @Nullable IntLinkedOpenHashSet matching(int number, IntLinkedOpenHashSet needed) {
        Predicates.Unknown write = predicates.unknown(number);
        Condition condition = predicates.condition(predicates.conditionOf(number));
        IntLinkedOpenHashSet found = new IntLinkedOpenHashSet(needed);
        for (int key = 0; key < exists.length; key++) {
            if (exists[key] && condition.matches(raw.values(), predicates.rows(), values[key], rows[key])) {
                found.add(key);
            }
        }
        return write == null || write.count() < 0 || write.count() == found.size() ? found : null;
    }
}
