package org.polygraph.storage.dictionary;

import it.unimi.dsi.fastutil.longs.LongArrays;
import java.util.Arrays;

/** Sorts keys by their labels. The first characters decide most comparisons, and are compared as one number. */
public final class LabelOrder {
    private static final int FIRST = 9;
    private static final int BITS = 7;
    /** The number does not distinguish this character from larger ones. */
    private static final int LARGE = 127;

    private LabelOrder() {}

    /** Returns the same keys in the order of their labels in a dictionary. */
    public static int[] sorted(int[] keys, KeyDictionary dictionary) {
        long[] starts = new long[keys.length];
        int[] order = new int[keys.length];
        for (int i = 0; i < keys.length; i++) {
            starts[i] = start(dictionary.label(keys[i]));
            order[i] = i;
        }
        LongArrays.quickSortIndirect(order, starts);
        int[] sorted = new int[keys.length];
        for (int from = 0, to; from < keys.length; from = to) {
            for (to = from; to < keys.length && starts[order[to]] == starts[order[from]]; to++) {
                sorted[to] = keys[order[to]];
            }
            if (to - from > 1) {
                sort(sorted, from, to, dictionary);
            }
        }
        return sorted;
    }

    private static void sort(int[] keys, int from, int to, KeyDictionary dictionary) {
        Labelled[] labelled = new Labelled[to - from];
        for (int i = from; i < to; i++) {
            labelled[i - from] = new Labelled(dictionary.label(keys[i]), keys[i]);
        }
        Arrays.sort(labelled);
        for (int i = from; i < to; i++) {
            keys[i] = labelled[i - from].key;
        }
    }

    private record Labelled(String label, int key) implements Comparable<Labelled> {
        @Override
        public int compareTo(Labelled other) {
            return label.compareTo(other.label);
        }
    }

    /** Returns a number that does not descend where labels ascend. */
    private static long start(String label) {
        long start = 0;
        boolean isOver = false;
        for (int i = 0; i < FIRST; i++) {
            int next = i < label.length() ? label.charAt(i) : 0;
            isOver |= next >= LARGE;
            start = start << BITS | (isOver ? LARGE : next);
        }
        return start;
    }
}
