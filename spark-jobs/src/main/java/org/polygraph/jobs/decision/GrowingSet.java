package org.polygraph.jobs.decision;

import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import java.util.Arrays;
import org.polygraph.storage.table.HistoryTable;

/** A set of transactions around a violated operation, and the places between which they may move. Both grow. */
final class GrowingSet {
    private static final int MARGIN = 256;

    private final PlacedHistory placed;
    private final IntOpenHashSet members = new IntOpenHashSet();
    /** Places before the first event of the members, and behind the last, to which they may move. */
    private int margin;

    private GrowingSet(PlacedHistory placed, int margin) {
        this.placed = placed;
        this.margin = margin;
    }

    /**
     * The transaction of the operation, the last one before it that writes the key and, of a read, the nearest two that
     * write its value. At first they may move among the {@value #MARGIN} places before and behind them.
     */
    static GrowingSet around(PlacedHistory placed, int operation) {
        GrowingSet set = new GrowingSet(placed, MARGIN);
        HistoryTable table = placed.table();
        int key = table.key(operation);
        set.members.add(placed.transactionOf(operation));
        int last = placed.writeBefore(key, placed.placeOf(operation));
        if (last >= 0) {
            set.members.add(placed.transactionOf(last));
        }
        if (!table.isWrite(operation)) {
            int at = placed.indexAt(key, placed.placeOf(operation));
            set.addWriter(operation, at - 1, -1);
            set.addWriter(operation, at, 1);
        }
        return set;
    }

    private void addWriter(int read, int from, int step) {
        HistoryTable table = placed.table();
        int key = table.key(read);
        for (int i = from; i >= placed.firstOf(key) && i < placed.firstOf(key + 1); i += step) {
            int o = placed.operation(i);
            if (table.isWrite(o)
                    && table.value(o) == table.value(read)
                    && placed.transactionOf(o) != placed.transactionOf(read)) {
                members.add(placed.transactionOf(o));
                return;
            }
        }
    }

    MovingSet moving() {
        int[] ids = members.toIntArray();
        Arrays.sort(ids);
        return new MovingSet(
                placed, ids, Math.max(0, first() - margin), (int) Math.min(placed.events(), last() + 1L + margin));
    }

    private int first() {
        int first = Integer.MAX_VALUE;
        for (int t : members) {
            first = Math.min(first, placed.beginPlace(t));
        }
        return first;
    }

    private int last() {
        int last = -1;
        for (int t : members) {
            last = Math.max(last, placed.commitPlace(t));
        }
        return last;
    }

    /** The number of its transactions. */
    int size() {
        return members.size();
    }

    /** The number of places between which they may move. */
    long places() {
        return last() - first() + 2L * margin;
    }

    /**
     * Adds the transactions that a refutation names, and doubles the number of places to which members may move. If the
     * refutation names none that is new, and all places are allowed already, the nearest transactions double the set.
     */
    void extend(int[] named) {
        int before = members.size();
        for (int t : named) {
            members.add(t);
        }
        boolean isWhole = first() - margin <= 0 && last() + (long) margin >= placed.events() - 1;
        margin = (int) Math.min(placed.events(), 2L * margin);
        if (members.size() == before && isWhole) {
            addNearest();
        }
    }

    private void addNearest() {
        int before = members.size();
        int low = first();
        int high = last();
        for (int place = low; place <= high; place++) {
            addActive(place);
        }
        int n = placed.events();
        while (members.size() < 2 * before && (low > 0 || high < n - 1)) {
            low = Math.max(0, low - 1);
            high = Math.min(n - 1, high + 1);
            addActive(low);
            addActive(high);
        }
        if (members.size() == before) {
            throw new IllegalStateException("the whole history has no order, but does not violate its level");
        }
    }

    private void addActive(int place) {
        int t = placed.transaction(placed.atPlace(place));
        if (placed.isActive(t)) {
            members.add(t);
        }
    }
}
