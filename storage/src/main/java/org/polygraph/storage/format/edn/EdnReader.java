package org.polygraph.storage.format.edn;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.polygraph.storage.format.edn.CallTokens.Token;
import org.polygraph.storage.format.jsonl.Json;
import org.polygraph.storage.format.jsonl.JsonlReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * Reads histories that Jepsen wrote. Each operation is a map; the maps follow one another or are elements of a vector,
 * and may have a tag. A process writes an invocation and later its completion. Each process becomes a session. {@code
 * :ok} is committed and {@code :fail} aborted. {@code :info}, or an invocation without a completion, is indeterminate:
 * only its writes, and its reads that have a value, are known. {@code :time} is in ns: a transaction lasts from its
 * invocation to its completion; if the outcome is unknown, it has no end.
 *
 * <p>{@code :txn} has {@code [:r key value]}, {@code [:w key value]}, {@code [:append key element]}, and for rows
 * {@code [:insert key value]}, {@code [:delete key]} and {@code [:rp predicate {key value}]}; so has any other operation
 * whose value begins with one of these. {@code :init} has the rows before the first transaction. {@code :read}, {@code
 * :write} and {@code :cas} access a single register in all operations, or one of several registers by {@code [key
 * value]} in all operations; {@code :add} and {@code :read} do the same with sets. If no operation has a process, each
 * is a session of its own, and a completion directly follows its invocation. Processes that are not numbers (such as the
 * nemesis) are skipped. Keywords are strings that begin with a colon.
 */
public final class EdnReader {
    private EdnReader() {}

    /** Reads a history in EDN. */
    public static void read(String file, InputStream stream, HistoryTableBuilder builder)
            throws IOException, HistoryException {
        read(new EdnTokens(file, stream), builder);
    }

    /** Reads a history in JSON: the same maps, with strings in place of keywords. */
    public static void readJson(String file, InputStream stream, HistoryTableBuilder builder)
            throws IOException, HistoryException {
        BufferedInputStream in = new BufferedInputStream(stream, 1 << 16);
        JsonlReader.skipMark(file, in);
        Json.read(new Json.Place(file, 0, null, JsonTokens.REMEDY), in, json -> {
            read(new JsonTokens(file, json), builder);
            return builder;
        });
    }

    private static void read(CallTokens in, HistoryTableBuilder builder) throws IOException, HistoryException {
        EdnCall call = new EdnCall(in, builder);
        EdnClients clients = new EdnClients(builder, call.workload());
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
        call.workload().end();
    }
}
