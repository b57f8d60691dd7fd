package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.io.IOException;
import java.util.Arrays;
import org.polygraph.jobs.decision.Budget;

/**
 * Finds the values of the keys of a slice at the borders of windows. {@link #LEFT} is the value at the left border, unless it is the common
 * initial one. {@link #RIGHT} is the value at the right border, if a read behind it returns it before the key is written. If all these reads are
 * violated, {@link #VIOLATED} is the first value among those that they returned which the window wrote. Result: the section with a block for
 * each window. An item of a block is one of these kinds, a key and a value.
 *
 * @param from by window, ascending and disjoint: its first place
 * @param to by window: the place behind its last
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record BorderTask(SliceRows.Slice slice, long[] from, long[] to, Section.Files files) implements Task<Section> {
    static final int LEFT = 0;
    static final int RIGHT = 1;
    static final int VIOLATED = 2;

    static final int KIND_BITS = 2;
    private static final int NONE = -1;

    /** The last window that has the key; and the last one behind whose right border no read was found yet. */
    private static final int TOUCHED = 0;

    private static final int WAITING = 1;
    /** The window that wrote the value of a violated read behind its right border; and the value. */
    private static final int OFFERED = 2;

    private static final int OFFER = 3;
    private static final int FIELDS = 4;

    @Override
    public Section run(Budget budget) throws IOException {
        Section.Output out = new Section.Output(0, from.length);
        SliceRows rows = slice.rows();
        KeyStates states = new KeyStates(rows);
        // By key four fields, which are used together.
        long[] keys = new long[0];
        int known = 0;
        // By pair of a key and a value: the last window that wrote it.
        KeyValues written = new KeyValues();
        IntArrayList writtenIn = new IntArrayList();
        int next = 0;
        while (rows.next()) {
            if (rows.state() == SliceRows.INACTIVE || rows.isIntent()) {
                continue;
            }
            states.add();
            int key = rows.key();
            int at = FIELDS * key;
            if (key >= known) {
                keys = FIELDS * (key + 1) > keys.length ? Arrays.copyOf(keys, 2 * FIELDS * (key + 1)) : keys;
                Arrays.fill(keys, FIELDS * known, FIELDS * (key + 1), NONE);
                known = key + 1;
            }
            while (next < from.length && rows.place() >= to[next]) {
                next++;
            }
            int window = next < from.length && rows.place() >= from[next] ? next : NONE;
            if (window != NONE && keys[at + TOUCHED] != window) {
                keys[at + TOUCHED] = window;
                if (states.before(key) != rows.common()) {
                    item(out, window, LEFT, rows, key, states.before(key));
                }
            }
            int before = (int) keys[at + WAITING];
            if (rows.state() == SliceRows.COUNTED && before != NONE && before != window) {
                if (rows.isWrite()) {
                    keys[at + WAITING] = NONE;
                } else if (states.isFirst() && !states.isViolated()) {
                    item(out, before, RIGHT, rows, key, rows.code());
                    keys[at + WAITING] = NONE;
                    keys[at + OFFERED] = NONE;
                } else if (states.isFirst() && keys[at + OFFERED] == NONE) {
                    int pair = written.find(key, rows.code());
                    keys[at + OFFERED] = pair >= 0 && writtenIn.getInt(pair) == before ? before : NONE;
                    keys[at + OFFER] = rows.code();
                }
            }
            if (keys[at + OFFERED] != NONE && (window != NONE || keys[at + WAITING] == NONE)) {
                item(out, (int) keys[at + OFFERED], VIOLATED, rows, key, keys[at + OFFER]);
                keys[at + OFFERED] = NONE;
            }
            if (window != NONE) {
                keys[at + WAITING] = window;
                if (rows.isWrite()) {
                    int pair = written.add(key, rows.code());
                    if (pair == writtenIn.size()) {
                        writtenIn.add(window);
                    } else {
                        writtenIn.set(pair, window);
                    }
                }
            }
        }
        for (int key = 0; key < known; key++) {
            int at = FIELDS * key;
            if (keys[at + OFFERED] != NONE) {
                item(out, (int) keys[at + OFFERED], VIOLATED, rows, key, keys[at + OFFER]);
            }
        }
        return out.write(files, slice.number());
    }

    private static void item(Section.Output out, int window, int kind, SliceRows rows, int key, long value) {
        out.block(window).unsigned(kind).key(rows.keys(), key).value(rows.values(), value);
    }
}
