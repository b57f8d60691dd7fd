package org.polygraph.solver;

import org.polygraph.solver.sat.SearchBudget;

/**
 * Sorts the touched items of a key into their new places and lists where the key must be rechecked.
 *
 * <p>Untouched items keep their relative order, so only touched items are compared: each gallops from its old place to
 * its new one. Items between are shifted by block copies without being read: a window of a hot key holds hundreds of
 * items for each touched one, and ranking and checking them all took four fifths of the time.
 *
 * <p>The last writer of an item changes only behind a writer that arrived or left, up to the next writer. These places
 * are the starts.
 */
final class Reinsertion {
    /** A start: recheck this reader only. */
    static final int READER = 0;

    /** A start: recheck from here to the first counted writer, which may be here; a writer before it left. */
    static final int VACATED = 1;

    /** A start: recheck from here to the first counted writer after the one here. */
    static final int WRITER = 2;

    private static final int SEGMENT = 4;

    private final Ranks ranks;
    private final SearchBudget budget;
    /** Touched items by their old place: slot, and one bit for a writer. */
    private long[] holes = new long[0];
    /** Touched items by their new place: rank and item. */
    private long[] entering = new long[0];
    /** By entering item, how many staying items precede it; ascending. */
    private int[] gaps = new int[0];
    /** Blocks that shift up: from, to (among staying items), holes before, entering items before. */
    private int[] segments = new int[0];

    private long[] starts = new long[0];
    private int startCount;
    private int count;

    Reinsertion(Ranks ranks, SearchBudget budget) {
        this.ranks = ranks;
        this.budget = budget;
    }

    /** Number of places to check, ascending. */
    int starts() {
        return startCount;
    }

    int startSlot(int index) {
        return (int) (starts[index] >>> 2);
    }

    int startKind(int index) {
        return (int) (starts[index] & 3);
    }

    /** Sorts the items; afterwards none is touched. O(touched log size) comparisons, plus the shifts. */
    void run(KeyItems items) {
        count = items.touchedCount();
        reserve();
        for (int i = 0; i < count; i++) {
            budget.tick();
            int item = items.touched(i);
            holes[i] = (long) items.slots[item] << 1 | (items.isReader(item) ? 0 : 1);
            entering[i] = (long) ranks.of(items, item) << 32 | item;
        }
        items.clearTouched();
        if (count > 1) {
            java.util.Arrays.sort(holes, 0, count);
            java.util.Arrays.sort(entering, 0, count);
        }
        int least = 0;
        for (int j = 0; j < count; j++) {
            budget.tick();
            int slot = items.slots[(int) entering[j]];
            least = gap(items, (int) (entering[j] >>> 32), Math.max(least, slot - holesBefore(slot)), least);
            gaps[j] = least;
        }
        shift(items);
        for (int j = 0; j < count; j++) {
            int item = (int) entering[j];
            items.items[gaps[j] + j] = item;
            items.slots[item] = gaps[j] + j;
        }
        collectStarts(items);
    }

    private void reserve() {
        if (count > gaps.length) {
            int length = Math.max(16, 2 * count);
            budget.reserve((8L * 4 + 4 + 4L * SEGMENT * 2) * (length - gaps.length));
            holes = new long[length];
            entering = new long[length];
            gaps = new int[length];
            segments = new int[2 * SEGMENT * length];
            starts = new long[2 * length];
        }
    }

    private static int slot(long hole) {
        return (int) (hole >>> 1);
    }

    /** How many staying items precede hole i. */
    private int before(int i) {
        return slot(holes[i]) - i;
    }

    private int holesBefore(int slot) {
        int found = java.util.Arrays.binarySearch(holes, 0, count, (long) slot << 1);
        return found < 0 ? ~found : found;
    }

    private int rankOfStaying(KeyItems items, int index) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (before(middle) <= index) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return ranks.of(items, items.items[index + low]);
    }

    /**
     * The least index, at least {@code least}, of a staying item with a higher rank; the search starts at {@code hint}.
     */
    private int gap(KeyItems items, int rank, int hint, int least) {
        int end = items.size - count;
        int low = least;
        int high = end;
        int step = 1;
        if (hint < end && rankOfStaying(items, hint) < rank) {
            low = hint + 1;
            while (low + step - 1 < end && rankOfStaying(items, low + step - 1) < rank) {
                low += step;
                step <<= 1;
            }
            high = Math.min(end, low + step - 1);
        } else {
            high = hint;
            while (high - step >= least && rankOfStaying(items, high - step) > rank) {
                high -= step;
                step <<= 1;
            }
            low = Math.max(least, high - step);
        }
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (rankOfStaying(items, middle) < rank) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /**
     * Moves the staying items to their new slots. Blocks that move down are copied in ascending order, blocks that move
     * up in descending order, so that only holes are overwritten where the direction changes.
     */
    private void shift(KeyItems items) {
        int up = 0;
        int i = 0;
        int j = 0;
        int from = Math.min(before(0), gaps[0]);
        while (true) {
            while (i < count && before(i) <= from) {
                i++;
            }
            while (j < count && gaps[j] <= from) {
                j++;
            }
            int to = Integer.MAX_VALUE;
            if (i < count) {
                to = before(i);
            }
            if (j < count) {
                to = Math.min(to, gaps[j]);
            }
            if (to == Integer.MAX_VALUE) {
                break;
            }
            if (j < i) {
                copy(items, from, to, i, j);
            } else if (j > i) {
                segments[up] = from;
                segments[up + 1] = to;
                segments[up + 2] = i;
                segments[up + 3] = j;
                up += SEGMENT;
            }
            from = to;
        }
        for (int s = up - SEGMENT; s >= 0; s -= SEGMENT) {
            copy(items, segments[s], segments[s + 1], segments[s + 2], segments[s + 3]);
        }
    }

    private void copy(KeyItems items, int from, int to, int oldOffset, int newOffset) {
        int[] a = items.items;
        int[] slots = items.slots;
        System.arraycopy(a, from + oldOffset, a, from + newOffset, to - from);
        for (int at = from + newOffset; at < to + newOffset; at++) {
            slots[a[at]] = at;
        }
        budget.tick();
    }

    private void collectStarts(KeyItems items) {
        startCount = 0;
        int i = 0;
        int j = 0;
        while (i < count || j < count) {
            // An item that enters at a gap precedes the staying item there.
            if (j < count && (i == count || gaps[j] <= before(i))) {
                int kind = items.isReader((int) entering[j]) ? READER : WRITER;
                starts[startCount++] = (long) (gaps[j] + j) << 2 | kind;
                j++;
            } else {
                if ((holes[i] & 1) != 0 && before(i) + j < items.size) {
                    starts[startCount++] = (long) (before(i) + j) << 2 | VACATED;
                }
                i++;
            }
        }
    }
}
