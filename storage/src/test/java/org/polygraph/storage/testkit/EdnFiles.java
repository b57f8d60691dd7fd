package org.polygraph.storage.testkit;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Writes histories of integers as Jepsen does: a map in each line, with interleaved invocations and completions of all
 * sessions.
 */
public final class EdnFiles {
    private EdnFiles() {}

    /**
     * Writes a history.
     *
     * @param isOfLists whether to write appends and reads of lists of one element in place of writes and reads
     */
    public static void write(HistoryTable table, boolean isOfLists, Path file) throws IOException {
        Random random = new Random(1);
        int[] next = table.sessionStarts().clone();
        boolean[] isOpen = new boolean[table.sessions()];
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            for (int index = 0; index < 2 * table.transactions(); ) {
                int s = random.nextInt(table.sessions());
                int t = next[s];
                if (t == table.transactionsEnd(s)) {
                    continue;
                }
                String type = !isOpen[s]
                        ? ":invoke"
                        : table.status(t) == TransactionStatus.COMMITTED
                                ? ":ok"
                                : table.status(t) == TransactionStatus.ABORTED ? ":fail" : ":info";
                out.write("{:index " + index++ + ", :type " + type + ", :process " + s + ", :f :txn, :value ["
                        + value(table, t, type, isOfLists) + "]}\n");
                next[s] += isOpen[s] ? 1 : 0;
                isOpen[s] ^= true;
            }
        }
    }

    private static String value(HistoryTable table, int t, String type, boolean isOfLists) {
        StringBuilder text = new StringBuilder();
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            boolean isWrite = table.isWrite(o);
            String value = table.values().label(table.value(o)).replace("null", "nil");
            boolean isNil = !isWrite && (value.equals("nil") || !type.equals(":ok"));
            text.append(isWrite ? isOfLists ? "[:append " : "[:w " : "[:r ")
                    .append(table.keys().label(table.key(o)))
                    .append(' ')
                    .append(isNil ? "nil" : isOfLists && !isWrite ? "[" + value + "]" : value)
                    .append("] ");
        }
        return text.toString();
    }
}
