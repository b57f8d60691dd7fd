package org.polygraph.partitioner.linear;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntArrays;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.Arrays;
import java.util.function.BooleanSupplier;

/**
 * Orders one key by search, whatever its values. It processes starts and ends in the order of time and keeps the set of
 * states to which some order of the operations so far leads: which open operations have taken effect, and the value. An
 * operation takes effect as late as possible: when it ends, or directly before one that ends and needs it (Wing and
 * Gong, "Testing and Verifying Concurrent Objects", JPDC 17, 1993; Lowe, "Testing for Linearizability", CCPE 29(4),
 * 2017).
 *
 * <p>Exponential in the number of operations that overlap, linear in the number of all. An operation of unknown outcome
 * stays open. At most 64 are open at once. Memory: 8 bytes per step, 24 per state.
 */
final class KeySearch {
    private static final int MOST_OPEN = 64;
    private static final int CHECK_EVERY = 1 << 12;

    private final LinearOperations all;
    private final int[] ids;
    private final int mostSteps;
    private final BooleanSupplier stop;

    /** By slot: the open operation, or -1. */
    private final int[] open = new int[MOST_OPEN];

    private long openMask;

    // By step: the operation that took effect, and the step before it.
    private final IntArrayList parents = new IntArrayList();
    private final IntArrayList effects = new IntArrayList();

    private States states = new States();
    private States next = new States();
    private final States visited = new States();
    private final IntArrayList order = new IntArrayList();
    private int failed = -1;

    /**
     * A set of states: the slots of open operations that have taken effect and the value, each with the step that led
     * to it.
     */
    private static final class States {
        private final LongArrayList masks = new LongArrayList();
        private final LongArrayList values = new LongArrayList();
        private final IntArrayList steps = new IntArrayList();
        private int[] slots = new int[16];

        void clear() {
            masks.clear();
            values.clear();
            steps.clear();
            if (slots.length > 1 << 12) {
                slots = new int[16];
            } else {
                Arrays.fill(slots, 0);
            }
        }

        int size() {
            return steps.size();
        }

        /** @return whether it is new */
        boolean add(long mask, long value, int step) {
            if (2 * size() >= slots.length) {
                slots = new int[2 * slots.length];
                for (int i = 0; i < size(); i++) {
                    slots[slot(masks.getLong(i), values.getLong(i))] = i + 1;
                }
            }
            int slot = slot(mask, value);
            if (slots[slot] != 0) {
                return false;
            }
            masks.add(mask);
            values.add(value);
            steps.add(step);
            slots[slot] = size();
            return true;
        }

        private int slot(long mask, long value) {
            long h = (mask * 0x9E3779B97F4A7C15L + value) * 0xC2B2AE3D27D4EB4FL;
            int at = (int) (h ^ h >>> 32) & (slots.length - 1);
            while (slots[at] != 0 && (masks.getLong(slots[at] - 1) != mask || values.getLong(slots[at] - 1) != value)) {
                at = (at + 1) & (slots.length - 1);
            }
            return at;
        }
    }

    /**
     * A search.
     *
     * @param mostSteps the search gives up after so many
     */
    KeySearch(LinearOperations all, int[] ids, int mostSteps, BooleanSupplier stop) {
        this.all = all;
        this.ids = ids;
        this.mostSteps = mostSteps;
        this.stop = stop;
        Arrays.fill(open, -1);
    }

    /** After ORDERED: the operations that count, in order. */
    IntArrayList order() {
        return order;
    }

    /** After VIOLATED: the operation at whose end no order was left. */
    int failed() {
        return failed;
    }

    KeyResult run() {
        int[] byStart = ids.clone();
        int[] byEnd = ids.clone();
        IntArrays.quickSort(byStart, (a, b) -> Long.compare(all.starts[a], all.starts[b]));
        IntArrays.quickSort(byEnd, (a, b) -> Long.compare(all.ends[a], all.ends[b]));
        states.add(0, ids.length == 0 ? 0 : all.initialValueOf(ids[0]), -1);
        int started = 0;
        for (int end : byEnd) {
            // An operation that starts when another one ends overlaps it.
            while (started < byStart.length && all.starts[byStart[started]] <= all.ends[end]) {
                if (!start(byStart[started++])) {
                    return KeyResult.OPEN;
                }
            }
            // An end does not show that the outcome is unknown: a committed operation may have the latest end too.
            if (all.isMaybe(end)) {
                continue;
            }
            if (!end(end)) {
                return KeyResult.OPEN;
            }
            if (states.size() == 0) {
                failed = end;
                return KeyResult.VIOLATED;
            }
        }
        for (int step = states.steps.getInt(0); step >= 0; step = parents.getInt(step)) {
            order.add(effects.getInt(step));
        }
        IntArrays.reverse(order.elements(), 0, order.size());
        return KeyResult.ORDERED;
    }

    private boolean start(int t) {
        if (openMask == -1) {
            return false;
        }
        int slot = Long.numberOfTrailingZeros(~openMask);
        open[slot] = t;
        openMask |= 1L << slot;
        return true;
    }

    /** Replaces the states by those in which t has taken effect; false if there are too many. */
    private boolean end(int t) {
        int own = 0;
        while (open[own] != t) {
            own++;
        }
        long bit = 1L << own;
        next.clear();
        visited.clear();
        for (int i = 0; i < states.size(); i++) {
            if ((states.masks.getLong(i) & bit) != 0) {
                next.add(states.masks.getLong(i) & ~bit, states.values.getLong(i), states.steps.getInt(i));
            } else {
                visited.add(states.masks.getLong(i), states.values.getLong(i), states.steps.getInt(i));
            }
        }
        // All that can take effect before t; each state is processed once.
        for (int i = 0; i < visited.size(); i++) {
            long mask = visited.masks.getLong(i);
            long value = visited.values.getLong(i);
            for (long left = openMask & ~mask; left != 0; left &= left - 1) {
                int slot = Long.numberOfTrailingZeros(left);
                int each = open[slot];
                if (!isPossible(each, value)) {
                    continue;
                }
                if (parents.size() >= mostSteps || (parents.size() % CHECK_EVERY == 0 && stop.getAsBoolean())) {
                    return false;
                }
                parents.add(visited.steps.getInt(i));
                effects.add(each);
                long after = all.isWrite(each) ? all.written(each) : value;
                if (slot == own) {
                    next.add(mask, after, parents.size() - 1);
                } else {
                    visited.add(mask | 1L << slot, after, parents.size() - 1);
                }
            }
        }
        States swap = states;
        states = next;
        next = swap;
        open[own] = -1;
        openMask &= ~bit;
        return true;
    }

    private boolean isPossible(int t, long value) {
        if (all.isRefused(t)) {
            return value != all.excluded(t);
        }
        return !all.isRead(t) || value == all.read(t);
    }
}
