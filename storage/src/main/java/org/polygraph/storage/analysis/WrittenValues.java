package org.polygraph.storage.analysis;

import java.util.Arrays;
import java.util.BitSet;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/** The values that transactions which did not abort write to each key, sorted. Memory: 8 bytes a write and 4 a key. */
final class WrittenValues {
    private final HistoryTable table;
    /** Key k has the values [starts[k], starts[k + 1]). */
    private final int[] starts;

    private final long[] values;
    /** By key: whether any transaction writes it, also an aborted one. */
    private final BitSet written;

    private WrittenValues(HistoryTable table, int[] starts, long[] values, BitSet written) {
        this.table = table;
        this.starts = starts;
        this.values = values;
        this.written = written;
    }

    static WrittenValues of(HistoryTable table) {
        int keys = table.keys().size();
        int[] starts = new int[keys + 2];
        BitSet written = new BitSet(keys);
        for (int t = 0; t < table.transactions(); t++) {
            int counted = table.status(t) == TransactionStatus.ABORTED ? 0 : 1;
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (table.isWrite(o)) {
                    int key = table.key(o);
                    starts[key + 2] += table.isDelete(o) ? 0 : counted;
                    written.set(key);
                }
            }
        }
        for (int k = 2; k < starts.length; k++) {
            starts[k] += starts[k - 1];
        }
        // While values are placed, starts[k + 1] moves from the start to the end of key k.
        long[] values = new long[starts[keys + 1]];
        for (int t = 0; t < table.transactions(); t++) {
            if (table.status(t) != TransactionStatus.ABORTED) {
                for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                    if (table.isWrite(o) && !table.isDelete(o)) {
                        values[starts[table.key(o) + 1]++] = table.value(o);
                    }
                }
            }
        }
        for (int k = 0; k < keys; k++) {
            Arrays.sort(values, starts[k], starts[k + 1]);
        }
        return new WrittenValues(table, starts, values, written);
    }

    /** Whether a read of the key may return the value: it is written or the initial one. */
    boolean mayReturn(int key, long value) {
        return value == table.initialValue(key)
                || Arrays.binarySearch(values, starts[key], starts[key + 1], value) >= 0;
    }

    boolean isWritten(int key) {
        return written.get(key);
    }

    int writtenKeys() {
        return written.cardinality();
    }

    /** The number of writes of a value that their key also has from an earlier write or initially. */
    int repeats() {
        int repeats = 0;
        for (int k = 0; k < starts.length - 2; k++) {
            for (int i = starts[k]; i < starts[k + 1]; i++) {
                repeats += (i > starts[k] && values[i] == values[i - 1]) || values[i] == table.initialValue(k) ? 1 : 0;
            }
        }
        return repeats;
    }

    /** Whether the value is written to the key more than once, or once if it is the initial value. */
    boolean isRepeated(int key, long value) {
        int at = Arrays.binarySearch(values, starts[key], starts[key + 1], value);
        return at >= 0
                && (value == table.initialValue(key)
                        || (at > starts[key] && values[at - 1] == value)
                        || (at + 1 < starts[key + 1] && values[at + 1] == value));
    }
}
