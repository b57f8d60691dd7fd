package org.polygraph.jobs.certificate.replay;

import java.util.Arrays;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.storage.table.HistoryTable;

/**
 * The transaction that each read read from in a given order, where several transactions left the value that it
 * returned. Any choice under which the order obeys the axiom of the level is a proof. There are two rules:
 *
 * <ul>
 *   <li>latest: a read takes the latest writer of its value before the snapshot of its transaction. That is the latest
 *       place, after the previous transaction of the session, at which all reads of the transaction return the last
 *       write. The choice obeys RC, RA and CC if each transaction has such a place (prefix consistency). Without one,
 *       the snapshot is the place of the transaction.
 *   <li>earliest, for RC and RA: a read takes the earliest writer of its value that is not before a writer of the key
 *       that its transaction sees. This helps later reads, which need that the transaction sees early writers.
 * </ul>
 *
 * <p>Time: linear, and binary searches in the writers of a value and of a key for each read. Memory: 48 to 92 bytes a
 * write and 16 a key.
 */
final class ChosenSources {
    private static final int NO_PLACE = -1;
    private static final int ASKED = -3;
    /** The most passes over the reads of a transaction in the search for its snapshot. */
    private static final int MOST_PASSES = 100;

    private final HistoryTable table;
    private final Guarantee guarantee;
    private final boolean isLatest;
    private final int[] order;
    private final int[] position;
    private final int[] starts;
    /**
     * By key: (number of the transaction, place of the latest writer that it sees); the larger of two entries is the
     * current one.
     */
    private final long[] seen;
    /** RA, by key: (session, place of its last writer so far). */
    private final long[] ran;

    private final int[] sources;
    // A hash table of key and value; the slot of one has the places of the transactions that left it, ascending.
    private final int[] slotKeys;
    private final long[] slotValues;
    private final int[] placeStarts;
    private final int[] places;
    /** The places of the writers of key k, ascending: [writerStarts[k], writerStarts[k + 1]). */
    private final int[] writerPlaces;

    private final int[] writerStarts;

    private int[] misreads = new int[16];
    private int found;

    /**
     * @param order the counted transactions by place, negative numbers for others
     * @param sources by operation, to be set
     * @param isLatest whether reads take the latest writers, otherwise the earliest
     */
    ChosenSources(
            HistoryTable table, Guarantee guarantee, int[] order, int[] position, int[] sources, boolean isLatest) {
        this.table = table;
        this.guarantee = guarantee;
        this.isLatest = isLatest;
        this.order = order;
        this.position = position;
        this.sources = sources;
        starts = table.operationStarts();
        seen = new long[table.keys().size()];
        ran = new long[guarantee == Guarantee.RA ? table.keys().size() : 0];
        Arrays.fill(seen, NO_PLACE);
        Arrays.fill(ran, NO_PLACE);
        int[] written = new int[table.keys().size()];
        Arrays.fill(written, -1);
        int writes = 0;
        for (int t : order) {
            for (int o = t < 0 ? 0 : starts[t]; t >= 0 && o < starts[t + 1]; o++) {
                int key = table.key(o);
                boolean isWrite = table.isWrite(o);
                sources[o] = isWrite || written[key] == t ? SourcesByValue.NONE : ASKED;
                writes += isWrite && written[key] != t ? 1 : 0;
                written[key] = isWrite ? t : written[key];
            }
        }
        int capacity = (int) Math.min(1L << 30, 4L * Integer.highestOneBit(Math.max(8, writes)));
        slotKeys = new int[capacity];
        slotValues = new long[capacity];
        placeStarts = new int[capacity + 1];
        places = new int[writes];
        Arrays.fill(slotKeys, -1);
        Arrays.fill(written, -1);
        writerPlaces = new int[writes];
        writerStarts = new int[table.keys().size() + 1];
        int[] slots = new int[writes];
        int last = 0;
        for (int t : order) {
            for (int o = t < 0 ? -1 : starts[t + 1] - 1; o >= 0 && o >= starts[t]; o--) {
                int key = table.key(o);
                if (table.isWrite(o) && written[key] != t) {
                    written[key] = t;
                    int slot = slot(key, table.value(o));
                    slotKeys[slot] = key;
                    slotValues[slot] = table.value(o);
                    placeStarts[slot + 1]++;
                    writerStarts[key + 1]++;
                    places[last] = position[t];
                    slots[last++] = slot;
                }
            }
        }
        sortByKey(slots);
        sortBySlot(slots);
    }

    /** Sorts the places by key; they stay in order within one. */
    private void sortByKey(int[] slots) {
        for (int key = 1; key < writerStarts.length; key++) {
            writerStarts[key] += writerStarts[key - 1];
        }
        int[] next = writerStarts.clone();
        for (int i = 0; i < slots.length; i++) {
            writerPlaces[next[slotKeys[slots[i]]]++] = places[i];
        }
    }

    /** Sorts the places by slot; they stay in order within one. */
    private void sortBySlot(int[] slots) {
        for (int slot = 0; slot < slotKeys.length; slot++) {
            placeStarts[slot + 1] += placeStarts[slot];
        }
        int[] next = Arrays.copyOf(placeStarts, slotKeys.length);
        int[] unsorted = places.clone();
        for (int i = 0; i < slots.length; i++) {
            places[next[slots[i]]++] = unsorted[i];
        }
    }

    /** The slot of a key and value, or the empty one where they belong. */
    private int slot(int key, long value) {
        int mask = slotKeys.length - 1;
        int slot = (int) (SourcesByValue.hash(key, value) >>> 17) & mask;
        while (slotKeys[slot] >= 0 && (slotKeys[slot] != key || slotValues[slot] != value)) {
            slot = slot + 1 & mask;
        }
        return slot;
    }

    /**
     * Chooses the transaction that each read read from.
     *
     * @param most ends as soon as there are so many
     * @return pairs: a read that has no possible source, and the latest writer of the key that its transaction sees, or
     *     a negative number if there is none
     */
    int[] misreads(int most) {
        for (int s = 0; s < table.sessions(); s++) {
            int previous = NO_PLACE;
            for (int t = table.firstTransaction(s); t < table.transactionsEnd(s) && found < 2 * most; t++) {
                if (position[t] >= 0 && order[position[t]] == t) {
                    choose(t, s, isLatest ? snapshot(t, previous) : position[t]);
                    previous = position[t];
                }
            }
        }
        return Arrays.copyOf(misreads, found);
    }

    /**
     * The latest place at which all reads of a transaction return the last write; its own place if none is found.
     *
     * @param previous the place of the session's previous transaction
     */
    private int snapshot(int t, int previous) {
        int snapshot = position[t];
        boolean isStable = false;
        for (int pass = 0; pass < MOST_PASSES && !isStable; pass++) {
            isStable = true;
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                if (sources[o] == ASKED) {
                    int place = overwritten(o, snapshot);
                    isStable &= place == snapshot;
                    snapshot = place;
                }
            }
            if (snapshot <= previous) {
                return position[t];
            }
        }
        return isStable ? snapshot : position[t];
    }

    /**
     * The latest place, not after the given one, before which a read returns the last write: that of the next writer of
     * the key. {@link #NO_PLACE} if there is none.
     */
    private int overwritten(int o, int snapshot) {
        int key = table.key(o);
        int slot = slot(key, table.value(o));
        int first = placeStarts[slot];
        int at = Arrays.binarySearch(places, first, placeStarts[slot + 1], snapshot);
        at = (at < 0 ? -at - 1 : at) - 1;
        int next = writerStarts[key];
        if (at >= first) {
            next = Arrays.binarySearch(writerPlaces, next, writerStarts[key + 1], places[at]) + 1;
        } else if (table.value(o) != table.initialValue(key)) {
            return NO_PLACE;
        }
        return next < writerStarts[key + 1] ? Math.min(snapshot, writerPlaces[next]) : snapshot;
    }

    private void choose(int t, int session, int snapshot) {
        boolean isAtomic = guarantee == Guarantee.RA;
        for (int o = starts[t]; isAtomic && o < starts[t + 1]; o++) {
            if (sources[o] == ASKED) {
                int slot = slot(table.key(o), table.value(o));
                boolean isInitial = table.value(o) == table.initialValue(table.key(o));
                if (placeStarts[slot + 1] == placeStarts[slot] + 1 && !isInitial) {
                    see(t, order[places[placeStarts[slot]]]);
                }
            }
        }
        for (int o = starts[t]; o < starts[t + 1]; o++) {
            if (sources[o] == ASKED) {
                choose(t, session, o, snapshot);
            }
        }
        for (int o = starts[t]; isAtomic && o < starts[t + 1]; o++) {
            if (table.isWrite(o)) {
                ran[table.key(o)] = entry(session, position[t]);
            }
        }
    }

    private void choose(int t, int session, int o, int snapshot) {
        int key = table.key(o);
        int least = place(seen[key], t);
        if (guarantee == Guarantee.RA) {
            least = Math.max(least, place(ran[key], session));
        }
        int slot = slot(key, table.value(o));
        int first = placeStarts[slot];
        int end = placeStarts[slot + 1];
        int at = Arrays.binarySearch(places, first, end, isLatest ? snapshot : Math.max(least, 0));
        at = (at < 0 ? -at - 1 : at) - (isLatest ? 1 : 0);
        int place = at >= first && at < end && places[at] < snapshot ? places[at] : NO_PLACE;
        boolean isInitial = table.value(o) == table.initialValue(key);
        if (isInitial && (isLatest ? place < 0 : least < 0)) {
            sources[o] = SourcesByValue.INITIAL;
        } else if (place < 0) {
            sources[o] = SourcesByValue.NONE;
            misreads = found == misreads.length ? Arrays.copyOf(misreads, 2 * found) : misreads;
            misreads[found++] = o;
            misreads[found++] = least < 0 ? -1 : order[least];
        } else {
            sources[o] = order[place];
            see(t, order[place]);
        }
    }

    private void see(int t, int source) {
        long entry = entry(t, position[source]);
        for (int o = starts[source]; guarantee != Guarantee.CC && o < starts[source + 1]; o++) {
            if (table.isWrite(o)) {
                seen[table.key(o)] = Math.max(seen[table.key(o)], entry);
            }
        }
    }

    private static long entry(int number, int place) {
        return (long) number << 32 | place;
    }

    private static int place(long entry, int number) {
        return entry >= 0 && (int) (entry >> 32) == number ? (int) entry : NO_PLACE;
    }
}
