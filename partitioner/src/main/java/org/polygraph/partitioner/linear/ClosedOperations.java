package org.polygraph.partitioner.linear;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntArrays;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** Finds a few operations of a key that have no order because of which the key has none. */
final class ClosedOperations {
    /** Sets of more operations are not shrunk. */
    private static final int MOST_SHRUNK = 1_000;
    /** Larger sets are not judged instead of the whole key. */
    private static final int MOST_CLOSED = 4_000;
    /** How often operations around the named ones are added, and how many at first. */
    private static final int MOST_WIDENED = 5;

    private static final int FEW = 10;

    private final LinearOperations all;
    private final int key;
    private final StrictJudge judge;
    private final KeyWriters writers;

    ClosedOperations(LinearOperations all, int key, StrictJudge judge) {
        this.all = all;
        this.key = key;
        this.judge = judge;
        writers = new KeyWriters(all, all.ofKey(key), 0, all.keyStarts[key + 1] - all.keyStarts[key]);
    }

    /**
     * The operations, with every write that one of them may have read, repeated until no write is missing. A refused
     * compare-and-set may have read any write. Not read can be a write that started after the read had ended, and one
     * that had ended before another write started, which had ended before the read started; that other write is added.
     * If these operations have no order, neither has the key: an order of the key stays one without the rest, because
     * each read still follows the write that it reads without another one in between.
     *
     * @param most ends when there are more
     */
    private IntArrayList closed(IntArrayList some, int most) {
        IntOpenHashSet members = new IntOpenHashSet(some);
        IntArrayList closed = new IntArrayList(members.toIntArray());
        for (int i = 0; i < closed.size() && closed.size() <= most; i++) {
            int o = closed.getInt(i);
            if (all.isRead(o) || all.isRefused(o)) {
                int bound = writers.lastEnded(all.starts[o]);
                if (bound >= 0 && members.add(bound)) {
                    closed.add(bound);
                }
                forSources(o, bound < 0 ? Long.MIN_VALUE : all.starts[bound], source -> {
                    if (members.add(source)) {
                        closed.add(source);
                    }
                    return true;
                });
            }
        }
        return closed;
    }

    /**
     * Passes on the writes that an operation may have read, except those that had ended before a time. If there is none,
     * passes on the last one of that value, because the violation would be hard to understand without it. Ends when one
     * is refused, and returns whether none was.
     */
    private boolean forSources(int o, long from, IntPredicate each) {
        boolean any = all.isRefused(o);
        IntArrayList ofValue = any ? null : writers.of(all.read(o));
        int count = ofValue == null ? writers.count() : ofValue.size();
        for (int w = ofValue == null ? writers.firstOpen(from) : 0; w < count; w++) {
            int source = ofValue == null ? writers.operation(w) : ofValue.getInt(w);
            if (all.starts[source] > all.ends[o]) {
                break;
            }
            if (source != o && all.ends[source] >= from) {
                any = true;
                if (!each.test(source)) {
                    return false;
                }
            }
        }
        int last = any ? -1 : writers.last(all.read(o), all.starts[o]);
        return last < 0 || each.test(last);
    }

    /** All operations that have an influence on others. */
    IntArrayList all() {
        return closed(IntArrayList.wrap(all.ofKey(key)), Integer.MAX_VALUE);
    }

    /**
     * Operations that have no order: the named ones, or some around them, and those that they require.
     *
     * @return null if none were found
     */
    @Nullable
    IntArrayList violating(IntArrayList named) {
        IntArrayList some = named;
        for (int more = 0; more < MOST_WIDENED && !named.isEmpty(); more++) {
            IntArrayList closed = closed(some, MOST_CLOSED);
            if (closed.size() > MOST_CLOSED) {
                return null;
            }
            if (isViolated(closed)) {
                return closed;
            }
            some = around(named, (long) FEW << 2 * more);
        }
        return null;
    }

    /** The operations that overlap the time of the named ones, and so many that started before or after it. */
    private IntArrayList around(IntArrayList named, long most) {
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        for (int i = 0; i < named.size(); i++) {
            first = Math.min(first, all.starts[named.getInt(i)]);
            last = Math.max(last, all.starts[named.getInt(i)]);
        }
        int[] byStart = all.ofKey(key);
        IntArrays.quickSort(byStart, (a, b) -> Long.compare(all.starts[a], all.starts[b]));
        int low = 0;
        int high = byStart.length;
        while (low < high && all.starts[byStart[low]] < first) {
            low++;
        }
        while (high > low && all.starts[byStart[high - 1]] > last) {
            high--;
        }
        low = (int) Math.max(0, low - most);
        high = (int) Math.min(byStart.length, high + most);
        return new IntArrayList(byStart, low, high - low);
    }

    /** Whether some operations have no order; false also if the budget for that ends. */
    private boolean isViolated(IntArrayList some) {
        int[] operations = some.toIntArray();
        Arrays.sort(operations);
        return switch (new KeyOrder(all, operations).run()) {
            case VIOLATED -> true;
            case ORDERED -> false;
            case OPEN ->
                judge.violates(
                        StrictHistory.of(all, IntArrayList.wrap(operations)).table());
        };
    }

    /**
     * Removes one operation at a time, with those that depend on it, as long as the rest has no order.
     *
     * @return whether the rest is minimal; false if there are too many, or it was stopped
     */
    boolean shrink(IntArrayList some, BooleanSupplier stop) {
        if (some.size() > MOST_SHRUNK) {
            return false;
        }
        for (boolean changed = true; changed; ) {
            changed = false;
            for (int i = some.size() - 1; i >= 0; i--) {
                if (stop.getAsBoolean()) {
                    return false;
                }
                IntArrayList rest = i < some.size() ? without(some, some.getInt(i)) : some;
                if (rest.size() < some.size() && isViolated(rest)) {
                    some.clear();
                    some.addAll(rest);
                    changed = true;
                }
            }
        }
        return true;
    }

    /** Without an operation, and without all operations whose sources are then missing. */
    private IntArrayList without(IntArrayList some, int out) {
        IntArrayList rest = new IntArrayList(some);
        rest.rem(out);
        IntOpenHashSet members = new IntOpenHashSet(rest);
        for (boolean changed = all.isWrite(out); changed; ) {
            changed = false;
            for (int i = rest.size() - 1; i >= 0; i--) {
                int o = rest.getInt(i);
                if ((all.isRead(o) || all.isRefused(o))
                        && !forSources(o, latestStart(rest, all.starts[o]), members::contains)) {
                    rest.removeInt(i);
                    members.remove(o);
                    changed |= all.isWrite(o);
                }
            }
        }
        return rest;
    }

    /** The latest start of a write among some that took effect and had ended before a time. */
    private long latestStart(IntArrayList some, long time) {
        long latest = Long.MIN_VALUE;
        for (int i = 0; i < some.size(); i++) {
            int o = some.getInt(i);
            if (all.isWrite(o) && !all.isMaybe(o) && all.ends[o] < time) {
                latest = Math.max(latest, all.starts[o]);
            }
        }
        return latest;
    }
}
