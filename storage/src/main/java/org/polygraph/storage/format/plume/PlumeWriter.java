package org.polygraph.storage.format.plume;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.polygraph.storage.format.io.HistoryExport;
import org.polygraph.storage.format.io.PlainOperations;
import org.polygraph.storage.format.io.UnwritableException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Writes Plume text. Not written are times and transactions without operations. Aborted transactions of a session that
 * follow one another become one.
 */
public final class PlumeWriter implements HistoryExport {
    private final HistoryTable table;

    public PlumeWriter(HistoryTable table) {
        this.table = table;
    }

    @Override
    public void write(OutputStream stream) throws IOException {
        PlainOperations plain = new PlainOperations(table, "plume");
        if (table.operations() == 0) {
            throw UnwritableException.empty(table);
        }
        BufferedOutputStream out = new BufferedOutputStream(stream, 1 << 16);
        for (int t = 0; t < table.transactions(); t++) {
            plain.refuse(TransactionStatus.INDETERMINATE, t);
            String end = "," + table.sessionLabel(table.sessionOf(t)) + ","
                    + (table.status(t) == TransactionStatus.ABORTED ? -1 : t) + ")\n";
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                String line =
                        (table.isWrite(o) ? "w(" : "r(") + plain.key(t, o) + "," + plain.valueFromZero(t, o) + end;
                out.write(line.getBytes(StandardCharsets.US_ASCII));
            }
        }
        out.flush();
    }
}
