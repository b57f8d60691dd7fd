package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import org.polygraph.jobs.decision.Budget;

/**
 * Finds the values at the borders of windows, by key of a slice: the value at the left border, if it is not the initial one, and the value
 * that is read behind the right border before the key is written. That is the value at the border; or, if all these reads are violated, the
 * value of the first one, if the window wrote it. Result: the section with a block for each window; an item is the kind, the key and the
 * value.
 *
 * @param from by window, ascending and disjoint: its first place
 * @param to by window: the place behind its last
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record BorderTask(SliceRows.Slice slice, byte[] initial, long[] from, long[] to, String folder, String name)
        implements Task {
    private static final long serialVersionUID = 1L;

    static final int LEFT = 0;
    static final int RIGHT = 1;
    private static final int NONE = -1;

    @Override
    public byte[] run(Budget budget) throws IOException {
        Section.Output out = new Section.Output(0, from.length);
        SliceRows rows = slice.rows();
        KeyStates states = new KeyStates(initial, rows.values());
        long initialCode = new BlockReader(initial).value(rows.values());
        // By key: the last window with the key, and the last one whose right border waits for a read.
        IntArrayList touched = new IntArrayList();
        IntArrayList waiting = new IntArrayList();
        // By key: the window that wrote the value of a violated read behind its right border, and the value.
        IntArrayList offered = new IntArrayList();
        LongArrayList offers = new LongArrayList();
        // By pair of a key and a value: the last window that wrote it.
        KeyValues written = new KeyValues();
        IntArrayList writtenIn = new IntArrayList();
        int next = 0;
        while (rows.next()) {
            if (rows.state() == SliceRows.INACTIVE || rows.isIntent()) {
                continue;
            }
            states.add(rows);
            int key = rows.key();
            while (touched.size() <= key) {
                touched.add(NONE);
                waiting.add(NONE);
                offered.add(NONE);
                offers.add(0);
            }
            while (next < from.length && rows.place() >= to[next]) {
                next++;
            }
            int window = next < from.length && rows.place() >= from[next] ? next : NONE;
            if (window != NONE && touched.getInt(key) != window) {
                touched.set(key, window);
                if (states.before(key) != initialCode) {
                    item(out, window, LEFT, rows, key, states.before(key));
                }
            }
            int before = waiting.getInt(key);
            if (rows.state() == SliceRows.COUNTED && before != NONE && before != window) {
                if (rows.isWrite()) {
                    waiting.set(key, NONE);
                } else if (states.isFirst() && !states.isViolated()) {
                    item(out, before, RIGHT, rows, key, rows.code());
                    waiting.set(key, NONE);
                    offered.set(key, NONE);
                } else if (states.isFirst() && offered.getInt(key) == NONE) {
                    int pair = written.find(key, rows.code());
                    offered.set(key, pair >= 0 && writtenIn.getInt(pair) == before ? before : NONE);
                    offers.set(key, rows.code());
                }
            }
            if (offered.getInt(key) != NONE && (window != NONE || waiting.getInt(key) == NONE)) {
                item(out, offered.getInt(key), RIGHT, rows, key, offers.getLong(key));
                offered.set(key, NONE);
            }
            if (window != NONE) {
                waiting.set(key, window);
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
        for (int key = 0; key < offered.size(); key++) {
            if (offered.getInt(key) != NONE) {
                item(out, offered.getInt(key), RIGHT, rows, key, offers.getLong(key));
            }
        }
        BlockWriter result = new BlockWriter();
        Section.write(result, out.write(folder, name + "-" + slice.number()));
        return result.toBytes();
    }

    private static void item(Section.Output out, int window, int kind, SliceRows rows, int key, long value) {
        out.block(window).unsigned(kind).key(rows.keys(), key).value(rows.values(), value);
    }
}
