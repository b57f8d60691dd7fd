package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2ObjectMap;
import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntArrays;
import it.unimi.dsi.fastutil.ints.IntLinkedOpenHashSet;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;

/**
 * Replays a history with writes of unknown rows in an order of its events. Each open write has the rows that are known
 * and those that match.
 */
final class OrderReplay implements RecordedWalk.Visitor {
    private final KnownRows known;
    private final HistoryTable raw;
    private final Predicates predicates;
    private final RecordedWalk walk;
    private final ReplayedRows rows;
    private final Int2ObjectMap<IntLinkedOpenHashSet> found;
    private final IntOpenHashSet left = new IntOpenHashSet();

    private int transaction;
    private boolean evaluates;

    OrderReplay(KnownRows known) {
        this.known = known;
        this.raw = known.raw();
        this.predicates = known.predicates();
        walk = new RecordedWalk(raw, predicates, this);
        rows = new ReplayedRows(raw, predicates);
        found = new Int2ObjectOpenHashMap<>(known.rows());
    }

    /**
     * Replays an order. Conditions of open writes are evaluated at the first event of a transaction, and its writes take
     * effect at the last one.
     *
     * @param counted by transaction: whether it counts
     * @param position by event, one or two a transaction: its place
     */
    void run(boolean[] counted, int[] position) {
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
    public boolean unknown(int predicate, Predicates.Unknown write) {
        if (evaluates && known.open().contains(predicate)) {
            IntLinkedOpenHashSet all = new IntLinkedOpenHashSet(known.rows().get(predicate));
            all.addAll(matching(predicate));
            if (write.count() < 0 || write.count() == all.size()) {
                found.put(predicate, all);
            } else {
                left.add(predicate);
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

    /** Returns the rows that match, ascending. */
    private IntArrayList matching(int predicate) {
        IntArrayList matching = new IntArrayList();
        rows.collect(predicates.conditionOf(predicate), matching);
        matching.sort(null);
        return matching;
    }
}
