package org.polygraph.jobs.windows;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;

/**
 * Finds the violated reads and writes of a slice. Result: {@link Result}.
 *
 * @param firsts by cell: its first place; and the place behind the last
 * @param asksUnique whether to find out if a value was written twice
 * @param mostNamed violated operations that the result names
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record CheckTask(SliceRows.Slice slice, long[] firsts, boolean asksUnique, int mostNamed)
        implements Task<CheckTask.Result> {
    /** A read by its transaction, key and value. The key and the value are a block. */
    record Read(long place, byte[] item) implements Serializable {
        static Read of(SliceRows rows) {
            return of(rows.place(), rows.keys(), rows.key(), rows.values(), rows.code());
        }

        static Read of(long place, KeyDictionary keys, int key, ValueDictionary values, long code) {
            return new Read(
                    place, new BlockWriter().key(keys, key).value(values, code).toBytes());
        }
    }

    /**
     * What is found in a slice.
     *
     * @param isUnique whether no value of a key was written by two counted transactions, nor the initial value by one; true if not asked
     * @param cells with violated reads and writes
     * @param counts for each of these cells: how many
     * @param named some violated reads
     * @param overlaps of some violated writes the places from the snapshot to the commit of their transaction
     * @param inconsistent some reads of counted transactions that do not agree with what their own transaction read or wrote before
     */
    record Result(
            long keys,
            boolean isUnique,
            int[] cells,
            long[] counts,
            ArrayList<Read> named,
            ArrayList<WindowStore.Range> overlaps,
            ArrayList<Read> inconsistent)
            implements Serializable {
        /** By cell: the violated operations of all slices. */
        static long[] violated(List<Result> results, int cells) {
            long[] violated = new long[cells];
            for (Result result : results) {
                for (int i = 0; i < result.cells.length; i++) {
                    violated[result.cells[i]] += result.counts[i];
                }
            }
            return violated;
        }

        /** How many of the violated operations are named. */
        int namedCount() {
            return named.size() + overlaps.size();
        }
    }

    @Override
    public Result run(Budget budget) throws IOException {
        SliceRows rows = slice.rows();
        KeyStates states = new KeyStates(rows);
        Unique unique = new Unique(rows);
        long[] violated = new long[firsts.length - 1];
        ArrayList<Read> named = new ArrayList<>();
        ArrayList<WindowStore.Range> overlaps = new ArrayList<>();
        ArrayList<Read> inconsistent = new ArrayList<>();
        Intents intents = new Intents();
        int cell = 0;
        while (rows.next()) {
            if (rows.state() == SliceRows.INACTIVE) {
                continue;
            }
            if (rows.isIntent()) {
                if (rows.state() == SliceRows.COUNTED) {
                    intents.add(rows);
                }
                continue;
            }
            states.add();
            if (rows.state() != SliceRows.COUNTED) {
                continue;
            }
            boolean isOverlapping = rows.isIntended() && intents.isOverlapping(rows);
            if (asksUnique && rows.isWrite()) {
                unique.add(rows.key(), rows.place(), rows.code());
            }
            if (isOverlapping || states.isViolated()) {
                while (rows.place() >= firsts[cell + 1]) {
                    cell++;
                }
                violated[cell]++;
                if (named.size() + overlaps.size() == mostNamed) {
                    continue;
                }
                if (isOverlapping) {
                    overlaps.add(new WindowStore.Range(intents.snapshot(), rows.place() + 1));
                } else {
                    named.add(Read.of(rows));
                }
            } else if (states.isInconsistent() && inconsistent.size() < mostNamed) {
                inconsistent.add(Read.of(rows));
            }
        }
        int[] cells =
                IntStream.range(0, violated.length).filter(c -> violated[c] > 0).toArray();
        // Keys that only aborted transactions use are keys too.
        return new Result(
                rows.keys().size(),
                unique.isUnique(),
                cells,
                Arrays.stream(cells).mapToLong(c -> violated[c]).toArray(),
                named,
                overlaps,
                inconsistent);
    }

    /** Whether the last writes of transactions have different values. */
    private static final class Unique {
        private static final long NOWHERE = -1;

        private final SliceRows rows;
        private final KeyValues written = new KeyValues();
        /** By key: the place of its last writer, and the value; side by side, because they are used together. */
        private long[] last = new long[0];

        private int keys;
        private boolean isUnique = true;

        Unique(SliceRows rows) {
            this.rows = rows;
        }

        void add(int key, long place, long value) {
            if (2 * key + 1 >= last.length) {
                last = Arrays.copyOf(last, 4 * (key + 1));
            }
            for (; keys <= key; keys++) {
                last[2 * keys] = NOWHERE;
            }
            if (last[2 * key] != place) {
                end(key);
            }
            last[2 * key] = place;
            last[2 * key + 1] = value;
        }

        private void end(int key) {
            // Once a value repeats, nothing is left to find out.
            if (isUnique && last[2 * key] != NOWHERE) {
                int size = written.size();
                long value = last[2 * key + 1];
                isUnique = value != rows.initial(key) && written.add(key, value) == size;
            }
        }

        boolean isUnique() {
            for (int key = 0; key < keys; key++) {
                end(key);
            }
            return isUnique;
        }
    }
}
