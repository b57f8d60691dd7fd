package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2ObjectMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntLinkedOpenHashSet;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Looks for a serial order of a history with writes of unknown rows, step by step. An order of the {@link NecessaryReads} that are
 * selected is replayed on the history as it was recorded, where open writes have the rows that match. What it does not explain
 * is selected too, until an order explains everything, or none explains what is selected.
 */
public final class SerialRefinement {
    private static final int NONE = -1;
    /** The most rows times conditions that are all selected at first. */
    private static final long FEW = 1_000;

    private final HistoryTable raw;
    private final Predicates predicates;
    private final Int2ObjectMap<IntLinkedOpenHashSet> shown;
    private final NecessaryReads reads;
    private final int[] inResult;
    private FoundWriters found;
    private int evaluations;
    private boolean isExplained;
    private boolean hasMore;

    SerialRefinement(
            HistoryTable raw, Predicates predicates, Int2ObjectMap<IntLinkedOpenHashSet> shown, NecessaryReads reads) {
        this.raw = raw;
        this.predicates = predicates;
        this.shown = shown;
        this.reads = reads;
        this.inResult = new int[raw.keys().size()];
        this.found = new FoundWriters(raw.transactions());
        if ((long) predicates.conditions() * inResult.length <= FEW) {
            reads.selectAll();
        }
    }

    /** The history of the reads that are selected; null if it would be too large. No evidence is made from it. */
    public @Nullable HistoryTable table() {
        return reads.table();
    }

    /**
     * Replays an order of transactions.
     *
     * @return whether it explains the history, or further reads were selected
     */
    public boolean replay(boolean[] counted, int[] position) {
        int[] order = new int[position.length];
        Arrays.fill(order, NONE);
        for (int t = 0; t < position.length; t++) {
            if (counted[t]) {
                order[position[t]] = t;
            }
        }
        isExplained = true;
        hasMore = false;
        found = new FoundWriters(raw.transactions());
        ReplayedRows rows = new ReplayedRows(raw, predicates);
        for (int t : order) {
            if (t != NONE) {
                replay(t, rows);
            }
        }
        return isExplained || hasMore;
    }

    /** Whether the last order explains the history. */
    public boolean isExplained() {
        return isExplained;
    }

    private void replay(int t, ReplayedRows rows) {
        int columns = NONE;
        for (int o = raw.firstOperation(t); o < raw.operationsEnd(t); o++) {
            long code = raw.value(o);
            if (Predicates.isRow(code)) {
                columns = Predicates.rowNumber(code);
            } else if (Predicates.isOne(code)) {
                int number = Predicates.number(code);
                Predicates.Unknown write = predicates.unknown(number);
                if (write == null) {
                    compare(t, number, rows);
                    continue;
                }
                for (int row : rowsOf(t, number, write, rows)) {
                    rows.write(row, write.isDelete(), write.value(), write.row(), t);
                }
            } else if (raw.isWrite(o)) {
                int row = raw.key(o);
                isExplained &= raw.isInsert(o) ? !rows.exists(row) : !raw.isDelete(o) || rows.exists(row);
                rows.write(row, raw.isDelete(o), code, columns, t);
                columns = NONE;
            } else if (code != rows.value(raw.key(o))) {
                isExplained = false;
                hasMore |= found.isNeeded(t, rows.writer(raw.key(o))) && reads.selectVersion(raw.key(o), code);
            }
        }
    }

    private void compare(int t, int number, ReplayedRows rows) {
        int condition = predicates.conditionOf(number);
        evaluations++;
        for (int at = predicates.firstKey(number); at < predicates.keysEnd(number); at++) {
            int row = predicates.keyAt(at);
            inResult[row] = evaluations;
            if (!rows.matches(condition, row)) {
                isWrong(t, condition, row, rows);
            }
        }
        IntArrayList matching = new IntArrayList();
        rows.collect(condition, matching);
        for (int i = 0; i < matching.size(); i++) {
            if (inResult[matching.getInt(i)] != evaluations) {
                isWrong(t, condition, matching.getInt(i), rows);
            }
        }
    }

    private void isWrong(int t, int condition, int row, ReplayedRows rows) {
        isExplained = false;
        hasMore |= found.isNeeded(t, rows.writer(row)) && reads.selectPair(condition, row);
    }

    private IntLinkedOpenHashSet rowsOf(int t, int number, Predicates.Unknown write, ReplayedRows rows) {
        int condition = predicates.conditionOf(number);
        IntLinkedOpenHashSet all = new IntLinkedOpenHashSet(shown.get(number));
        for (int row : all) {
            if (!rows.matches(condition, row)) {
                isWrong(t, condition, row, rows);
            }
        }
        IntArrayList matching = new IntArrayList();
        rows.collect(condition, matching);
        all.addAll(matching);
        isExplained &= write.count() < 0 || write.count() == all.size();
        return all;
    }
}
