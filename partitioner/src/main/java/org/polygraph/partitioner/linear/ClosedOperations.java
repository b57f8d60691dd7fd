package org.polygraph.partitioner.linear;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntCollection;
import it.unimi.dsi.fastutil.ints.IntLinkedOpenHashSet;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.Long2ObjectLinkedOpenHashMap;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds a few operations of a key that have no order because of which the key has none.
 *
 * <p>A set is made of some operations and of the writes that they require. A compare-and-set that is only required is a
 * mere write in it. A read requires every write of its value that may be the last one before
 * it, and the write of known outcome that started last of those that had ended when it started, because no write that
 * had ended when that one started is the last before the read. If the operations of a set have no order, neither has the
 * key: an order of the key stays one without the rest, because each read still follows the write that it read from
 * without another one in between.
 *
 * <p>Writes of unknown outcome are required more sparingly. One takes effect only if a read of the set needs it, so
 * between the start of the write that the read requires besides and the end of the read. It can be replaced by another
 * one of its value that started before, and that reads nothing or the same; it is left out if there are as many of these
 * as the set has reads of the value.
 */
final class ClosedOperations {
    /** Sets of more operations are not shrunk. */
    private static final int MOST_SHRUNK = 1_000;
    /** Larger sets are not judged instead of the whole key. */
    private static final int MOST_CLOSED = 4_000;
    /** How often reads around the named ones are added, and how many at first. */
    private static final int MOST_WIDENED = 6;

    private static final int FEW = 10;
    /** From this round on refused compare-and-sets are added too. */
    private static final int REFUSED_ROUND = 3;

    private final LinearOperations all;
    private final int key;
    private final StrictJudge judge;
    private final KeyWriters writers;
    private final Sources every;
    private final Long2ObjectLinkedOpenHashMap<Sources> ofValue = new Long2ObjectLinkedOpenHashMap<>();

    ClosedOperations(LinearOperations all, int key, StrictJudge judge) {
        this.all = all;
        this.key = key;
        this.judge = judge;
        writers = new KeyWriters(all, all.ofKey(key), 0, all.keyStarts[key + 1] - all.keyStarts[key]);
        IntArrayList byStart = new IntArrayList(writers.count());
        for (int w = 0; w < writers.count(); w++) {
            int o = writers.operation(w);
            byStart.add(o);
            if (!ofValue.containsKey(all.written(o))) {
                ofValue.put(all.written(o), new Sources(writers.of(all.written(o))));
            }
        }
        every = new Sources(byStart);
    }

    /** Writes by start. */
    private final class Sources {
        final IntArrayList known = new IntArrayList();
        final IntArrayList maybe = new IntArrayList();
        /** By place in known: the latest end up to there. */
        final long[] latestEnds;

        Sources(IntArrayList byStart) {
            for (int i = 0; i < byStart.size(); i++) {
                (all.isMaybe(byStart.getInt(i)) ? maybe : known).add(byStart.getInt(i));
            }
            latestEnds = writers.latestEnds(known);
        }
    }

    /** How many reads need a value, and between which times it has to be written for them. */
    private static final class Need {
        int reads;
        long from = Long.MAX_VALUE;
        long until = Long.MIN_VALUE;

        /** Returns whether the times become wider. */
        boolean add(int more, long since, long last) {
            boolean isWider = since < from || last > until;
            reads += more;
            from = Math.min(from, since);
            until = Math.max(until, last);
            return isWider;
        }
    }

    /** Some operations and those that they require. */
    final class Closure {
        private final IntCollection some;
        /** Whether the read of an operation is in the set. */
        private final IntPredicate reads;

        private final int most;
        private final IntLinkedOpenHashSet members = new IntLinkedOpenHashSet();
        private final IntArrayList list = new IntArrayList();
        private final Long2ObjectOpenHashMap<Need> needs = new Long2ObjectOpenHashMap<>();
        private Need refused = new Need();
        private boolean changed;

        /**
         * Adds what reads require until nothing is missing.
         *
         * @param reads the operations whose reads are in the set
         * @param most ends when there are more
         */
        private Closure(IntCollection some, IntPredicate reads, int most) {
            this.some = some;
            this.reads = o -> (all.isRead(o) || all.isRefused(o)) && reads.test(o);
            this.most = most;
            // One of unknown outcome need not take effect unless its value is read.
            some.forEach(o -> {
                if (!all.isMaybe(o)) {
                    add(o);
                }
            });
            do {
                changed = false;
                needs.values().forEach(need -> need.reads = 0);
                refused.reads = 0;
                for (int i = 0; i < list.size() && list.size() <= most; i++) {
                    addKnown(list.getInt(i));
                }
                if (refused.reads > 0) {
                    ofValue.forEach((value, sources) -> addMaybe(sources, need(value)));
                } else {
                    needs.forEach((value, need) -> addMaybe(ofValue.get((long) value), need));
                }
            } while (changed && list.size() <= most);
        }

        private void add(int o) {
            if (members.add(o)) {
                list.add(o);
                changed = true;
            }
        }

        /** What reads of a value and refused compare-and-sets need. */
        private Need need(long value) {
            Need both = new Need();
            both.add(refused.reads, refused.from, refused.until);
            Need need = needs.get(value);
            if (need != null) {
                both.add(need.reads, need.from, need.until);
            }
            return both;
        }

        /** Adds the writes of known outcome that the read of an operation requires, and counts what it needs. */
        private void addKnown(int o) {
            if (!reads.test(o)) {
                return;
            }
            long first = all.starts[o];
            long last = all.ends[o];
            if (all.isMaybe(o)) {
                Need use = need(all.written(o));
                first = Math.max(first, use.from);
                last = use.until;
            }
            int bound = writers.lastEnded(first);
            if (bound >= 0) {
                add(bound);
            }
            long from = bound < 0 ? Long.MIN_VALUE : all.starts[bound];
            boolean isRefused = all.isRefused(o);
            Need need = isRefused ? refused : needs.computeIfAbsent(all.read(o), value -> new Need());
            changed |= need.add(1, from, last);
            Sources sources = isRefused ? every : ofValue.get(all.read(o));
            if (sources == null) {
                return;
            }
            boolean any = isRefused || (!sources.maybe.isEmpty() && all.starts[sources.maybe.getInt(0)] <= last);
            for (int w = KeyWriters.lowerBound(sources.latestEnds, from); w < sources.known.size(); w++) {
                int source = sources.known.getInt(w);
                if (all.starts[source] > last) {
                    break;
                }
                if (source != o && all.ends[source] >= from && !(isRefused && all.written(source) == all.excluded(o))) {
                    any = true;
                    add(source);
                }
            }
            // Without the last write of the value the violation would be hard to understand.
            int shown = any ? -1 : writers.last(all.read(o), first);
            if (shown >= 0) {
                add(shown);
            }
        }

        /** Adds writes of unknown outcome, if no others can replace them. */
        private void addMaybe(@Nullable Sources sources, Need need) {
            if (sources == null || need.reads == 0) {
                return;
            }
            IntArrayList maybe = sources.maybe;
            int blind = 0;
            for (int i = 0; i < maybe.size() && blind < need.reads; i++) {
                if (all.starts[maybe.getInt(i)] <= need.until && !reads.test(maybe.getInt(i))) {
                    add(maybe.getInt(i));
                    blind++;
                }
            }
            Long2IntOpenHashMap equal = new Long2IntOpenHashMap();
            int others = 0;
            int next = 0;
            for (int i = 0; i < maybe.size() && all.starts[maybe.getInt(i)] <= need.until; i++) {
                int o = maybe.getInt(i);
                long time = Math.max(all.starts[o], need.from);
                for (; next < maybe.size() && all.starts[maybe.getInt(next)] <= time; next++) {
                    others += reads.test(maybe.getInt(next)) ? 0 : 1;
                }
                if (reads.test(o) && Math.min(others, blind) + equal.get(all.read(o)) < need.reads) {
                    add(o);
                    equal.addTo(all.read(o), 1);
                }
            }
        }

        /** The operations. */
        LinearOperations operations() {
            return all.select(key, list, reads);
        }

        /** Operations that require the same ones. */
        IntArrayList named() {
            IntArrayList named = new IntArrayList(some);
            for (int i = 0; i < list.size(); i++) {
                if (all.isMaybe(list.getInt(i)) && reads.test(list.getInt(i))) {
                    named.add(list.getInt(i));
                }
            }
            return named;
        }

        private boolean isTooLarge() {
            return list.size() > most;
        }
    }

    /** All operations that have an influence on others. */
    Closure all() {
        return new Closure(IntArrayList.wrap(all.ofKey(key)), o -> true, Integer.MAX_VALUE);
    }

    /** The reads named, and those around them. The first round has the named ones. */
    private Closure round(IntArrayList named, int round) {
        IntArrayList some = round == 0 ? named : around(named, (long) FEW << 2 * (round - 1));
        IntOpenHashSet chosen = new IntOpenHashSet(named);
        for (int i = 0; i < some.size(); i++) {
            if (round >= REFUSED_ROUND || !all.isRefused(some.getInt(i))) {
                chosen.add(some.getInt(i));
            }
        }
        return new Closure(chosen, o -> chosen.contains(o) || (round > 0 && all.isMaybe(o)), MOST_CLOSED);
    }

    /**
     * Operations that have no order: the named ones, or some around them, and those that they require.
     *
     * @return null if none were found
     */
    @Nullable
    Closure violating(IntArrayList named) {
        for (int round = 0; round < MOST_WIDENED && !named.isEmpty(); round++) {
            Closure closed = round(named, round);
            if (closed.isTooLarge()) {
                return null;
            }
            if (isViolated(closed)) {
                return closed;
            }
        }
        return null;
    }

    /**
     * Lets operations of unknown outcome that named reads may need take effect until those have ended.
     *
     * @param soon the same operations with assumed ends, which are changed
     * @return whether one was changed
     */
    boolean widen(LinearOperations soon, IntArrayList named) {
        boolean changed = false;
        for (int round = 0; round < MOST_WIDENED && !changed; round++) {
            Closure closure = round(named, round);
            for (int i = 0; i < closure.list.size(); i++) {
                int o = closure.list.getInt(i);
                long until = all.isMaybe(o) ? closure.need(all.written(o)).until : Long.MIN_VALUE;
                if (until > soon.ends[o]) {
                    soon.ends[o] = until;
                    changed = true;
                }
            }
        }
        return changed;
    }

    /** The operations that overlap the time of the named ones, and so many that started before or after it. */
    private IntArrayList around(IntArrayList named, long most) {
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        for (int i = 0; i < named.size(); i++) {
            int o = named.getInt(i);
            if (!all.isMaybe(o) && (all.isRead(o) || all.isRefused(o))) {
                first = Math.min(first, all.starts[o]);
                last = Math.max(last, all.starts[o]);
            }
        }
        int[] byStart = LinearOperations.sorted(all.ofKey(key), o -> all.starts[o]);
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

    /** Whether operations have no order; false also if the budget for that ends. */
    private boolean isViolated(Closure closed) {
        LinearOperations operations = closed.operations();
        return switch (new KeyOrder(operations, 0).run()) {
            case VIOLATED -> true;
            case ORDERED -> false;
            case OPEN -> judge.violates(StrictHistory.of(operations).table());
        };
    }

    /**
     * Operations without an order.
     *
     * @param minimal whether none of them, and no read of them, can be left out; false if there are too many, or it was
     *     stopped
     */
    record Shrunk(LinearOperations operations, boolean minimal) {}

    /** Leaves out one operation after the other, or only its read, as long as the rest has no order. */
    Shrunk shrink(Closure closed, BooleanSupplier stop) {
        Closure best = closed;
        if (closed.list.size() > MOST_SHRUNK) {
            return new Shrunk(best.operations(), false);
        }
        IntOpenHashSet some = new IntOpenHashSet(closed.list);
        IntOpenHashSet reads = new IntOpenHashSet(some);
        reads.removeIf((int o) -> !closed.reads.test(o));
        for (boolean changed = true; changed; ) {
            changed = false;
            int[] tried = best.list.toIntArray();
            Arrays.sort(tried);
            for (int i = 2 * tried.length - 1; i >= 0; i--) {
                int o = tried[i >> 1];
                boolean whole = (i & 1) != 0;
                if (stop.getAsBoolean()) {
                    return new Shrunk(best.operations(), false);
                }
                if (whole ? !some.remove(o) : !all.isWrite(o) || !reads.contains(o)) {
                    continue;
                }
                boolean hadRead = reads.remove(o);
                Closure rest = new Closure(new IntOpenHashSet(some), new IntOpenHashSet(reads)::contains, MOST_CLOSED);
                if ((hadRead || rest.list.size() < best.list.size()) && isViolated(rest)) {
                    best = rest;
                    changed = true;
                    continue;
                }
                if (whole) {
                    some.add(o);
                }
                if (hadRead) {
                    reads.add(o);
                }
            }
            some.retainAll(best.list);
            reads.retainAll(best.list);
        }
        return new Shrunk(best.operations(), true);
    }
}
