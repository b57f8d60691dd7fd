package org.polygraph.storage.format.plume;

import java.io.IOException;
import java.io.InputStream;
import org.polygraph.storage.format.io.Shown;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.Operations;
import org.polygraph.storage.table.SourceFiles;
import org.polygraph.storage.table.SourceFiles.Unit;

/**
 * Reads Plume text: each line is an operation, {@code r(key,value,session,txn)} or {@code w(...)}, all integers. File
 * order is session order; sessions may interleave line by line. A transaction is identified by (session, txn), so ids
 * may be global or per session; the lines of a transaction are consecutive within its session. A txn of -1 is aborted:
 * each maximal run of such lines in a session becomes one transaction. This changes no verdict, because aborted writes
 * count one by one. The initial value is 0. Spaces around numbers, blank lines and a byte order mark at the
 * beginning are ignored.
 *
 * <p>Bytes are parsed in place in one pass, and nothing is allocated for a line. Memory: the builder's, 8 bytes a
 * transaction, and the open transaction of each session.
 */
public final class PlumeReader {
    private static final int MAX_LINE = 512;
    private static final int MAX_FAST_DIGITS = 18;

    private final String name;
    private final InputStream in;
    private final HistoryTableBuilder builder;

    private final byte[] buffer = new byte[(1 << 18) + 1];
    private int limit;
    private boolean ended;
    private int lineStart;
    private long line;
    /** The result of {@link #number}. */
    private long number;

    private final PlumeSessions sessions;

    public PlumeReader(String name, InputStream in, HistoryTableBuilder builder) {
        this.name = name;
        this.in = in;
        this.builder = builder;
        sessions = new PlumeSessions(builder);
    }

    public void read() throws IOException, HistoryException {
        builder.initialValue(builder.values().code(0));
        PlumeSessions.Session session = null;
        int p = 0;
        while (true) {
            if (limit - p < MAX_LINE && !ended) {
                fill(p);
                p = 0;
            }
            if (p >= limit) {
                break;
            }
            lineStart = p;
            line++;
            p = spaces(line == 1 ? afterMark(p) : p);
            byte kind = buffer[p];
            if (kind == '\n') {
                p = endOfLine(p);
                continue;
            }
            if (kind != 'r' && kind != 'w') {
                throw unexpected(p, "r( or w(");
            }
            p = separator(p + 1, '(');
            p = number(p);
            long key = number;
            p = number(separator(p, ','));
            long value = number;
            p = number(separator(p, ','));
            long label = number;
            int transactionAt = separator(p, ',');
            p = number(transactionAt);
            long transaction = number;
            p = endOfLine(spaces(separator(p, ')')));
            if (transaction < -1) {
                throw error(transactionAt, "transaction " + transaction, "0 or more, or -1 for aborted");
            }
            if (session == null || session.label != label) {
                session = sessions.of(label);
            }
            if (!session.isIn(transaction) && !sessions.begin(session, transaction, line)) {
                throw error(
                        transactionAt,
                        "transaction " + transaction + " of session " + label + " again, after transaction "
                                + session.before(),
                        "the lines of a transaction together within its session");
            }
            sessions.add(
                    session,
                    Operations.pack(builder.keys().id(key), kind == 'w'),
                    builder.values().code(value));
        }
        sessions.end();
    }

    /** Returns the place after a byte order mark of UTF-8, if there is one. */
    private int afterMark(int p) {
        boolean isMarked = limit - p >= 3
                && buffer[p] == (byte) 0xEF
                && buffer[p + 1] == (byte) 0xBB
                && buffer[p + 2] == (byte) 0xBF;
        return isMarked ? p + 3 : p;
    }

    /** Moves the bytes from p to the front and reads more; a newline follows the last byte. */
    private void fill(int p) throws IOException {
        limit -= p;
        System.arraycopy(buffer, p, buffer, 0, limit);
        while (limit < buffer.length - 1) {
            int n = in.read(buffer, limit, buffer.length - 1 - limit);
            if (n <= 0) {
                ended = true;
                break;
            }
            limit += n;
        }
        buffer[limit] = '\n';
    }

    private int spaces(int from) {
        int p = from;
        while (buffer[p] == ' ' || buffer[p] == '\t' || buffer[p] == '\r') {
            p++;
        }
        return p;
    }

    private int separator(int from, char expected) throws HistoryException {
        int p = from;
        if (buffer[p] != expected) {
            p = spaces(p);
            if (buffer[p] != expected) {
                throw unexpected(p, "'" + expected + "'");
            }
        }
        return p + 1;
    }

    private int endOfLine(int p) throws HistoryException {
        if (buffer[p] != '\n') {
            throw unexpected(p, "the end of the line");
        }
        if (p - lineStart > MAX_LINE || (p == limit && !ended)) {
            throw tooLong();
        }
        return p + 1;
    }

    /** Parses a number at {@code from} into {@link #number} and returns the position after it. */
    private int number(int from) throws HistoryException {
        byte[] b = buffer;
        int p = from;
        if (b[p] == ' ' || b[p] == '\t') {
            p = spaces(p);
        }
        int start = p;
        boolean negative = b[p] == '-';
        if (negative) {
            p++;
        }
        int digits = p;
        long value = 0;
        for (int d; (d = b[p] - '0') >= 0 && d <= 9; p++) {
            value = value * 10 + d;
        }
        if (p == digits) {
            throw unexpected(p, "an integer");
        }
        if (p - digits > MAX_FAST_DIGITS) {
            String text = new String(b, start, p - start, java.nio.charset.StandardCharsets.US_ASCII);
            try {
                number = Long.parseLong(text);
            } catch (NumberFormatException e) {
                throw error(start, "the number " + Shown.text(text), "an integer of 64 bits");
            }
        } else {
            number = negative ? -value : value;
        }
        return p;
    }

    private HistoryException unexpected(int p, String expected) {
        if (p >= limit && !ended) {
            return tooLong();
        }
        return error(p, p >= limit ? "the end of the file" : Shown.character(buffer[p] & 0xFF), expected);
    }

    private HistoryException tooLong() {
        return error(
                lineStart + MAX_LINE,
                "a line of more than " + MAX_LINE + " bytes",
                "r(key,value,session,txn) or w(...)");
    }

    private HistoryException error(int p, String found, String expected) {
        return new HistoryException(
                SourceFiles.describe(name, Unit.LINE, line) + ":" + (p - lineStart + 1),
                found,
                expected,
                "a line is r(key,value,session,txn) or w(key,value,session,txn)");
    }
}
