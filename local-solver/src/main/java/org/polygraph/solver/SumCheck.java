package org.polygraph.solver;

import java.util.Arrays;
import java.util.function.IntPredicate;
import org.polygraph.solver.sat.IntStack;
import org.polygraph.solver.sat.SearchBudget;

/** Finds reads of sums that are wrong in the current order. A key is checked again when one of its events moved. */
final class SumCheck {
    private final Polygraph p;
    private final SumItems items;
    private final int[] position;
    private final IntPredicate counts;
    private final SearchBudget budget;
    private final int[] startsOf;
    private final int[] keysOf;
    private final boolean[] stale;
    private final IntStack staleKeys;
    private long[] order = new long[64];

    // The wrong read, and the last item before it that sets its key, or -1.
    private int key;
    private int read;
    private int base;
    private long missing;

    /** @param counts whether a transaction counts */
    SumCheck(Polygraph p, SumItems items, int[] position, IntPredicate counts, SearchBudget budget) {
        this.p = p;
        this.items = items;
        this.position = position;
        this.counts = counts;
        this.budget = budget;
        budget.reserve(4L * p.transactions + 9L * items.transactions().length + items.keys());
        startsOf = items.startsOf(p.transactions);
        keysOf = items.keysOf(startsOf);
        stale = new boolean[items.keys()];
        staleKeys = new IntStack(budget);
        for (int k = 0; k < stale.length; k++) {
            markStale(k);
        }
    }

    /** An event of a transaction moved, or the transaction began or ceased to count. */
    void touch(int transaction) {
        for (int i = startsOf[transaction]; i < startsOf[transaction + 1]; i++) {
            markStale(keysOf[i]);
        }
    }

    private void markStale(int k) {
        if (!stale[k]) {
            stale[k] = true;
            staleKeys.push(k);
        }
    }

    /** Finds a wrong read; false if there is none. */
    boolean next() {
        while (!staleKeys.isEmpty()) {
            int k = staleKeys.pop();
            stale[k] = false;
            if (isWrong(k)) {
                markStale(k);
                return true;
            }
        }
        return false;
    }

    /** Whether a read of a key is wrong; the first one is kept. */
    private boolean isWrong(int k) {
        int from = items.starts()[k];
        int n = items.starts()[k + 1] - from;
        if (order.length < n) {
            order = new long[2 * n];
        }
        int count = 0;
        for (int i = from; i < from + n; i++) {
            budget.tick();
            if (counts.test(items.transactions()[i])) {
                // Of one event, the read comes first.
                long isWrite = items.kinds()[i] == SumItems.READ ? 0 : 1;
                order[count++] = (2L * place(i) + isWrite) << 31 | (i - from);
            }
        }
        Arrays.sort(order, 0, count);
        long sum = items.initial()[k];
        int last = -1;
        for (int i = 0; i < count; i++) {
            int item = from + (int) (order[i] & Integer.MAX_VALUE);
            long value = items.values()[item];
            switch (items.kinds()[item]) {
                case SumItems.ADD -> sum += value;
                case SumItems.SET -> {
                    sum = value;
                    last = item;
                }
                default -> {
                    if (sum != value) {
                        key = k;
                        read = item;
                        base = last;
                        missing = value - sum;
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** The event of an item. */
    int event(int item) {
        int txn = items.transactions()[item];
        return items.kinds()[item] == SumItems.READ ? p.snapshot(txn) : p.commit(txn);
    }

    private int place(int item) {
        return position[event(item)];
    }

    SumItems items() {
        return items;
    }

    boolean counts(int item) {
        return counts.test(items.transactions()[item]);
    }

    boolean isBefore(int item, int other) {
        return place(item) < place(other);
    }

    int key() {
        return key;
    }

    int read() {
        return read;
    }

    int base() {
        return base;
    }

    /** What is left of the error of the read, in the least magnitude, if an item goes to the other side of it. */
    long errorWithout(int item) {
        long change = items.kinds()[item] != SumItems.ADD
                ? 0
                : isBefore(item, read) ? -items.values()[item] : items.values()[item];
        return Math.abs(missing - change);
    }

    /** The magnitude of the error of the read. */
    long error() {
        return Math.abs(missing);
    }
}
