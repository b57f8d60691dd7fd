package org.polygraph.jobs.certificate.replay;

import java.util.Arrays;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.storage.table.HistoryTable;

/**
 * The transaction that each read read from in a given order, where several transactions left the value that it
 * returned. Any choice under which the order obeys the axiom of the level is a proof. A read takes the latest writer of
 * its value before it, which is the right one in a serial order; or, at RC and RA, the earliest one that is not before
 * a writer of the key that its transaction sees, because later reads demand that the writers which it sees come early.
 *
 * <p>Time: linear, but for a binary search in the writers of a value for each read. Memory: 44 to 88 bytes a write and
 * 12 a key.
 */
final class ChosenSources {
    private static final int NO_PLACE = -1;
    private static final int ASKED = -3;

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

    private int[] misreads = new int[16];
    private int found;

    /**
     * @param order the counted transactions by place, negative numbers for others
     * @param sources by operation, to be set
     * @param isLatest whether each read takes the latest writer
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
                    places[last] = position[t];
                    slots[last++] = slot;
                }
            }
        }
        sortBySlot(slots);
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
     * Chooses.
     *
     * @param most ends as soon as there are so many
     * @return pairs of a read that has no possible source, and the transaction that its transaction sees and that wrote
     *     the key later than all of them, or a negative number if there is none
     */
    int[] misreads(int most) {
        for (int s = 0; s < table.sessions(); s++) {
            for (int t = table.firstTransaction(s); t < table.transactionsEnd(s) && found < 2 * most; t++) {
                if (position[t] >= 0 && order[position[t]] == t) {
                    choose(t, s);
                }
            }
        }
        return Arrays.copyOf(misreads, found);
    }

    private void choose(int t, int session) {
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
                choose(t, session, o);
            }
        }
        for (int o = starts[t]; isAtomic && o < starts[t + 1]; o++) {
            if (table.isWrite(o)) {
                ran[table.key(o)] = entry(session, position[t]);
            }
        }
    }

    private void choose(int t, int session, int o) {
        int key = table.key(o);
        int least = place(seen[key], t);
        if (guarantee == Guarantee.RA) {
            least = Math.max(least, place(ran[key], session));
        }
        int slot = slot(key, table.value(o));
        int first = placeStarts[slot];
        int end = placeStarts[slot + 1];
        int at = Arrays.binarySearch(places, first, end, isLatest ? position[t] : Math.max(least, 0));
        at = (at < 0 ? -at - 1 : at) - (isLatest ? 1 : 0);
        int place = at >= first && at < end && places[at] < position[t] ? places[at] : NO_PLACE;
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
