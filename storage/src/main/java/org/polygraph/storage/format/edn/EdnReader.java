package org.polygraph.storage.format.edn;

import java.io.IOException;
import java.io.InputStream;
import org.polygraph.storage.format.edn.EdnTokens.Token;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * Reads histories that Jepsen wrote. Each operation is a map; the maps follow one another or are elements of a vector,
 * and may have a tag. A process writes an invocation and later its completion. Each process becomes a session. {@code
 * :ok} is committed and {@code :fail} aborted. {@code :info}, or an invocation without a completion, is indeterminate:
 * only its writes, and its reads that have a value, are known. {@code :time} is in ns: a transaction lasts from its
 * invocation to its completion; if the outcome is unknown, it has no end.
 *
 * <p>{@code :txn} has {@code [:r key value]}, {@code [:w key value]} and {@code [:append key element]}. {@code :read},
 * {@code :write} and {@code :cas} access a single register, or one of several registers by {@code [key value]}.
 * Processes that are not numbers (such as the nemesis) are skipped. Keywords are strings that begin with a colon.
 */
public final class EdnReader {
    private EdnReader() {}

    /** Reads a history. */
    public static void read(String file, InputStream stream, HistoryTableBuilder builder)
            throws IOException, HistoryException {
        EdnTokens in = new EdnTokens(file, stream);
        EdnCall call = new EdnCall(in, builder);
        EdnClients clients = new EdnClients(builder);
        boolean isWithin = false;
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
