package org.polygraph.partitioner.linear;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import java.util.Arrays;

/**
 * Guesses an order of the operations of one key that agrees with real time and explains almost every result. The
 * solver repairs the rest. Operations of unknown outcome are used only if nothing else explains a result.
 *
 * <p>It goes through starts and ends in the order of time. An operation that fits the current value and changes nothing
 * takes effect at once, because that never excludes an order. A write takes effect as late as possible: when it ends,
 * or when another operation ends that needs its value. A write that ends before any operation has needed it is placed
 * where no result depends on it, if there is such a place since its start, unless a later read has no other writer.
 *
 * <p>Time: for each end the number of open operations, which have started and not taken effect. Memory: 40 bytes an
 * operation.
 */
final class GuessedOrder {
    private static final int NONE = -1;
    /** How many later reads are looked at before a write is placed where no result depends on it. */
    private static final int AHEAD = 12;
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
    /** By operation: the place in {@link #byStart} behind it. */
    private final int[] rank;

    // The order as a linked list. Number count is before the first.
    private final int[] next;
    private final int[] previous;
    private int last;
    /** By operation that took effect: how many had started then. */
    private final int[] step;

    private int current;
    private int started;
    /** The last write that read nothing and took effect at the end of the order. */
    private int lastBlind = NONE;
    /** By value: the last operation at which it was current, and how many had started when it was replaced. */
    private final int[] spanEnd;

    private final int[] spanStep;
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
        rank = new int[count];
        for (int i = 0; i < count; i++) {
            rank[byStart[i]] = i + 1;
        }
        next = new int[count + 1];
        previous = new int[count + 1];
        step = new int[count + 1];
        spanEnd = new int[values];
        spanStep = new int[values];
        maybe = new IntArrayList[values];
        next[count] = previous[count] = NONE;
        last = count;
        Arrays.fill(spanEnd, NONE);
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
                    insert(end, last);
                    remove(end);
                } else {
                    end(end);
                }
            }
        }
        IntArrayList order = new IntArrayList(count);
        for (int i = next[count]; i != NONE; i = next[i]) {
            order.add(from + i);
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
            append(o);
        } else {
            open.add(o);
        }
    }

    /** Whether the current value is one that the operation may find. */
    private boolean fits(int o) {
        return all.isRefused(from + o) ? reads[o] != current : reads[o] == NONE || reads[o] == current;
    }

    private void end(int o) {
        if (writes[o] == NONE) {
            if (all.isRefused(from + o)) {
                leave();
            } else {
                find(reads[o], MOST_CHAINED);
            }
        } else if (reads[o] == NONE) {
            if (writes[o] != current && !isWanted(o) && hide(o)) {
                return;
            }
        } else if (reads[o] != current) {
            find(reads[o], MOST_CHAINED);
        }
        if (!placed[o]) {
            take(o);
        }
    }

    /** Places a write where no result depends on it. Returns false if there is no such place since its start. */
    private boolean hide(int o) {
        int value = writes[o];
        if (spanEnd[value] != NONE && spanStep[value] >= rank[o]) {
            insert(o, spanEnd[value]);
            spanEnd[value] = o;
            remove(o);
            return true;
        }
        if (lastBlind != NONE && step[lastBlind] >= rank[o]) {
            insert(o, previous[lastBlind]);
            remove(o);
            return true;
        }
        return false;
    }

    /** Whether one of the next reads has no other writer than this one, so that its value should become the current. */
    private boolean isWanted(int write) {
        int seen = 0;
        for (int i = started; i < count && seen < AHEAD; i++) {
            int o = byStart[i];
            if (reads[o] == NONE || all.isRefused(from + o) || all.isMaybe(from + o)) {
                continue;
            }
            seen++;
            if (reads[o] == writes[write] && !hasOtherWriter(o, write)) {
                return true;
            }
            if (reads[o] == current && !hasOtherWriter(o, write)) {
                return false;
            }
        }
        return false;
    }

    private boolean hasOtherWriter(int read, int write) {
        int value = reads[read];
        for (int i = 0; i < open.size(); i++) {
            int o = open.getInt(i);
            if (writes[o] == value && o != write) {
                return true;
            }
        }
        for (int i = started; i < count && all.starts[from + byStart[i]] <= all.ends[from + read]; i++) {
            int o = byStart[i];
            if (writes[o] == value && !all.isMaybe(from + o)) {
                return true;
            }
        }
        return false;
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
        IntArrayList same = maybe[value];
        int tried = NONE;
        for (int i = 0; best == NONE && most > 0 && same != null && i < same.size(); i++) {
            int o = same.getInt(i);
            if (reads[o] != value && reads[o] != tried) {
                tried = reads[o];
                best = find(tried, most - 2) && !placed[o] ? o : NONE;
            }
        }
        if (best != NONE) {
            take(best);
        }
        return current == value;
    }

    /** Lets an operation take effect, and with it all reads that wait for its value. */
    private void take(int o) {
        append(o);
        remove(o);
        if (writes[o] == NONE) {
            return;
        }
        int kept = 0;
        for (int i = 0; i < open.size(); i++) {
            int each = open.getInt(i);
            if (writes[each] == NONE && fits(each)) {
                append(each);
            } else {
                open.set(kept++, each);
            }
        }
        open.size(kept);
    }

    private void append(int o) {
        if (writes[o] != NONE) {
            spanEnd[current] = last;
            spanStep[current] = started;
            current = writes[o];
            lastBlind = reads[o] == NONE ? o : lastBlind;
        }
        insert(o, last);
    }

    private void insert(int o, int after) {
        int following = next[after];
        next[after] = o;
        previous[o] = after;
        next[o] = following;
        if (following == NONE) {
            last = o;
        } else {
            previous[following] = o;
        }
        step[o] = started;
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
