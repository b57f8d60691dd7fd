package org.polygraph.storage.format.edn;

import java.io.IOException;
import java.io.InputStream;
import org.polygraph.storage.format.edn.EdnTokens.Token;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * Histories as Jepsen writes them: an operation a map, one after another or in a vector, with or without a tag; an invocation and later
 * its completion, by the same process. A process is a session. {@code :ok} is committed, {@code :fail} aborted, {@code :info} and an
 * invocation without a completion indeterminate; of these only the writes are known, and the reads that have a value. {@code :time} is
 * in ns: a transaction lasts from its invocation to its completion; one of unknown outcome has no end.
 *
 * <p>{@code :txn} has {@code [:r key value]}, {@code [:w key value]} and {@code [:append key element]}; {@code :read}, {@code :write} and {@code :cas}
 * are of one register, or with {@code [key value]} of many. Processes that are no numbers (the nemesis) are passed over. Keywords are
 * strings that begin with a colon.
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
