package org.polygraph.partitioner.linear;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;

/** The writers of a key among some operations, searched by time and value. Memory: 40 bytes a writer. */
final class KeyWriters {
    private static final IntArrayList NO_WRITERS = new IntArrayList();

    private final LinearOperations all;
    private final int[] some;
    /** Whether one may take effect at any time after its start, so that it overlaps all later reads. */
    final boolean haveEndless;

    final int[] byStart;
    /** By place in {@link #byStart}: the latest end up to there. */
    private final long[] latestEnds;
    /** The ends of those that are known to have taken effect, ascending, and the latest start up to there. */
    private final long[] ends;

    /** By place in {@link #ends}: of those up to there, the operation that started last. */
    private final int[] startedLast;

    private final Long2ObjectOpenHashMap<IntArrayList> ofValue = new Long2ObjectOpenHashMap<>();

    KeyWriters(LinearOperations all, int[] some, int begin, int end) {
        this.all = all;
        this.some = some;
        IntArrayList writers = new IntArrayList();
        for (int i = begin; i < end; i++) {
            if (all.isWrite(some[i])) {
                writers.add(i);
            }
        }
        byStart = LinearOperations.sorted(writers.toIntArray(), i -> all.starts[some[i]]);
        latestEnds = latestEnds(operations(byStart));
        IntArrayList known = new IntArrayList();
        boolean endless = false;
        for (int i : byStart) {
            int o = some[i];
            ofValue.computeIfAbsent(all.written(o), v -> new IntArrayList()).add(o);
            if (!all.isMaybe(o)) {
                known.add(o);
            } else {
                endless |= all.ends[o] == LinearOperations.NEVER;
            }
        }
        haveEndless = endless;
        int[] byEnd = LinearOperations.sorted(known.toIntArray(), o -> all.ends[o]);
        ends = new long[byEnd.length];
        startedLast = new int[byEnd.length];
        for (int w = 0; w < byEnd.length; w++) {
            ends[w] = all.ends[byEnd[w]];
            boolean isLater = w == 0 || all.starts[byEnd[w]] > all.starts[startedLast[w - 1]];
            startedLast[w] = isLater ? byEnd[w] : startedLast[w - 1];
        }
    }

    /** Those that write a value, by start. */
    IntArrayList of(long value) {
        IntArrayList found = ofValue.get(value);
        return found == null ? NO_WRITERS : found;
    }

    /**
     * Of those that are known to have taken effect and had ended before a time the operation that started last; -1 if
     * there is none. A writer that had ended when this one started is not the last one before that time.
     */
    int lastEnded(long time) {
        int before = lowerBound(ends, time);
        return before == 0 ? -1 : startedLast[before - 1];
    }

    private IntArrayList operations(int[] places) {
        IntArrayList operations = new IntArrayList(places.length);
        for (int place : places) {
            operations.add(some[place]);
        }
        return operations;
    }

    int count() {
        return byStart.length;
    }

    /** The writer at a place in {@link #byStart}. */
    int operation(int place) {
        return some[byStart[place]];
    }

    /** Of those that write a value and start before a time the one that starts last; -1 if there is none. */
    int last(long value, long time) {
        int found = -1;
        IntArrayList writers = of(value);
        for (int w = 0; w < writers.size() && all.starts[writers.getInt(w)] < time; w++) {
            found = writers.getInt(w);
        }
        return found;
    }

    /** The first place in {@link #byStart} from which on one ends at a time or later. */
    int firstOpen(long time) {
        return lowerBound(latestEnds, time);
    }

    /**
     * Whether one of some writers ends at a time or later and starts at another time or earlier.
     *
     * @param writers by start
     * @param open by place in them: the latest end up to there
     */
    boolean isAny(IntArrayList writers, long[] open, long ended, long started) {
        int low = 0;
        int high = writers.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (all.starts[writers.getInt(middle)] <= started) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low > 0 && open[low - 1] >= ended;
    }

    /** By place: the latest end up to there. */
    long[] latestEnds(IntArrayList writers) {
        long[] found = new long[writers.size()];
        long latest = Long.MIN_VALUE;
        for (int w = 0; w < found.length; w++) {
            latest = Math.max(latest, all.ends[writers.getInt(w)]);
            found[w] = latest;
        }
        return found;
    }

    /** The first place of ascending numbers with this one or a greater one. */
    static int lowerBound(long[] sorted, long value) {
        int low = 0;
        int high = sorted.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (sorted[middle] < value) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
