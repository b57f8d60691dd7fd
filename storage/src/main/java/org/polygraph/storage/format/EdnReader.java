package org.polygraph.storage.format;

import java.io.IOException;
import java.io.InputStream;
import org.polygraph.storage.format.EdnTokens.Token;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryRows;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * Histories as Jepsen writes them: an operation a map, one after another or in a vector, with or without a tag; an invocation and later
 * its completion, by the same process. A process is a session. {@code :ok} is committed, {@code :fail} aborted, {@code :info} and what
 * never completed indeterminate; of these only what they wrote is known, and reads that say what they found. {@code :time} is in
 * ns: a transaction lasts from its invocation to its completion; one of unknown outcome has no end.
 *
 * <p>{@code :txn} has {@code [:r key value]}, {@code [:w key value]} and {@code [:append key element]}; {@code :read}, {@code :write} and {@code :cas}
 * are of one register, or with {@code [key value]} of many. Processes that are no numbers (the nemesis) are passed over. Keywords are
 * strings that begin with a colon.
 */
final class EdnReader {
    private final EdnTokens in;
    private final EdnCall call;

    private EdnReader(HistoryTableBuilder builder, EdnTokens in) {
        this.in = in;
        call = new EdnCall(in, builder);
    }

    /** Reads a history. */
    static void read(String file, InputStream stream, HistoryTableBuilder builder)
            throws IOException, HistoryException {
        EdnReader reader = new EdnReader(builder, new EdnTokens(file, stream, true));
        reader.read(new EdnClients(builder, false), true);
    }

    /**
     * Reads lines of a history of maps one after another. As each piece ends between two of these, the next one begins there.
     *
     * @param stream begins with a line and ends with one
     * @param isFirst whether that is the first of the file
     */
    static HistoryRows piece(String file, InputStream stream, HistoryTableBuilder builder, boolean isFirst)
            throws IOException, HistoryException {
        EdnReader reader = new EdnReader(builder, new EdnTokens(file, stream, isFirst));
        EdnClients clients = new EdnClients(builder, true);
        reader.read(clients, false);
        return builder.rows(reader.in.linesSoFar(), clients.calls());
    }

    /** @param mayBeWithin whether the maps may be in a vector */
    private void read(EdnClients clients, boolean mayBeWithin) throws IOException, HistoryException {
        boolean isWithin = !mayBeWithin;
        for (Token token; (token = in.nextValue()) != Token.END; ) {
            if (token == Token.MAP) {
                if (call.read()) {
                    clients.take(call);
                } else {
                    clients.passOver();
                }
            } else if (token == Token.CLOSE) {
                isWithin = false;
            } else if (token.isSequence() && !isWithin) {
                isWithin = true;
            } else {
                throw in.error(in.describe(), "an operation, a map");
            }
        }
        clients.end();
    }
}
