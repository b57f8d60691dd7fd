package org.polygraph.solver;

import org.jspecify.annotations.Nullable;
import org.polygraph.solver.sat.SearchBudget;

/**
 * One key's reads and writes in the current order. Item i below the number of readers is a reader, the others are
 * writers; a reader stands at the event of its read ({@link Polygraph#readAt}), a writer at its commit. Where both are
 * one event, the reader comes first.
 */
final class KeyItems {
    /** The approximate bytes of the object and its headers. */
    static final int OVERHEAD = 180;

    final int key;
    final int firstReader;
    final int readers;
    final int firstWriter;
    final int size;
    /** Items in the order of their events, as of the last refresh. */
    final int[] items;
    /** Item to its index in {@link #items}. */
    final int[] slots;
    /** By item, the last counted writer before it (global index) at the last refresh, or -1. */
    final int[] lastWriters;
    /** By item, whether it is in the queue of violated items. */
    final boolean[] queued;
    /** By item, whether it was touched since the last refresh. */
    private final boolean[] isTouched;

    private int[] touched = new int[0];
    private int touchedCount;

    /** Made at the first use. */
    @Nullable
    Candidates candidates;

    KeyItems(Polygraph p, int key) {
        this.key = key;
        firstReader = p.readerStart[key];
        readers = p.readerStart[key + 1] - firstReader;
        firstWriter = p.writerStart[key];
        size = readers + p.writerStart[key + 1] - firstWriter;
        items = new int[size];
        slots = new int[size];
        lastWriters = new int[size];
        queued = new boolean[size];
        isTouched = new boolean[size];
    }

    static long bytes(Polygraph p, int key) {
        long size = (long) p.readerStart[key + 1] - p.readerStart[key] + p.writerStart[key + 1] - p.writerStart[key];
        return OVERHEAD + 14 * size;
    }

    boolean isReader(int item) {
        return item < readers;
    }

    int reader(int item) {
        return firstReader + item;
    }

    int writer(int item) {
        return firstWriter + item - readers;
    }

    int itemOfReader(int reader) {
        return reader - firstReader;
    }

    int itemOfWriter(int writer) {
        return writer - firstWriter + readers;
    }

    /** Records that an item may have moved, or that its transaction began or ceased to count. */
    void touch(int item, SearchBudget budget) {
        if (!isTouched[item]) {
            isTouched[item] = true;
            touched = budget.grow(touched, touchedCount + 1L);
            touched[touchedCount++] = item;
        }
    }

    int touchedCount() {
        return touchedCount;
    }

    int touched(int index) {
        return touched[index];
    }

    void clearTouched() {
        for (int i = 0; i < touchedCount; i++) {
            isTouched[touched[i]] = false;
        }
        touchedCount = 0;
    }
}
