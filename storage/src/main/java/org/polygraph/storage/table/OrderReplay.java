package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2ObjectMap;
import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntArrays;
import it.unimi.dsi.fastutil.ints.IntLinkedOpenHashSet;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import java.util.function.BooleanSupplier;

/**
 * Replays a history with writes of unknown rows in an order of its events. Each open write has the rows that are known
 * and those that match.
 */
final class OrderReplay implements RecordedWalk.Visitor {
    /** Receives what the order does not explain. */
    interface Wrong {
        /** Receives nothing. */
        Wrong IGNORED = new Wrong() {
            @Override
            public void read(int t, int row, long value, int writer) {}

            @Override
            public void match(int t, int condition, int row, int writer) {}
        };

        /** Receives a read of another value than the row has. @param writer of the row; negative if there is none */
        void read(int t, int row, long value, int writer);

        /** Receives a result that has a row which does not match, or lacks one that matches. */
        void match(int t, int condition, int row, int writer);
    }

    private final KnownRows known;
    private final HistoryTable raw;
    private final Predicates predicates;
    private final Wrong wrong;
    private final RecordedWalk walk;
    private final ReplayedRows rows;
    private final Int2ObjectMap<IntLinkedOpenHashSet> found;
    private final IntOpenHashSet left = new IntOpenHashSet();
    /** By row: the number of the last predicate whose rows have it. */
    private final int[] inResult;

    private int evaluations;
    private int transaction;
    private boolean evaluates;

    OrderReplay(KnownRows known, Wrong wrong) {
        this.known = known;
        this.raw = known.raw();
        this.predicates = known.predicates();
        this.wrong = wrong;
        walk = new RecordedWalk(raw, predicates, this);
        rows = new ReplayedRows(raw, predicates);
        found = new Int2ObjectOpenHashMap<>(known.rows());
        inResult = new int[raw.keys().size()];
    }

    /**
     * Replays an order. Conditions are evaluated at the first event of a transaction, and its writes take effect at the
     * last one.
     *
     * @param counted by transaction: whether it counts
     * @param position by event, one or two a transaction: its place
     * @return false if it was stopped
     */
    boolean run(boolean[] counted, int[] position, BooleanSupplier stop) {
        int perTransaction = position.length / raw.transactions();
        int[] events = new int[position.length];
        int count = 0;
        for (int event = 0; event < events.length; event++) {
            if (counted[event / perTransaction] && position[event] >= 0) {
                events[count++] = event;
            }
        }
        IntArrays.mergeSort(events, 0, count, (a, b) -> Integer.compare(position[a], position[b]));
        for (int i = 0; i < count; i++) {
            if (stop.getAsBoolean()) {
                return false;
            }
            transaction = events[i] / perTransaction;
            evaluates = events[i] % perTransaction == 0;
            int before = rows.size();
            walk.over(transaction);
            if (events[i] % perTransaction < perTransaction - 1) {
                rows.takeBack(before);
            } else {
                rows.keep();
            }
        }
        return true;
    }

    /** By number of an unknown write: its rows. Those that stay open have the rows that are known. */
    Int2ObjectMap<IntLinkedOpenHashSet> found() {
        return found;
    }

    /** The open writes whose counts the order contradicts. */
    IntOpenHashSet left() {
        return left;
    }

    @Override
    public boolean read(int operation, int row, long value) {
        if (evaluates && value != rows.value(row)) {
            wrong.read(transaction, row, value, rows.writer(row));
        }
        return true;
    }

    @Override
    public boolean result(int predicate) {
        if (evaluates && wrong != Wrong.IGNORED) {
            evaluations++;
            for (int at = predicates.firstKey(predicate); at < predicates.keysEnd(predicate); at++) {
                expect(predicate, predicates.keyAt(at));
            }
            matching(predicate, true);
        }
        return true;
    }

    @Override
    public boolean unknown(int predicate, Predicates.Unknown write) {
        if (evaluates) {
            evaluations++;
            IntLinkedOpenHashSet all = known.rows().get(predicate);
            for (int row : all) {
                expect(predicate, row);
            }
            if (known.open().contains(predicate)) {
                all = new IntLinkedOpenHashSet(all);
                all.addAll(matching(predicate, false));
                if (write.count() < 0 || write.count() == all.size()) {
                    found.put(predicate, all);
                } else {
                    left.add(predicate);
                }
            } else if (wrong != Wrong.IGNORED) {
                matching(predicate, true);
            }
        }
        for (int row : found.get(predicate)) {
            rows.write(row, write.isDelete(), write.value(), write.row(), transaction);
        }
        return true;
    }

    @Override
    public boolean write(int operation, int row, long value, int columns) {
        rows.write(row, raw.isDelete(operation), value, columns, transaction);
        return true;
    }

    private void expect(int predicate, int row) {
        inResult[row] = evaluations;
        int condition = predicates.conditionOf(predicate);
        if (!rows.matches(condition, row)) {
            wrong.match(transaction, condition, row, rows.writer(row));
        }
    }

    /** Returns the rows that match, ascending. @param isComplete whether the rows that were expected are all */
    private IntArrayList matching(int predicate, boolean isComplete) {
        int condition = predicates.conditionOf(predicate);
        IntArrayList matching = new IntArrayList();
        rows.collect(condition, matching);
        for (int i = 0; isComplete && i < matching.size(); i++) {
            if (inResult[matching.getInt(i)] != evaluations) {
                wrong.match(transaction, condition, matching.getInt(i), rows.writer(matching.getInt(i)));
            }
        }
        matching.sort(null);
        return matching;
    }
}
