package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.polygraph.jobs.decision.Budget;

/**
 * Finds the writers of the values that some reads returned, in a slice. Result: the {@link Sources} of each read.
 *
 * @param reads with the places of the readers
 */
record SourceTask(SliceRows.Slice slice, ArrayList<CheckTask.Read> reads) implements Task<SourceTask.Sources[]> {
    /** The most writers of a value that are named. */
    private static final int MOST = 256;

    private static final int NONE = -1;

    SourceTask(SliceRows.Slice slice, List<CheckTask.Read> reads) {
        this(slice, new ArrayList<>(reads));
    }

    /**
     * The writers of what a read returned.
     *
     * @param isInitial whether it is the value of the key before the first transaction
     * @param possible places of transactions that may have written it
     * @param others places of transactions that wrote it and replaced it, or that never count
     * @param from with {@code to} the fewest places that have to change: those from the reader to the nearest place at which the read
     *     returns the last write; or those from a writer of the value to the last write before the read
     * @param lastWrite the place of the last write before the read; negative if nothing wrote the key or the value
     */
    record Sources(boolean isInitial, LongArrayList possible, LongArrayList others, long from, long to, long lastWrite)
            implements Serializable {
        /** Whether one of the possible writers is at most so many places from a place. */
        boolean isNear(long place, long distance) {
            for (int i = 0; i < possible.size(); i++) {
                if (Math.abs(possible.getLong(i) - place) <= distance) {
                    return true;
                }
            }
            return false;
        }
    }

    /** A value of a key that is asked for. */
    private static final class Value {
        final LongArrayList possible = new LongArrayList();
        final LongArrayList others = new LongArrayList();
        /** The places of the transactions that count and whose last write of the key has this value; ascending. */
        final LongArrayList begins = new LongArrayList();
        /** The same places, and those of the transactions that overwrote the value. */
        final LongArrayList changes = new LongArrayList();

        /**
         * @param lastWrite the place of the last write before the read at a place
         * @param isInitial whether the key has the value before the first transaction
         */
        Sources sources(long place, long lastWrite, boolean isInitial) {
            long from = place;
            long to = place;
            long least = Long.MAX_VALUE;
            int after = before(changes, place);
            for (int i = Math.max(0, after - 1); i <= after && i < changes.size(); i++) {
                if (Math.abs(changes.getLong(i) - place) < least) {
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
            return new Sources(isInitial, possible, others, from, to, lastWrite);
        }

        /** How many places are less. */
        private static int before(LongArrayList places, long place) {
            int at = Arrays.binarySearch(places.elements(), 0, places.size(), place);
            return at < 0 ? -at - 1 : at;
        }
    }

    @Override
    public Sources[] run(Budget budget) throws IOException {
        SliceRows rows = slice.rows();
        Search search = new Search(rows);
        while (rows.next()) {
            // Keys that are asked for have the first ids.
            if (rows.key() >= search.lastWrite.length) {
                continue;
            }
            if (rows.isWrite()) {
                search.write(rows);
            } else if (rows.isRead()) {
                search.read(rows);
            }
        }
        return search.result();
    }

    /** What is known of the values and keys that are asked for, after some operations in the order of places. */
    private final class Search {
        private final KeyValues asked = new KeyValues();
        private final List<Value> values = new ArrayList<>();
        /** By read: the number of its value. */
        private final int[] valueOf = new int[reads.size()];
        /** By place of a reader: its first read; and by read the next one there. */
        private final Long2IntOpenHashMap firstRead = new Long2IntOpenHashMap();

        private final int[] nextRead = new int[reads.size()];
        /** By read: the place of the last write before it. */
        private final long[] writtenBefore = new long[reads.size()];
        /** By key: the place of its last write that counts. */
        private final long[] lastWrite;
        /** By key: the number of the value that it has. */
        private final int[] current;
        /** By key: the place of its last writer, whether it counts or not; and the number of the value that this wrote. */
        private final long[] lastWriter;

        private final int[] lastWritten;
        private final SliceRows rows;

        Search(SliceRows rows) {
            firstRead.defaultReturnValue(NONE);
            for (int i = 0; i < valueOf.length; i++) {
                BlockReader item = new BlockReader(reads.get(i).item());
                valueOf[i] = asked.add(item.key(rows.keys()), item.value(rows.values()));
                if (valueOf[i] == values.size()) {
                    values.add(new Value());
                }
                nextRead[i] = firstRead.put(reads.get(i).place(), i);
            }
            int keys = rows.keys().size();
            lastWrite = new long[keys];
            current = new int[keys];
            lastWriter = new long[keys];
            lastWritten = new int[keys];
            Arrays.fill(writtenBefore, NONE);
            Arrays.fill(lastWrite, NONE);
            Arrays.fill(lastWriter, NONE);
            Arrays.fill(lastWritten, NONE);
            this.rows = rows;
            Arrays.setAll(current, key -> asked.find(key, rows.initial(key)));
        }

        void read(SliceRows rows) {
            for (int i = firstRead.get(rows.place()); i >= 0; i = nextRead[i]) {
                if (valueOf[i] == asked.find(rows.key(), rows.code())) {
                    writtenBefore[i] = lastWrite[rows.key()];
                }
            }
        }

        void write(SliceRows rows) {
            int key = rows.key();
            long place = rows.place();
            if (lastWritten[key] >= 0 && lastWriter[key] == place) {
                Value replaced = values.get(lastWritten[key]);
                if (replaced.possible.rem(place)) {
                    add(replaced.others, place);
                }
            }
            int number = asked.find(key, rows.code());
            lastWriter[key] = place;
            lastWritten[key] = number;
            if (number >= 0) {
                Value value = values.get(number);
                add(rows.state() == SliceRows.INACTIVE ? value.others : value.possible, place);
            }
            if (rows.state() != SliceRows.COUNTED) {
                return;
            }
            lastWrite[key] = place;
            if (current[key] != number) {
                if (current[key] >= 0) {
                    values.get(current[key]).changes.add(place);
                }
                if (number >= 0) {
                    values.get(number).changes.add(place);
                    values.get(number).begins.add(place);
                }
                current[key] = number;
            }
        }

        Sources[] result() {
            Sources[] all = new Sources[valueOf.length];
            for (int i = 0; i < all.length; i++) {
                Value value = values.get(valueOf[i]);
                boolean isKnown = !value.possible.isEmpty() || !value.others.isEmpty() || !value.changes.isEmpty();
                all[i] = value.sources(
                        reads.get(i).place(),
                        isKnown ? writtenBefore[i] : NONE,
                        asked.value(valueOf[i]) == rows.initial(asked.key(valueOf[i])));
            }
            return all;
        }
    }

    private static void add(LongArrayList places, long place) {
        if (places.size() < MOST && !places.contains(place)) {
            places.add(place);
        }
    }
}
