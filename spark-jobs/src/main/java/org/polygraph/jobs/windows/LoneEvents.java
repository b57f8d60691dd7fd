package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import org.polygraph.storage.table.Operations;

/**
 * The events in a window at SI whose transaction has its other event outside of it. Their order among each other is fixed, and
 * each becomes a transaction of the problem that belongs to no session:
 *
 * <ul>
 *   <li>A commit has the writes, and its snapshot is at the left border, so that no member may overlap it. If a key of it was
 *       written between the border and the commit already, its snapshot is right before the commit: this is a violation that
 *       another window repairs.
 *   <li>A snapshot has the reads that return the last write at present, and its commit is behind the right border. It
 *       writes the keys of its intents that no transaction writes between it and the border at present. Of several such snapshots with an
 *       intent for a key, the first forbids as much as all of them, and only it has the write.
 * </ul>
 */
final class LoneEvents {
    /** A value that no transaction reads; see {@link org.polygraph.storage.dictionary.ValueDictionary}. */
    private static final long UNREAD = Long.MIN_VALUE + (1L << 60);

    private static final int NOWHERE = -1;

    private final Cell all;
    private final VisibleOperations visible;
    /** By number of a lone event: its index in the window. */
    private final IntArrayList indexes = new IntArrayList();

    private final IntArrayList starts = new IntArrayList();
    /** Key x 2 + (1 if a write). */
    private final IntArrayList operations = new IntArrayList();

    private final LongArrayList codes = new LongArrayList();
    /** By number: whether it is a commit whose snapshot is right before it. */
    private final boolean[] isSplit;

    /**
     * Takes the present order.
     *
     * @param present the events of the window
     * @param isLone by index in the window
     * @param keys the number of the key of an operation
     * @param left by number of a key: the value at the left border
     */
    LoneEvents(
            Cell all, VisibleOperations visible, int[] present, boolean[] isLone, IntUnaryOperator keys, long[] left) {
        this.all = all;
        this.visible = visible;
        for (int i = 0; i < present.length; i++) {
            if (isLone[i]) {
                indexes.add(i);
            }
        }
        isSplit = new boolean[indexes.size()];
        starts.add(0);
        if (!indexes.isEmpty()) {
            add(present, isLone, keys, left);
        }
    }

    private void add(int[] present, boolean[] isLone, IntUnaryOperator keys, long[] left) {
        int[] lastWrites = new int[left.length];
        Arrays.fill(lastWrites, NOWHERE);
        for (int i = 0; i < present.length; i++) {
            for (int o = all.firstOperation(present[i]);
                    all.isCounted(present[i]) && o < all.operationsEnd(present[i]);
                    o++) {
                if (all.isWrite(o)) {
                    lastWrites[keys.applyAsInt(o)] = i;
                }
            }
        }
        boolean[] isIntended = new boolean[left.length];
        boolean[] isWritten = new boolean[left.length];
        long[] values = left.clone();
        for (int i = 0; i < present.length; i++) {
            int event = present[i];
            boolean isHere = isLone[i];
            for (int o = all.firstOperation(event); all.isCounted(event) && o < all.operationsEnd(event); o++) {
                int key = keys.applyAsInt(o);
                if (all.kind(o) == Cell.INTENT) {
                    if (isHere && lastWrites[key] < i && !isIntended[key]) {
                        isIntended[key] = true;
                        operation(key, true, UNREAD + codes.size());
                    }
                } else if (visible.isVisible(o)) {
                    if (isHere && (all.isWrite(o) || values[key] == all.code(o))) {
                        operation(key, all.isWrite(o), all.code(o));
                        isSplit[starts.size() - 1] |= all.isWrite(o) && isWritten[key];
                    }
                    if (all.isWrite(o)) {
                        values[key] = all.code(o);
                        isWritten[key] = true;
                    }
                }
            }
            if (isHere) {
                starts.add(codes.size());
            }
        }
    }

    private void operation(int key, boolean isWrite, long code) {
        operations.add(Operations.pack(key, isWrite));
        codes.add(code);
    }

    int size() {
        return isSplit.length;
    }

    /** Its index in the window. */
    int index(int number) {
        return indexes.getInt(number);
    }

    /** Whether it is a commit with its snapshot right before it, not at the left border. */
    boolean isSplit(int number) {
        return isSplit[number];
    }

    /** Adds the operations of one, as {@link Operations} has them. */
    void addOperations(int number, IntArrayList toOperations, LongArrayList toCodes) {
        for (int i = starts.getInt(number); i < starts.getInt(number + 1); i++) {
            toOperations.add(operations.getInt(i));
            toCodes.add(codes.getLong(i));
        }
    }
}
