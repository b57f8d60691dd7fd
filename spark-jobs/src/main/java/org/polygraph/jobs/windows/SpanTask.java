package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.polygraph.jobs.decision.Budget;

/**
 * Finds the places at which operations of some transactions are explained, in a slice. A read is explained where the last write has its
 * value. A write is explained where no read of another value follows before the next write, and no read of its own value precedes it.
 * If no other write of its value precedes the first read of its value, it is explained only directly before that read.
 *
 * <p>Result: for each operation its spans; for each span the place of the first event before which the transaction may be
 * put, and the place behind the last such event. Operations of keys with many others have no spans.
 *
 * @param operations with the places of their transactions
 * @param writes which of them are writes
 * @param events of a transaction, which are neighbours
 * @param mostSpans after about so many, other operations have none
 */
record SpanTask(SliceRows.Slice slice, ArrayList<CheckTask.Read> operations, BitSet writes, int events, int mostSpans)
        implements Task<long[][]> {
    /** Operations of a key. */
    private static final int MOST = 1_024;

    private static final int NONE = -1;

    @Override
    public long[][] run(Budget budget) throws IOException {
        SliceRows rows = slice.rows();
        KeyValues asked = new KeyValues();
        int[] valueOf = new int[operations.size()];
        for (int i = 0; i < valueOf.length; i++) {
            BlockReader item = new BlockReader(operations.get(i).item());
            valueOf[i] = asked.add(item.key(rows.keys()), item.value(rows.values()));
        }
        List<KeyOperations> keys = new ArrayList<>();
        for (int key = rows.keys().size(); key > 0; key--) {
            keys.add(new KeyOperations());
        }
        while (rows.next()) {
            // Keys that are asked for have the first ids.
            if (rows.key() < keys.size()
                    && rows.state() == SliceRows.COUNTED
                    && !rows.isIntent()
                    && keys.get(rows.key()).size() <= MOST) {
                keys.get(rows.key()).add(rows, asked.find(rows.key(), rows.code()));
            }
        }
        long[][] found = new long[valueOf.length][0];
        int most = mostSpans;
        LongArrayList spans = new LongArrayList();
        for (int i = 0; i < valueOf.length; i++) {
            int key = asked.key(valueOf[i]);
            spans.clear();
            if (keys.get(key).size() > MOST || most <= 0) {
                continue;
            }
            KeyOperations others = keys.get(key).without(operations.get(i).place(), events);
            if (writes.get(i)) {
                others.ofWrite(valueOf[i], spans);
            } else {
                others.ofRead(valueOf[i], asked.find(key, rows.initial(key)), spans);
            }
            found[i] = spans.toLongArray();
            most -= spans.size() / 2;
        }
        return found;
    }

    /**
     * The operations of a key in the order of places: the place x 2 + 1 for a write; and the number of the value, {@link #NONE} if no
     * operation with this value is asked about.
     */
    private static final class KeyOperations {
        private final LongArrayList places = new LongArrayList();
        private final LongArrayList values = new LongArrayList();

        void add(SliceRows row, int value) {
            places.add(row.place() << 1 | (row.isWrite() ? 1 : 0));
            values.add(value);
        }

        /** The operations of all transactions but one. */
        KeyOperations without(long place, int events) {
            KeyOperations others = new KeyOperations();
            for (int i = 0; i < size(); i++) {
                if (place(i) < place || place(i) >= place + events) {
                    others.places.add(places.getLong(i));
                    others.values.add(values.getLong(i));
                }
            }
            return others;
        }

        int size() {
            return places.size();
        }

        private boolean isWrite(int i) {
            return (places.getLong(i) & 1) == 1;
        }

        private long place(int i) {
            return places.getLong(i) >> 1;
        }

        void ofRead(long value, long initial, LongArrayList spans) {
            long begin = value == initial ? 0 : NONE;
            for (int i = 0; i < size(); i++) {
                if (!isWrite(i)) {
                    continue;
                }
                boolean isOther = values.getLong(i) != value;
                if (begin != NONE && isOther) {
                    add(begin, place(i), spans);
                    begin = NONE;
                } else if (begin == NONE && !isOther) {
                    begin = place(i) + 1;
                }
            }
            if (begin != NONE) {
                add(begin, Long.MAX_VALUE - 1, spans);
            }
        }

        void ofWrite(long value, LongArrayList spans) {
            long begin = 0;
            boolean isOnly = true;
            for (int i = 0; i < size(); i++) {
                boolean isReader = !isWrite(i) && values.getLong(i) == value;
                if (isReader && isOnly) {
                    spans.clear();
                }
                if (isReader || isWrite(i)) {
                    add(begin, place(i), spans);
                }
                if (isReader) {
                    return;
                }
                isOnly &= values.getLong(i) != value;
                begin = place(i) + 1;
            }
            add(begin, Long.MAX_VALUE - 1, spans);
        }

        /** Adds a span of places. @param last in it */
        private static void add(long begin, long last, LongArrayList spans) {
            int size = spans.size();
            if (size > 0 && spans.getLong(size - 1) == begin) {
                spans.set(size - 1, last + 1);
            } else if (last >= begin) {
                spans.add(begin);
                spans.add(last + 1);
            }
        }
    }
}
