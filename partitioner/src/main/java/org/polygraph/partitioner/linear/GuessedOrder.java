package org.polygraph.partitioner.linear;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;

/**
 * Guesses an order of the operations of one key that agrees with real time and explains almost every result. The
 * solver repairs the rest. Operations of unknown outcome are used only if nothing else explains a result.
 *
 * <p>It goes through starts and ends in the order of time. An operation that fits the current value and changes nothing
 * takes effect at once, because that never excludes an order. A write takes effect as late as possible: when it ends,
 * or when another operation ends that needs its value. Placing a write that nothing has needed where no result depends
 * on it breaks four to twenty times as many results.
 *
 * <p>Time: for each end the number of open operations, which have started and not taken effect. Memory: 40 bytes an
 * operation.
 */
final class GuessedOrder {
    private static final int NONE = -1;
    /** The most writes that take effect one after another so that a compare-and-set finds its value. */
    private static final int MOST_CHAINED = 4;

    private final LinearOperations all;
    private final int from;
    private final int count;
    /** Operations by start. */
    private final int[] byStart;

    // Operations and values of the key have numbers from 0. The initial value is 0.
    private final int[] reads;
    private final int[] writes;
    private final int values;

    private final boolean[] placed;
    private final IntArrayList order;
    private int current;
    private int started;
    private final IntArrayList open = new IntArrayList();
    /** By value: operations of unknown outcome that write it and have started. */
    private final IntArrayList[] maybe;

    GuessedOrder(LinearOperations all, int key) {
        this.all = all;
        from = all.keyStarts[key];
        count = all.keyStarts[key + 1] - from;
        reads = new int[count];
        writes = new int[count];
        Long2IntOpenHashMap numbers = new Long2IntOpenHashMap();
        numbers.put(all.initialValue(key), 0);
        for (int i = 0; i < count; i++) {
            reads[i] = all.isRead(from + i) || all.isRefused(from + i) ? number(numbers, all.read(from + i)) : NONE;
            writes[i] = all.isWrite(from + i) ? number(numbers, all.written(from + i)) : NONE;
        }
        values = numbers.size();
        byStart = LinearOperations.sorted(LinearOperations.numbers(count), o -> all.starts[from + o]);
        placed = new boolean[count];
        order = new IntArrayList(count);
        maybe = new IntArrayList[values];
    }

    private static int number(Long2IntOpenHashMap numbers, long value) {
        int known = numbers.size();
        int found = numbers.putIfAbsent(value, known);
        return numbers.size() > known ? known : found;
    }

    /** Returns the operations in order. Those of unknown outcome that are not used are where they would end. */
    IntArrayList run() {
        int[] byEnd = LinearOperations.sorted(byStart, o -> all.ends[from + o]);
        for (int end : byEnd) {
            // An operation that starts when another one ends overlaps it.
            while (started < count && all.starts[from + byStart[started]] <= all.ends[from + end]) {
                start(byStart[started++]);
            }
            if (!placed[end]) {
                if (all.isMaybe(from + end)) {
                    append(end, false);
                    remove(end);
                } else {
                    end(end);
                }
            }
        }
        return order;
    }

    private void start(int o) {
        if (all.isMaybe(from + o)) {
            if (writes[o] != NONE) {
                IntArrayList same = maybe[writes[o]];
                if (same == null) {
                    same = new IntArrayList(1);
                    maybe[writes[o]] = same;
                }
                same.add(o);
            }
        } else if (writes[o] == NONE && fits(o)) {
            append(o, true);
        } else {
            open.add(o);
        }
    }

    /** Whether the current value is one that the operation may find. */
    private boolean fits(int o) {
        return all.isRefused(from + o) ? reads[o] != current : reads[o] == NONE || reads[o] == current;
    }

    private void end(int o) {
        if (all.isRefused(from + o)) {
            leave();
        } else if (reads[o] != NONE) {
            find(reads[o], MOST_CHAINED);
        }
        if (!placed[o]) {
            take(o);
        }
    }

    /** Lets a write take effect that leaves another value, if there is one. */
    private void leave() {
        int best = NONE;
        for (int i = 0; i < open.size(); i++) {
            int o = open.getInt(i);
            if (writes[o] != NONE && writes[o] != current && fits(o) && isSooner(o, best)) {
                best = o;
            }
        }
        for (int value = 0; best == NONE && value < values; value++) {
            best = value == current ? NONE : maybe(value);
        }
        if (best != NONE) {
            take(best);
        }
    }

    private boolean isSooner(int o, int best) {
        return best == NONE || all.ends[from + o] < all.ends[from + best];
    }

    /** An operation of unknown outcome that can leave a value now. */
    private int maybe(int value) {
        IntArrayList same = maybe[value];
        for (int i = 0; same != null && i < same.size(); i++) {
            if (fits(same.getInt(i))) {
                return same.getInt(i);
            }
        }
        return NONE;
    }

    /** Lets writes take effect until a value is current. Returns whether it is. */
    private boolean find(int value, int most) {
        if (current == value || most < 0) {
            return current == value;
        }
        int best = NONE;
        int chained = NONE;
        for (int i = 0; i < open.size(); i++) {
            int o = open.getInt(i);
            if (writes[o] == value) {
                if (fits(o)) {
                    best = isSooner(o, best) ? o : best;
                } else if (reads[o] != value) {
                    chained = isSooner(o, chained) ? o : chained;
                }
            }
        }
        if (best == NONE && chained != NONE && most > 0 && find(reads[chained], most - 1) && !placed[chained]) {
            best = chained;
        }
        if (best == NONE) {
            best = maybe(value);
        }
        if (best != NONE) {
            take(best);
        }
        return current == value;
    }

    /** Lets an operation take effect, and with it all reads that wait for its value. */
    private void take(int o) {
        append(o, true);
        remove(o);
        if (writes[o] == NONE) {
            return;
        }
        int kept = 0;
        for (int i = 0; i < open.size(); i++) {
            int each = open.getInt(i);
            if (writes[each] == NONE && fits(each)) {
                append(each, true);
            } else {
                open.set(kept++, each);
            }
        }
        open.size(kept);
    }

    /** @param counts whether it takes effect */
    private void append(int o, boolean counts) {
        current = counts && writes[o] != NONE ? writes[o] : current;
        order.add(from + o);
        placed[o] = true;
    }

    private void remove(int o) {
        if (all.isMaybe(from + o)) {
            IntArrayList same = maybe[writes[o]];
            if (same != null) {
                same.rem(o);
            }
        } else {
            open.rem(o);
        }
    }
}
