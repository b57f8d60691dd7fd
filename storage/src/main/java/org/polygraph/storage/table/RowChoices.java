package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2ObjectMap;
import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntLinkedOpenHashSet;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.HistoryException;

/**
 * All choices of the rows of open writes of a small history. Each write has as many rows as its count, or any number
 * without one: those that reads show, and others of which some version may match its condition. The history keeps a
 * level iff its table with one of the choices does.
 */
public final class RowChoices {
    /** The most keys of one write that may be its rows or not. */
    private static final int MOST_FREE = 16;

    private final UnknownRows unknown;
    /**
     * By open write: its number, its known rows, the keys that may be its rows or not, and which of them are in each
     * choice, as bits.
     */
    private final IntArrayList numbers = new IntArrayList();

    private final List<IntLinkedOpenHashSet> known = new ArrayList<>();
    private final List<int[]> free = new ArrayList<>();
    private final List<int[]> masks = new ArrayList<>();
    private long count = 1;

    private RowChoices(UnknownRows unknown) {
        this.unknown = unknown;
    }

    /**
     * Returns the choices.
     *
     * @param candidates by number of an open write: the keys of which some version may match
     * @return null if there are more than {@code most}, or none
     */
    static @Nullable RowChoices of(UnknownRows unknown, KnownRows known, Int2ObjectMap<BitSet> candidates, long most) {
        RowChoices choices = new RowChoices(unknown);
        for (int number : candidates.keySet()) {
            Predicates.Unknown write = known.predicates().unknown(number);
            IntLinkedOpenHashSet shown = known.rows().get(number);
            IntLinkedOpenHashSet possible = new IntLinkedOpenHashSet();
            BitSet matching = candidates.get(number);
            for (int key = matching.nextSetBit(0); key >= 0; key = matching.nextSetBit(key + 1)) {
                possible.add(key);
            }
            if (write != null && write.count() >= 0 && write.count() < shown.size()) {
                // Each choice leaves out a row that a read shows.
                possible.addAll(shown);
                shown = new IntLinkedOpenHashSet();
            }
            IntArrayList others = new IntArrayList();
            for (int key : possible) {
                if (!shown.contains(key)) {
                    others.add(key);
                }
            }
            long left = write == null || write.count() < 0 ? -1 : write.count() - shown.size();
            // If too few keys may match, a choice has others, which match nowhere.
            for (int key = 0; key < known.raw().keys().size() && others.size() < left; key++) {
                if (!shown.contains(key) && !others.contains(key)) {
                    others.add(key);
                }
            }
            boolean hasChoice = write != null && (write.count() < 0 || (left >= 0 && left <= others.size()));
            if (!hasChoice || others.size() > MOST_FREE) {
                return null;
            }
            choices.add(number, shown, others.toIntArray(), left);
            if (choices.count > most) {
                return null;
            }
        }
        return choices;
    }

    /**
     * Adds a write.
     *
     * @param certain keys that are in each choice
     * @param keys that may be in a choice
     * @param size how many of them are in each choice; negative for any
     */
    private void add(int number, IntLinkedOpenHashSet certain, int[] keys, long size) {
        IntArrayList sets = new IntArrayList();
        for (int mask = (1 << keys.length) - 1; mask >= 0; mask--) {
            if (size < 0 || Integer.bitCount(mask) == size) {
                sets.add(mask);
            }
        }
        numbers.add(number);
        known.add(certain);
        free.add(keys);
        masks.add(sets.toIntArray());
        count *= sets.size();
    }

    /** How many there are. */
    public int count() {
        return (int) count;
    }

    /** Returns the history with the rows of a choice. */
    public HistoryTable table(int choice) throws HistoryException {
        Int2ObjectMap<IntLinkedOpenHashSet> rows = new Int2ObjectOpenHashMap<>(unknown.rows());
        int left = choice;
        for (int w = 0; w < numbers.size(); w++) {
            int[] sets = masks.get(w);
            int mask = sets[left % sets.length];
            left /= sets.length;
            IntLinkedOpenHashSet chosen = new IntLinkedOpenHashSet(known.get(w));
            for (int i = 0; i < free.get(w).length; i++) {
                if ((mask >> i & 1) != 0) {
                    chosen.add(free.get(w)[i]);
                }
            }
            rows.put(numbers.getInt(w), chosen);
        }
        return unknown.withRows(rows);
    }
}
