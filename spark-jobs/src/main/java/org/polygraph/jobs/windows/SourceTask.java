package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.polygraph.jobs.decision.Budget;

/**
 * Finds the writers of values that some reads returned, in a slice. Result: for each read whose value was written in this slice its number, then the
 * places of its possible writers, those of transactions that wrote the value and replaced it, or never count, and the places at which a repair is looked for.
 *
 * @param reads with the places of the readers
 * @param initial the initial value as a block
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record SourceTask(SliceRows.Slice slice, ArrayList<CheckTask.Read> reads, byte[] initial) implements Task {
    private static final long serialVersionUID = 1L;

    /** Writers of a value that are named. */
    private static final int MOST = 256;

    SourceTask(SliceRows.Slice slice, List<CheckTask.Read> reads, byte[] initial) {
        this(slice, new ArrayList<>(reads), initial);
    }

    /**
     * The writers of what a read returned.
     *
     * @param possible places of transactions that may have written it
     * @param others places of transactions that wrote it, but cannot have been read from
     * @param from with {@code to} the fewest places that have to change: those from the reader to the nearest place at which the read
     *     returns the last write; or those from a writer of the value to the last write before the read
     */
    record Sources(LongArrayList possible, LongArrayList others, long from, long to) {
        /** By read. */
        static Sources[] of(byte[] result, List<CheckTask.Read> reads) {
            Sources[] all = new Sources[reads.size()];
            Arrays.setAll(
                    all,
                    i -> new Sources(
                            new LongArrayList(),
                            new LongArrayList(),
                            reads.get(i).place(),
                            reads.get(i).place()));
            for (BlockReader in = new BlockReader(result); in.hasMore(); ) {
                int read = in.count();
                all[read] = new Sources(places(in), places(in), in.unsigned(), in.unsigned());
            }
            return all;
        }

        private static LongArrayList places(BlockReader in) {
            LongArrayList places = new LongArrayList();
            for (int count = in.count(); count > 0; count--) {
                places.add(in.unsigned());
            }
            return places;
        }
    }

    /** A value of a key that is asked for. */
    private static final class Value {
        final LongArrayList possible = new LongArrayList();
        final LongArrayList others = new LongArrayList();
        /** Places of transactions that count and left it; ascending. */
        final LongArrayList begins = new LongArrayList();
        /** The same, and those of transactions that overwrote it. */
        final LongArrayList changes = new LongArrayList();

        void range(long place, long lastWrite, BlockWriter out) {
            long from = place;
            long to = place;
            long least = Long.MAX_VALUE;
            for (int i = before(changes, place) - 1; i <= before(changes, place); i++) {
                if (i >= 0 && i < changes.size() && Math.abs(changes.getLong(i) - place) < least) {
                    least = Math.abs(changes.getLong(i) - place);
                    from = Math.min(place, changes.getLong(i));
                    to = Math.max(place, changes.getLong(i));
                }
            }
            int writer = before(begins, lastWrite) - 1;
            if (writer >= 0 && lastWrite - begins.getLong(writer) < least) {
                from = begins.getLong(writer);
                to = lastWrite;
            }
            out.unsigned(from).unsigned(to);
        }

        /** How many places are less. */
        private static int before(LongArrayList places, long place) {
            int at = Arrays.binarySearch(places.elements(), 0, places.size(), place);
            return at < 0 ? -at - 1 : at;
        }
    }

    @Override
    public byte[] run(Budget budget) throws IOException {
        SliceRows rows = slice.rows();
        KeyValues asked = new KeyValues();
        int[] pairs = new int[reads.size()];
        List<Value> found = new ArrayList<>();
        for (int i = 0; i < pairs.length; i++) {
            BlockReader item = new BlockReader(reads.get(i).item());
            pairs[i] = asked.add(item.key(rows.keys()), item.value(rows.values()));
            if (pairs[i] == found.size()) {
                found.add(new Value());
            }
        }
        // By place of a reader: its first read; and by read: the next one there.
        Long2IntOpenHashMap readers = new Long2IntOpenHashMap();
        readers.defaultReturnValue(-1);
        int[] next = new int[pairs.length];
        for (int i = 0; i < pairs.length; i++) {
            next[i] = readers.put(reads.get(i).place(), i);
        }
        // By read: the place of the last write before it.
        long[] lastWrites = new long[pairs.length];
        // By key: the place of its last write that counts.
        long[] counted = new long[rows.keys().size()];
        // By key: the place of its last writer; the number of what that wrote, if it is asked for; and of the value of
        // the key.
        int keys = rows.keys().size();
        long[] places = new long[keys];
        int[] last = new int[keys];
        int[] current = new int[keys];
        Arrays.fill(places, -1);
        Arrays.fill(last, -1);
        long first = new BlockReader(initial).value(rows.values());
        Arrays.setAll(current, key -> asked.find(key, first));
        while (rows.next()) {
            int key = rows.key();
            // Keys that are asked for have the first ids.
            if (key >= keys) {
                continue;
            }
            if (!rows.isWrite()) {
                for (int i = readers.get(rows.place()); i >= 0; i = next[i]) {
                    lastWrites[i] = pairs[i] == asked.find(key, rows.code()) ? counted[key] : lastWrites[i];
                }
                continue;
            }
            if (last[key] >= 0 && places[key] == rows.place()) {
                Value value = found.get(last[key]);
                if (value.possible.rem(rows.place())) {
                    add(value.others, rows.place());
                }
            }
            int pair = asked.find(key, rows.code());
            places[key] = rows.place();
            last[key] = pair;
            if (pair >= 0) {
                Value value = found.get(pair);
                add(rows.state() == SliceRows.INACTIVE ? value.others : value.possible, rows.place());
            }
            counted[key] = rows.state() == SliceRows.COUNTED ? rows.place() : counted[key];
            if (rows.state() == SliceRows.COUNTED && current[key] != pair) {
                if (current[key] >= 0) {
                    found.get(current[key]).changes.add(rows.place());
                }
                if (pair >= 0) {
                    found.get(pair).changes.add(rows.place());
                    found.get(pair).begins.add(rows.place());
                }
                current[key] = pair;
            }
        }
        BlockWriter out = new BlockWriter();
        for (int i = 0; i < pairs.length; i++) {
            Value value = found.get(pairs[i]);
            if (!value.possible.isEmpty() || !value.others.isEmpty() || !value.changes.isEmpty()) {
                out.unsigned(i);
                write(out, value.possible);
                write(out, value.others);
                value.range(reads.get(i).place(), lastWrites[i], out);
            }
        }
        return out.toBytes();
    }

    private static void add(LongArrayList places, long place) {
        if (places.size() < MOST && !places.contains(place)) {
            places.add(place);
        }
    }

    private static void write(BlockWriter out, LongArrayList places) {
        out.unsigned(places.size());
        for (long place : places) {
            out.unsigned(place);
        }
    }
}
