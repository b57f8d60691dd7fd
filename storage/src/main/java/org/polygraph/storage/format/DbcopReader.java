package org.polygraph.storage.format;

import java.io.IOException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * The bincode of dbcop: little-endian, lengths and numbers i64.
 *
 * <pre>
 * history     = id n_node n_variable n_transaction n_event    5 x i64, parameters of the generator, not counts
 *               string string string                          i64 length, bytes
 *               i64 sessions, session*
 * session     = i64 transactions, transaction*
 * transaction = i64 events, event*, u8 success
 * event       = u8 isWrite, i64 key, i64 value, u8 success
 * </pre>
 *
 * <p>A transaction without success is aborted; an event without success never happened. The initial value is 0.
 */
final class DbcopReader {
    private final ByteInput in;
    private final HistoryTableBuilder builder;

    DbcopReader(ByteInput in, HistoryTableBuilder builder) {
        this.in = in;
        this.builder = builder;
    }

    /** Reads a whole file. */
    void read() throws IOException, HistoryException {
        builder.initialValue(builder.values().code(0));
        DbcopCursor cursor = new DbcopCursor(in);
        while (cursor.next()) {
            transaction(cursor);
        }
        cursor.end();
    }

    /** Reads from a transaction, where the input is, to the byte behind another. */
    void read(DbcopCursor.Place from, long to) throws IOException, HistoryException {
        builder.initialValue(builder.values().code(0));
        DbcopCursor cursor = new DbcopCursor(in, from);
        while (in.offset() < to && cursor.next()) {
            transaction(cursor);
        }
        if (in.offset() != to) {
            throw new HistoryException(
                    in.at(in.offset()),
                    "the end of a transaction",
                    "one at byte " + to + ", as when the file was cut into pieces",
                    "the file has changed: read it when it is complete");
        }
    }

    private void transaction(DbcopCursor cursor) throws IOException, HistoryException {
        builder.begin(cursor.session(), cursor.index(), TransactionStatus.COMMITTED, in.offset());
        long events = cursor.events();
        for (long e = 0; e < events; e++) {
            boolean write = flag("is_write");
            long key = in.littleEndian("an event's key (8 bytes)");
            long value = in.littleEndian("an event's value (8 bytes)");
            if (flag("an event's success")) {
                int id = builder.keys().id(key);
                long code = builder.values().code(value);
                if (write) {
                    builder.write(id, code);
                } else {
                    builder.read(id, code);
                }
            }
        }
        if (!flag("a transaction's success")) {
            builder.outcome(TransactionStatus.ABORTED);
        }
        builder.end();
    }

    private boolean flag(String what) throws IOException, HistoryException {
        long at = in.offset();
        int b = in.unsignedByte("the flag " + what + " (1 byte)");
        if (b > 1) {
            throw new HistoryException(in.at(at), b + " as the flag " + what, "0 or 1", DbcopCursor.REMEDY);
        }
        return b == 1;
    }
}
