package org.polygraph.jobs.decision;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.RealTime;

/**
 * Real-time order for the solver, which knows edges only: a chain of further events, called instants. A transaction
 * that has ended precedes the next instant, an instant precedes the transactions that start after it, and each instant
 * precedes the next: at most three edges a transaction instead of n^2. For the solver an instant is a transaction
 * without operations. Instants are numbered after the transactions of the history.
 */
final class RealTimeChain {
    private static final RealTimeChain NONE = new RealTimeChain(null, null, new int[0]);

    private final @Nullable Events events;
    private final @Nullable RealTime time;
    /** By instant, ascending: how many transactions have ended before it. */
    private final int[] ended;
    /** Transactions that end before an instant, by their place. */
    private final int[] byPlace;

    private RealTimeChain(@Nullable Events events, @Nullable RealTime time, int[] ended) {
        this.events = events;
        this.time = time;
        this.ended = ended;
        int last = ended.length == 0 ? 0 : ended[ended.length - 1];
        int[] places = time == null ? new int[0] : time.places();
        long[] items = new long[places.length];
        int n = 0;
        for (int t = 0; t < places.length; t++) {
            if (places[t] < last) {
                items[n++] = (long) places[t] << 32 | t;
            }
        }
        Arrays.sort(items, 0, n);
        byPlace = new int[n];
        for (int i = 0; i < n; i++) {
            byPlace[i] = (int) items[i];
        }
    }

    /**
     * One instant for each point in time at which a transaction starts or may start; none if the graph has no real
     * time.
     */
    static RealTimeChain of(KnownGraph graph) {
        RealTime time = graph.realTime();
        if (time == null) {
            return NONE;
        }
        int[] starts = time.ended();
        int[] open = time.openEnded();
        int[] sorted = Arrays.copyOf(starts, starts.length + open.length);
        System.arraycopy(open, 0, sorted, starts.length, open.length);
        Arrays.sort(sorted);
        int n = 0;
        for (int value : sorted) {
            if (value > 0 && (n == 0 || sorted[n - 1] != value)) {
                sorted[n++] = value;
            }
        }
        return new RealTimeChain(graph.events(), time, Arrays.copyOf(sorted, n));
    }

    int count() {
        return ended.length;
    }

    /** Transactions of the history, ascending, that an instant precedes only if they commit. */
    int[] openStarts() {
        return time == null ? new int[0] : time.openStarts();
    }

    /** Whether a transaction had ended before one of {@link #openStarts}. */
    boolean precedes(int transaction, int place) {
        return time != null && time.places()[transaction] < time.openEnded()[place];
    }

    /** The instant, as the solver's transaction, that precedes one of {@link #openStarts} if it commits. */
    int openInstant(int place) {
        RealTime of = Objects.requireNonNull(time, "no real time in the graph");
        return of.places().length + Arrays.binarySearch(ended, of.openEnded()[place]);
    }

    /** How many events the instants have. */
    int events() {
        return events == null ? 0 : ended.length * events.perTransaction();
    }

    /** An upper bound of the number of edges from and to instants. */
    int edges() {
        return time == null ? 0 : 3 * ended.length + byPlace.length + time.bound();
    }

    /** The first event of an instant; the last one is {@code perTransaction - 1} after it. */
    private int first(Events of, int instant) {
        return of.count() + instant * of.perTransaction();
    }

    /** The last event of the instant before which all that precedes an event in real time has ended, or -1. */
    int before(int event) {
        Events of = events;
        if (of == null || time == null) {
            return -1;
        }
        int t = of.transaction(event);
        if (event != of.begin(t) || time.ended()[t] == 0) {
            return -1;
        }
        return first(of, Arrays.binarySearch(ended, time.ended()[t])) + of.perTransaction() - 1;
    }

    /** Adds the predecessors of instants behind those of other events. */
    void addPredecessors(PredecessorLists lists) {
        Events of = events;
        if (of == null || time == null) {
            return;
        }
        int u = 0;
        for (int i = 0; i < ended.length; i++) {
            int event = first(of, i);
            lists.next();
            if (i > 0) {
                lists.add(event - 1);
            }
            while (u < byPlace.length && time.places()[byPlace[u]] < ended[i]) {
                lists.add(of.commit(byPlace[u++]));
            }
            if (of.perTransaction() == 2) {
                lists.next();
                lists.add(event);
            }
        }
    }

    /**
     * Puts the instants into an order of the other events: each after the last event that precedes it.
     *
     * @param position obeys real time
     */
    int[] join(int[] position) {
        Events of = events;
        if (of == null || time == null || ended.length == 0) {
            return position;
        }
        // By position: how many events of instants come right after it.
        int[] after = new int[position.length];
        int[] lastBefore = new int[ended.length];
        int last = 0;
        int u = 0;
        for (int i = 0; i < ended.length; i++) {
            while (u < byPlace.length && time.places()[byPlace[u]] < ended[i]) {
                last = Math.max(last, position[of.commit(byPlace[u++])]);
            }
            lastBefore[i] = last;
            after[last] += of.perTransaction();
        }
        int shifted = 0;
        for (int p = 0; p < after.length; p++) {
            int here = after[p];
            after[p] = shifted;
            shifted += here;
        }
        int[] joined = new int[position.length + events()];
        for (int v = 0; v < position.length; v++) {
            joined[v] = position[v] + after[position[v]];
        }
        for (int i = 0; i < ended.length; i++) {
            int at = lastBefore[i] + after[lastBefore[i]] + 1;
            for (int e = 0; e < of.perTransaction(); e++) {
                joined[first(of, i) + e] = at + e;
            }
            after[lastBefore[i]] += of.perTransaction();
        }
        return joined;
    }

    /** The order of the other events alone. */
    int[] leave(int[] joined) {
        Events of = events;
        if (of == null || ended.length == 0) {
            return joined;
        }
        int[] eventAt = new int[joined.length];
        for (int v = 0; v < joined.length; v++) {
            eventAt[joined[v]] = v;
        }
        int[] position = new int[of.count()];
        int next = 0;
        for (int v : eventAt) {
            if (v < position.length) {
                position[v] = next++;
            }
        }
        return position;
    }
}
