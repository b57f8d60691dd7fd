package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2ObjectMap;
import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntLinkedOpenHashSet;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;

/**
 * Replays a history with writes of unknown rows in an order of its events. Each open write has the rows that are known
 * and those that match.
 */
final class OrderReplay extends EventReplay {
    private final KnownRows known;
    private final Int2ObjectMap<IntLinkedOpenHashSet> found;
    private final IntOpenHashSet left = new IntOpenHashSet();

    OrderReplay(KnownRows known) {
        super(
                known.raw(),
                known.predicates(),
                new ReplayedRows(
                        known.raw(), known.predicates(), known.raw().keys().size()));
        this.known = known;
        found = new Int2ObjectOpenHashMap<>(known.rows());
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
    boolean isEvaluated(int operation) {
        return Predicates.isOne(raw.value(operation));
    }

    @Override
    public boolean unknown(int predicate, Predicates.Unknown write) {
        if (evaluates && known.open().contains(predicate)) {
            IntArrayList matching = new IntArrayList();
            rows.collect(predicates.conditionOf(predicate), matching);
            matching.sort(null);
            IntLinkedOpenHashSet all = new IntLinkedOpenHashSet(known.rows().get(predicate));
            all.addAll(matching);
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
}
