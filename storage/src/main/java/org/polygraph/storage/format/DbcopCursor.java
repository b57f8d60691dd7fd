package org.polygraph.storage.format;

import java.io.IOException;
import java.io.Serializable;
import org.polygraph.storage.model.HistoryException;

/**
 * Goes through the bincode of dbcop, see {@link DbcopReader}, from transaction to transaction. Nothing is allocated by a length:
 * one that lies meets the end of the file, or is refused where the file's size is known.
 */
final class DbcopCursor {
    static final String REMEDY = "the file is damaged or another format: give the right one with -f";

    private static final int BYTES_PER_EVENT = 18;
    private static final int MIN_BYTES_PER_TRANSACTION = 9;
    private static final int MIN_BYTES_PER_SESSION = 8;

    private final ByteInput in;
    private final long sessions;
    private long session;
    private long transactions;
    private long index;

    /**
     * Where a transaction begins.
     *
     * @param at its first byte
     * @param session number of its session
     * @param sessions of the file
     * @param index of it in its session
     * @param transactions of its session
     */
    record Place(long at, long session, long sessions, long index, long transactions) implements Serializable {
        private static final long serialVersionUID = 1L;
    }

    /** At the beginning of a file. Reads its header. */
    DbcopCursor(ByteInput in) throws IOException, HistoryException {
        this.in = in;
        for (String field : new String[] {"id", "n_node", "n_variable", "n_transaction", "n_event"}) {
            in.littleEndian("the header field " + field + " (8 bytes)");
        }
        for (String field : new String[] {"info", "start time", "end time"}) {
            in.skip(length("bytes of the header string \"" + field + "\"", 1), "the header string \"" + field + "\"");
        }
        sessions = length("sessions", MIN_BYTES_PER_SESSION);
        session = -1;
        index = -1;
    }

    /** At a place, from which its input reads on. */
    DbcopCursor(ByteInput in, Place place) {
        this.in = in;
        sessions = place.sessions;
        session = place.session;
        transactions = place.transactions;
        index = place.index - 1;
    }

    /** Goes to the next transaction, of which nothing has been read then; false if there is none. */
    boolean next() throws IOException, HistoryException {
        index++;
        while (index >= transactions) {
            if (session + 1 >= sessions) {
                return false;
            }
            session++;
            transactions = length("transactions of session " + session, MIN_BYTES_PER_TRANSACTION);
            index = 0;
        }
        return true;
    }

    /** Of the transaction. */
    Place place() {
        return new Place(in.offset(), session, sessions, index, transactions);
    }

    /** The number of the transaction's session. */
    long session() {
        return session;
    }

    /** The transaction's index in its session. */
    long index() {
        return index;
    }

    /** Reads how many events the transaction has; they come next. */
    long events() throws IOException, HistoryException {
        return length("events", BYTES_PER_EVENT);
    }

    /** Passes over the transaction, where the size of the input is known. */
    void skip() throws IOException, HistoryException {
        in.skip(events() * BYTES_PER_EVENT, "events");
        in.unsignedByte("the flag a transaction's success (1 byte)");
    }

    /** Demands that nothing comes behind the last session. */
    void end() throws IOException, HistoryException {
        long end = in.offset();
        if (in.read() >= 0) {
            throw new HistoryException(in.at(end), "bytes after the last session", "the end of the file", REMEDY);
        }
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
}
