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
 * <p>{@code :txn} has {@code [:r key value]}, {@code [:w key value]} and {@code [:append key element]}; so has any
 * other operation whose value begins with one of these. {@code :read}, {@code :write} and {@code :cas} access a single
 * register in all operations, or one of several registers by {@code [key value]} in all operations. If no operation has
 * a process, each is a session of its own, and a completion directly follows its invocation. Processes that are not numbers (such as the nemesis) are skipped. Keywords are strings that begin with a colon.
 */
public final class EdnReader {
    /** The metadata that is {@code true} if the operations have no process, so that each is a session of its own. */
    public static final String OWN_SESSIONS = "own_sessions";

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
