package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.polygraph.jobs.decision.Budget;

/**
 * Finds the writers of values that some reads returned, in a slice. Result: for each read whose value was written in this slice its number, then the
 * places of its possible writers, and those of transactions that wrote the value and replaced it, or never count.
 *
 * @param reads with the places of the readers
 */
record SourceTask(SliceRows.Slice slice, ArrayList<CheckTask.Read> reads) implements Task {
    private static final long serialVersionUID = 1L;

    /** Writers of a value that are named. */
    private static final int MOST = 256;

    SourceTask(SliceRows.Slice slice, List<CheckTask.Read> reads) {
        this(slice, new ArrayList<>(reads));
    }

    /**
     * The writers of what a read returned.
     *
     * @param possible places of transactions that may have written it
     * @param others places of transactions that wrote it, but cannot have been read from
     */
    record Sources(LongArrayList possible, LongArrayList others) {
        Sources() {
            this(new LongArrayList(), new LongArrayList());
        }

        /** By read. */
        static List<Sources> of(byte[] result, int reads) {
            List<Sources> all = new ArrayList<>();
            for (int i = 0; i < reads; i++) {
                all.add(new Sources());
            }
            for (BlockReader in = new BlockReader(result); in.hasMore(); ) {
                Sources sources = all.get(in.count());
                for (int count = in.count(); count > 0; count--) {
                    sources.possible.add(in.unsigned());
                }
                for (int count = in.count(); count > 0; count--) {
                    sources.others.add(in.unsigned());
                }
            }
            return all;
        }
    }

    @Override
    public byte[] run(Budget budget) throws IOException {
        SliceRows rows = slice.rows();
        KeyValues asked = new KeyValues();
        int[] pairs = new int[reads.size()];
        List<Sources> found = new ArrayList<>();
        for (int i = 0; i < pairs.length; i++) {
            BlockReader item = new BlockReader(reads.get(i).item());
            pairs[i] = asked.add(item.key(rows.keys()), item.value(rows.values()));
            if (pairs[i] == found.size()) {
                found.add(new Sources());
            }
        }
        // By key: the place of its last writer; the number of what that wrote, if it is asked for, plus one.
        LongArrayList places = new LongArrayList();
        IntArrayList last = new IntArrayList();
        int keys = rows.keys().size();
        places.addAll(LongArrayList.wrap(new long[keys]));
        last.addAll(IntArrayList.wrap(new int[keys]));
        while (rows.next()) {
            int key = rows.key();
            // Keys that are asked for have the first ids.
            if (!rows.isWrite() || key >= keys) {
                continue;
            }
            int before = last.getInt(key) - 1;
            if (before >= 0 && places.getLong(key) == rows.place()) {
                Sources sources = found.get(before);
                if (sources.possible.rem(rows.place())) {
                    add(sources.others, rows.place());
                }
            }
            int pair = asked.find(key, rows.code());
            places.set(key, rows.place());
            last.set(key, pair + 1);
            if (pair >= 0) {
                Sources sources = found.get(pair);
                add(rows.state() == SliceRows.INACTIVE ? sources.others : sources.possible, rows.place());
            }
        }
        BlockWriter out = new BlockWriter();
        for (int i = 0; i < pairs.length; i++) {
            Sources sources = found.get(pairs[i]);
            if (!sources.possible.isEmpty() || !sources.others.isEmpty()) {
                out.unsigned(i);
                write(out, sources.possible);
                write(out, sources.others);
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
