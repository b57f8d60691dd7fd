package org.polygraph.storage.format.binary;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.polygraph.storage.format.io.HistoryExport;
import org.polygraph.storage.format.io.PlainOperations;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/** Writes the bincode of dbcop, see {@link DbcopReader}. Times and the numbers of sessions are not written. */
public final class DbcopWriter implements HistoryExport {
    /** dbcop parses the times of a history. */
    private static final String TIME = "1970-01-01T00:00:00.000000000+00:00";

    private final HistoryTable table;

    public DbcopWriter(HistoryTable table) {
        this.table = table;
    }

    @Override
    public void write(OutputStream stream) throws IOException {
        PlainOperations plain = new PlainOperations(table, "dbcop");
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(stream, 1 << 16));
        int[] starts = table.sessionStarts();
        int transactions = 0;
        int events = 0;
        for (int s = 0; s < table.sessions(); s++) {
            transactions = Math.max(transactions, starts[s + 1] - starts[s]);
        }
        for (int t = 0; t < table.transactions(); t++) {
            events = Math.max(events, table.operationsEnd(t) - table.firstOperation(t));
        }
        for (long field : new long[] {0, table.sessions(), table.keys().size(), transactions, events}) {
            number(out, field);
        }
        for (String field : new String[] {"", TIME, TIME}) {
            number(out, field.length());
            out.write(field.getBytes(StandardCharsets.US_ASCII));
        }
        number(out, table.sessions());
        for (int s = 0; s < table.sessions(); s++) {
            number(out, starts[s + 1] - starts[s]);
            for (int t = starts[s]; t < starts[s + 1]; t++) {
                plain.refuse(TransactionStatus.INDETERMINATE, t);
                number(out, table.operationsEnd(t) - table.firstOperation(t));
                for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                    out.writeBoolean(table.isWrite(o));
                    number(out, plain.key(t, o));
                    number(out, plain.valueFromZero(t, o));
                    out.writeBoolean(true);
                }
                out.writeBoolean(table.status(t) == TransactionStatus.COMMITTED);
            }
        }
        out.flush();
    }

    private static void number(DataOutputStream out, long number) throws IOException {
        out.writeLong(Long.reverseBytes(number));
    }
}
