package org.polygraph.jobs.application;

import it.unimi.dsi.fastutil.HashCommon;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongArrays;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongSet;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.format.parquet.NumberTable;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * The writes of all transactions of a part, committed or not: a hash of each key with its value. A value whose hash is
 * missing is certainly not written to the key in the part, so the part need not be opened to look for it. The file
 * takes about 3 bytes a write.
 *
 * @param input SHA-256 of the part
 * @param hashes ascending
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Writes(String input, long[] hashes) {
    private static final String FILE = "writes.parquet";
    private static final String NAME = "writes";
    private static final List<String> COLUMNS = List.of("hash");
    /** The bits of a hash that are left out. With a million writes, one look-up in a million has a wrong hit. */
    private static final int LEFT_OUT = 24;

    private static final long NULL = 0x9e3779b97f4a7c15L;

    /**
     * Returns the hashes of the writes in one file or folder of a history; null if it is not
     * {@linkplain HistoryTable#isPlain plain}.
     */
    static long @Nullable [] of(HistoryTable table, String path) {
        if (!table.isPlain()) {
            return null;
        }
        LongArrayList hashes = new LongArrayList();
        boolean[] isOf = OpenReads.filesOf(table, path);
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); isOf[table.fileOf(t)] && o < table.operationsEnd(t); o++) {
                if (table.isWrite(o)) {
                    hashes.add(hash(table, table.key(o), table.value(o)));
                }
            }
        }
        long[] sorted = hashes.toLongArray();
        LongArrays.radixSort(sorted);
        return sorted;
    }

    /**
     * Returns the reads of transactions that did not abort that return a value which no transaction of the history
     * wrote, and which is not the initial one of the key. A wrong hit of a hash hides such a read.
     */
    static IntList unwritten(HistoryTable table) {
        LongSet written = new LongOpenHashSet();
        for (int o = 0; o < table.operations(); o++) {
            if (table.isWrite(o)) {
                written.add(hash(table, table.key(o), table.value(o)));
            }
        }
        IntList unwritten = new IntArrayList();
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t);
                    table.status(t) != TransactionStatus.ABORTED && o < table.operationsEnd(t);
                    o++) {
                long value = table.value(o);
                if (!table.isWrite(o)
                        && value != table.initialValue(table.key(o))
                        && (table.values().isOther(value) || !written.contains(hash(table, table.key(o), value)))) {
                    unwritten.add(o);
                }
            }
        }
        return unwritten;
    }

    /** The hash of a value of a key, which is the same in every history. */
    static long hash(HistoryTable table, int key, long value) {
        return hash(table.keys(), table.values(), key, value);
    }

    static long hash(KeyDictionary keys, ValueDictionary values, int key, long value) {
        long first = keys.isString(key) ? hash(keys.string(key)) : HashCommon.mix(keys.integer(key));
        long second = values.isNull(value)
                ? NULL
                : values.isInteger(value) ? HashCommon.mix(values.integer(value)) : hash(values.text(value));
        return HashCommon.murmurHash3(first * 31 + second) >>> LEFT_OUT;
    }

    private static long hash(String text) {
        long hash = NULL;
        for (int i = 0; i < text.length(); i++) {
            hash = HashCommon.mix(hash + text.charAt(i));
        }
        return hash;
    }

    /** Returns the hashes among some whose values the part may write. */
    LongSet of(LongSet some) {
        LongSet found = new LongOpenHashSet();
        some.forEach(hash -> {
            if (Arrays.binarySearch(hashes, hash) >= 0) {
                found.add(hash);
            }
        });
        return found;
    }

    /** Writes the file of a run. */
    void write(Location run) throws IOException {
        int[] next = {0};
        Seam.file(run, FILE)
                .write(out -> NumberTable.write(out, NAME, input, COLUMNS, row -> {
                    if (next[0] == hashes.length) {
                        return false;
                    }
                    row[0] = hashes[next[0]++];
                    return true;
                }));
    }

    /** Reads the file of a run; null if it has none. */
    static @Nullable Writes read(Location run, BooleanSupplier stop) throws IOException, HistoryException {
        Location file = Seam.file(run, FILE);
        if (!file.exists()) {
            return null;
        }
        Rows rows = new Rows(file.name());
        NumberTable.read(file, NAME, stop, rows);
        if (rows.hashes.size() != rows.count) {
            throw SessionEnds.damaged(file.name());
        }
        return new Writes(rows.input, rows.hashes.toLongArray());
    }

    private static final class Rows implements NumberTable.Sink {
        private final String file;
        private final LongArrayList hashes = new LongArrayList();
        private String input = "";
        private long count;

        Rows(String file) {
            this.file = file;
        }

        @Override
        public void header(String text, List<String> columns, long rows) {
            input = text;
            count = rows;
        }

        @Override
        public void row(long[] row) throws HistoryException {
            if (!hashes.isEmpty() && row[0] < hashes.getLong(hashes.size() - 1)) {
                throw SessionEnds.damaged(file);
            }
            hashes.add(row[0]);
        }
    }
}
