package org.polygraph.storage.testkit;

import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/** Writes histories of integers in the binary formats, which the program only reads. */
public final class BinaryFiles {
    private static final int COBRA_INITIAL = 0xBEBEEBEE;

    private BinaryFiles() {}

    /** Writes the bincode of dbcop. Its initial value is 0, and indeterminate transactions are written as aborted. */
    public static void dbcop(HistoryTable table, Path file) throws IOException {
        try (DataOutputStream out = open(file)) {
            for (long number : new long[] {0, table.sessions(), table.keys().size(), 0, 0, 0, 0, 0, table.sessions()}) {
                out.writeLong(Long.reverseBytes(number));
            }
            for (int t = 0, s = 0; s < table.sessions(); s++) {
                int end = table.transactionsEnd(s);
                out.writeLong(Long.reverseBytes(end - t));
                for (; t < end; t++) {
                    int from = table.firstOperation(t);
                    int to = table.operationsEnd(t);
                    out.writeLong(Long.reverseBytes(to - from));
                    for (int o = from; o < to; o++) {
                        out.writeByte(table.operationKeys()[o] & 1);
                        out.writeLong(Long.reverseBytes(key(table, o)));
                        out.writeLong(Long.reverseBytes(value(table, o)));
                        out.writeByte(1);
                    }
                    out.writeByte(table.status(t) == TransactionStatus.COMMITTED ? 1 : 0);
                }
            }
        }
    }

    /**
     * Logs {@code T<session>.log} of Cobra, with transactions numbered from 1, and each write's own number. Values are
     * unique.
     */
    public static void cobra(HistoryTable table, Path folder) throws IOException {
        Files.createDirectories(folder);
        Long2LongOpenHashMap writers = new Long2LongOpenHashMap();
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (table.isWrite(o)) {
                    writers.put(value(table, o), t + 1L);
                }
            }
        }
        for (int s = 0; s < table.sessions(); s++) {
            try (DataOutputStream out = open(folder.resolve("T" + table.sessionLabel(s) + ".log"))) {
                for (int t = table.firstTransaction(s); t < table.transactionsEnd(s); t++) {
                    transaction(table, t, writers, out);
                }
                out.writeByte(0xFF);
            }
        }
    }

    private static void transaction(HistoryTable table, int t, Long2LongOpenHashMap writers, DataOutputStream out)
            throws IOException {
        out.writeByte('S');
        out.writeLong(t + 1L);
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            long value = value(table, o);
            if (table.isWrite(o)) {
                out.writeByte('W');
                out.writeLong(value);
            } else {
                boolean isInitial = table.value(o) == table.initialValue();
                out.writeByte('R');
                out.writeLong(isInitial ? Integer.toUnsignedLong(COBRA_INITIAL) : writers.get(value));
                out.writeLong(value);
            }
            out.writeLong(key(table, o));
            out.writeLong(value);
        }
        if (table.status(t) == TransactionStatus.COMMITTED) {
            out.writeByte('C');
            out.writeLong(t + 1L);
        }
    }

    private static DataOutputStream open(Path file) throws IOException {
        return new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file), 1 << 16));
    }

    private static long key(HistoryTable table, int o) {
        return Long.parseLong(table.keys().label(table.key(o)));
    }

    private static long value(HistoryTable table, int o) {
        return table.values().integer(table.value(o));
    }
}
