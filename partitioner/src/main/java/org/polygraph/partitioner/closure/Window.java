package org.polygraph.partitioner.closure;

import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.polygraph.storage.model.StoppedException;

/**
 * The rows of {@link WindowClosure} for a window of time, computed from the events whose latest start falls into the
 * window and from its <i>halo</i>, the earlier events whose earliest end does not precede it.
 *
 * <p>That is exact for any durations. Assume that a belongs to the row of v, so that
 * {@code earliestEnd(a) >= latestStart(v)}, and w is on a path between them. Both bounds ascend along paths, so
 * {@code earliestEnd(w) >= earliestEnd(a)} and {@code latestStart(w) <= latestStart(v)}: everything on the path
 * straddles the latest start of v. So a window that begins at {@code low} needs the earlier events whose earliest end
 * is not below {@code low}, and of their rows the entries of which the same is true: it computes these again. A
 * transaction that lasts as long as the history is in all halos, unless a transaction that follows it in its session,
 * or reads it, ends sooner.
 *
 * <p>Events are numbered by place here, halo first, in a topological order. Memory: 28 bytes an event, 8 an edge, and 4
 * an entry of a row; at most 12 a chain while rows are computed.
 */
final class Window {
    private static final int CHECK_EVERY = 1 << 10;
    private final int halo;
    private final int[] events;
    private final int[] chains;
    private final int[] earliestEnd;
    private final int[] thresholds;
    /**
     * By place: the place of the event before it in its chain, if its earliest end is not below the threshold; or -1.
     */
    private final int[] previous;

    private final int[] starts;
    private final int[] sources;
    /** By edge: its number, or -1 if it stays in any case. */
    private final int[] numbers;

    private final RowArena rows;
    private final int[] places;
    private int[] kept = new int[16];
    private int keptCount;

    /**
     * A window that {@link WindowPlan#window} found.
     *
     * @param halo how many of the events are in it
     * @param events in a topological order, halo first
     * @param chains of the events
     * @param earliestEnd of the events
     * @param thresholds of the events: their latest start; for the halo the least of the others'
     * @param previous by event: the place of the event before it in its chain, or -1
     * @param starts by event: the first of its edges, and the number of edges
     * @param sources by edge: the place of the event it comes from
     * @param numbers by edge, -1 for one that is not to be judged
     */
    Window(
            int halo,
            int[] events,
            int[] chains,
            int[] earliestEnd,
            int[] thresholds,
            int[] previous,
            int[] starts,
            int[] sources,
            int[] numbers) {
        this.halo = halo;
        this.events = events;
        this.chains = chains;
        this.earliestEnd = earliestEnd;
        this.thresholds = thresholds;
        this.previous = previous;
        this.starts = starts;
        this.sources = sources;
        this.numbers = numbers;
        this.rows = new RowArena(Math.min(events.length, most(chains) + 1), events.length);
        this.places = new int[events.length];
    }

    private static int most(int[] values) {
        int most = 0;
        for (int value : values) {
            most = Math.max(most, value);
        }
        return most;
    }

    /**
     * Computes the rows. O(events + edges) merges.
     *
     * @param mostBytes the most bytes of the rows
     * @param stop whether to stop, polled now and then
     * @throws org.polygraph.storage.model.BudgetException if stopped, or if the rows outgrow their limit
     */
    void close(long mostBytes, BooleanSupplier stop) {
        int slots = most(chains) + 1;
        int[] last = new int[slots];
        Arrays.fill(last, -1);
        int[] touched = new int[Math.min(slots, events.length)];
        int[] row = new int[touched.length];
        RowArena.Writer writer = rows.writer();
        for (int v = 0; v < events.length; v++) {
            places[v] = row(v, last, touched, row, writer);
            if ((v & CHECK_EVERY - 1) == CHECK_EVERY - 1) {
                if (rows.bytes() > mostBytes) {
                    throw new OutgrownException(mostBytes);
                }
                StoppedException.check(stop);
            }
        }
    }

    /** Computes the row of an event whose predecessors have rows. @return its place, 0 if it is empty */
    private int row(int v, int[] last, int[] touched, int[] row, RowArena.Writer writer) {
        int own = chains[v];
        int threshold = thresholds[v];
        int count = 0;
        int inherited = previous[v] < 0 ? 0 : places[previous[v]];
        count = merge(inherited, own, threshold, last, touched, count);
        boolean alone = true;
        for (int i = starts[v]; i < starts[v + 1]; i++) {
            int p = sources[i];
            int chain = chains[p];
            if (last[chain] >= p) {
                continue;
            }
            if (numbers[i] >= 0) {
                keep(numbers[i]);
            }
            alone = false;
            if (last[chain] < 0) {
                touched[count++] = chain;
            }
            last[chain] = p;
            count = merge(places[p], own, threshold, last, touched, count);
        }
        if (count == 0) {
            return 0;
        }
        for (int i = 0; i < count; i++) {
            row[i] = last[touched[i]];
            last[touched[i]] = -1;
        }
        return alone && count == rows.length(inherited) ? inherited : writer.add(row, count);
    }

    private int merge(int place, int own, int threshold, int[] last, int[] touched, int count) {
        int chainsFound = count;
        int length = rows.length(place);
        for (int i = 0; i < length; i++) {
            int a = rows.get(place, i);
            int chain = chains[a];
            if (earliestEnd[a] >= threshold && chain != own) {
                if (last[chain] < 0) {
                    touched[chainsFound++] = chain;
                }
                last[chain] = Math.max(last[chain], a);
            }
        }
        return chainsFound;
    }

    private void keep(int edge) {
        if (keptCount == kept.length) {
            kept = Arrays.copyOf(kept, 2 * keptCount);
        }
        kept[keptCount++] = edge;
    }

    /** Numbers of the judged edges into events outside the halo that are not redundant. */
    int[] kept() {
        return Arrays.copyOf(kept, keptCount);
    }

    /**
     * Moves the rows of the events outside the halo to an arena, as events, ascending.
     *
     * @param to by event: the place of its row there
     */
    void moveTo(RowArena.Writer writer, int[] to) {
        int[] row = new int[16];
        for (int v = halo; v < events.length; v++) {
            int place = places[v];
            if (place == 0) {
                continue;
            }
            int before = previous[v];
            if (before >= halo && places[before] == place) {
                to[events[v]] = to[events[before]];
                continue;
            }
            int length = rows.length(place);
            if (length > row.length) {
                row = new int[2 * length];
            }
            for (int i = 0; i < length; i++) {
                row[i] = events[rows.get(place, i)];
            }
            Arrays.sort(row, 0, length);
            to[events[v]] = writer.add(row, length);
        }
    }
}
