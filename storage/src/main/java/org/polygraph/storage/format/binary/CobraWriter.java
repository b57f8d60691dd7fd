package org.polygraph.storage.format.binary;

import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.AtomicFile;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.io.PlainOperations;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Writes a folder of Cobra logs, see {@link CobraReader}. If each value of a key is written once, and all values that
 * were read are written, reads name their writers; otherwise values identify versions. Times are not written.
 */
public final class CobraWriter {
    private final HistoryTable table;
    private final PlainOperations plain;
    /** By key and value: the number of the write, from 1; null if values do not identify writes. */
    private @Nullable Int2ObjectOpenHashMap<Long2IntOpenHashMap> writes;

    public CobraWriter(HistoryTable table) throws IOException {
        this.table = table;
        this.plain = new PlainOperations(table, "cobra");
        this.writes = writes();
    }

    /** Writes a log for each session into a folder. */
    public void write(Location folder) throws IOException {
        boolean isByLabel = table.sessions() == 0
                || (table.sessionLabel(0) >= 0
                        && table.sessionLabel(table.sessions() - 1) < 1_000_000_000_000_000_000L);
        for (int s = 0; s < table.sessions(); s++) {
            try (AtomicFile file = folder.child("T" + (isByLabel ? table.sessionLabel(s) : s) + ".log")
                    .create()) {
                DataOutputStream out = new DataOutputStream(new BufferedOutputStream(file.stream(), 1 << 16));
                for (int t = table.firstTransaction(s); t < table.transactionsEnd(s); t++) {
                    transaction(out, t);
                }
                out.flush();
                file.commit();
            }
        }
    }

    private void transaction(DataOutputStream out, int t) throws IOException {
        plain.refuse(TransactionStatus.ABORTED, t);
        record(out, 'S', t);
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            long key = plain.key(t, o);
            boolean isWrite = table.isWrite(o);
            if (plain.isInitial(o)) {
                if (isWrite) {
                    throw plain.refusal(t, "a write of the initial value", "writes of other values");
                }
                record(out, 'R', CobraReader.INITIAL, CobraReader.INITIAL, key, 0);
                continue;
            }
            int write = writes == null ? 0 : writes.get(table.key(o)).get(table.value(o));
            long id = write == 0 ? CobraReader.BY_VALUE : write;
            if (isWrite) {
                record(out, 'W', id, key, plain.value(t, o));
            } else {
                record(out, 'R', write == 0 ? id : transactionOf(write - 1), id, key, plain.value(t, o));
            }
        }
        if (table.status(t) == TransactionStatus.COMMITTED) {
            record(out, 'C', t);
        }
    }

    private static void record(DataOutputStream out, char tag, long... fields) throws IOException {
        out.writeByte(tag);
        for (long field : fields) {
            out.writeLong(field);
        }
    }

    private @Nullable Int2ObjectOpenHashMap<Long2IntOpenHashMap> writes() {
        Int2ObjectOpenHashMap<Long2IntOpenHashMap> all = new Int2ObjectOpenHashMap<>();
        for (int o = 0; o < table.operations(); o++) {
            if (table.isWrite(o)
                    && all.computeIfAbsent(table.key(o), unused -> new Long2IntOpenHashMap())
                                    .put(table.value(o), o + 1)
                            != 0) {
                return null;
            }
        }
        for (int o = 0; o < table.operations(); o++) {
            Long2IntOpenHashMap ofKey = all.get(table.key(o));
            if (!plain.isInitial(o) && (ofKey == null || ofKey.get(table.value(o)) == 0)) {
                return null;
            }
        }
        return all;
    }

    /** Returns the transaction of an operation. */
    private int transactionOf(int operation) {
        int at = Arrays.binarySearch(table.operationStarts(), operation);
        int t = at < 0 ? -at - 2 : at;
        while (table.operationsEnd(t) == operation) {
            t++;
        }
        return t;
    }
}
