package org.polygraph.storage.format.binary;

import java.io.IOException;
import org.polygraph.storage.format.io.ByteInput;
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
 * <p>A transaction without success is aborted; an event without success never happened. The initial value is 0. No
 * memory is allocated by a length: with a wrong one the end of the file is reached, or it is refused if the size of the
 * file is known.
 */
public final class DbcopReader {
    private static final String REMEDY = "the file is damaged or another format: give the right one with -f";

    private static final int BYTES_PER_EVENT = 18;
    private static final int MIN_BYTES_PER_TRANSACTION = 9;
    private static final int MIN_BYTES_PER_SESSION = 8;

    private final ByteInput in;
    private final HistoryTableBuilder builder;

    public DbcopReader(ByteInput in, HistoryTableBuilder builder) {
        this.in = in;
        this.builder = builder;
    }

    /** Reads a whole file. */
    public void read() throws IOException, HistoryException {
        builder.initialValue(builder.values().code(0));
        for (String field : new String[] {"id", "n_node", "n_variable", "n_transaction", "n_event"}) {
            in.littleEndian("the header field " + field + " (8 bytes)");
        }
        for (String field : new String[] {"info", "start time", "end time"}) {
            in.skip(length("bytes of the header string \"" + field + "\"", 1), "the header string \"" + field + "\"");
        }
        long sessions = length("sessions", MIN_BYTES_PER_SESSION);
        for (long session = 0; session < sessions; session++) {
            long transactions = length("transactions of session " + session, MIN_BYTES_PER_TRANSACTION);
            for (long index = 0; index < transactions; index++) {
                transaction(session, index);
            }
        }
        long end = in.offset();
        if (in.read() >= 0) {
            throw new HistoryException(in.at(end), "bytes after the last session", "the end of the file", REMEDY);
        }
    }

    private void transaction(long session, long index) throws IOException, HistoryException {
        builder.begin(session, index, TransactionStatus.COMMITTED, in.offset());
        long events = length("events", BYTES_PER_EVENT);
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
            builder.status(TransactionStatus.ABORTED);
        }
        builder.end();
    }

    private long length(String what, int minimumBytes) throws IOException, HistoryException {
        long at = in.offset();
        long length = in.littleEndian("the number of " + what + " (8 bytes)");
        long most = in.remaining() == Long.MAX_VALUE ? Long.MAX_VALUE : in.remaining() / minimumBytes;
        if (length < 0 || length > most) {
            throw new HistoryException(
                    in.at(at),
                    length + " as the number of " + what,
                    length < 0 ? "0 or more" : "at most " + most + ", what the rest of the file can hold",
                    REMEDY);
        }
        return length;
    }

    private boolean flag(String what) throws IOException, HistoryException {
        long at = in.offset();
        int b = in.unsignedByte("the flag " + what + " (1 byte)");
        if (b > 1) {
            throw new HistoryException(in.at(at), b + " as the flag " + what, "0 or 1", REMEDY);
        }
        return b == 1;
    }
}
