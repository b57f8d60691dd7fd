package org.polygraph.storage.format.jsonl;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.SourceFiles;

/**
 * Reads JSON Lines in UTF-8: an optional header, then a transaction on each line. Fields may come in any order, and
 * unknown fields are skipped; a known field must come once. The input is a stream of tokens: only the operations of one
 * line are kept.
 */
public final class JsonlReader {
    private static final int MAX_HEADER = 1 << 20;
    /** U+FEFF in UTF-8: the byte order mark that some programs write at the beginning of a file. */
    private static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    /** In place of the line of the transaction before. */
    private static final long NO_LINE = Long.MIN_VALUE;

    private static final int SESSION = 1;
    private static final int INDEX = 2;
    private static final int STATUS = 4;
    private static final int OPS = 8;
    private static final int START = 16;
    private static final int END = 32;
    private static final int REQUIRED = SESSION | INDEX | STATUS | OPS;

    public static final String NO_TIME_REMEDY = "leave out a time that is not known";

    private final HistoryTableBuilder builder;
    private final OperationReader operation;
    private @Nullable HistoryHeader header;
    private Json.Place place = new Json.Place("", 0);

    public JsonlReader(HistoryTableBuilder builder) {
        this.builder = builder;
        operation = new OperationReader(builder);
    }

    /**
     * Reads a file from its first byte, to the end of the stream.
     *
     * @return the number of its lines
     */
    public long read(String file, InputStream stream) throws IOException, HistoryException {
        BufferedInputStream in = new BufferedInputStream(stream, 1 << 16);
        HeaderEnd end = header(file, in);
        return transactions(
                new Json.Place(file, end.lines), new SequenceInputStream(new ByteArrayInputStream(end.line), in));
    }

    /** Reads only the header of a file, if it has one. */
    public void readHeader(String file, InputStream stream) throws IOException, HistoryException {
        header(file, new BufferedInputStream(stream, 1 << 16));
    }

    /**
     * The result of reading a header: the number of lines that were read, and the first transaction's line if it was
     * read too.
     */
    private record HeaderEnd(long lines, byte[] line) {}

    private HeaderEnd header(String file, BufferedInputStream in) throws IOException, HistoryException {
        skipMark(file, in);
        long lines = 0;
        byte[] line = firstLine(in);
        while (isBlank(line) && line.length > 0) {
            lines++;
            line = firstLine(in);
        }
        if (HistoryHeader.isHeader(line)) {
            if (line.length == MAX_HEADER) {
                throw new HistoryException(
                        file + ":" + (lines + 1),
                        "a header of 1 MiB or more",
                        "less than 1 MiB",
                        "keep large metadata in a file of its own");
            }
            HistoryHeader own = HistoryHeader.parse(new Json.Place(file, lines), line, builder.values());
            own.apply(builder, header);
            header = own;
            lines++;
            line = new byte[0];
        }
        return new HeaderEnd(lines, line);
    }

    /**
     * Reads the lines of a file after those that were read already, so there is no header.
     *
     * @param stream begins with a line
     * @return the number of its lines
     */
    public long readOn(String file, InputStream stream) throws IOException, HistoryException {
        return transactions(new Json.Place(file, 0), new BufferedInputStream(stream, 1 << 16));
    }

    /** Reads a header that is not in the lines of the file. */
    public void header(String at, byte[] json) throws IOException, HistoryException {
        HistoryHeader.parse(new Json.Place(at, 0), json, builder.values()).apply(builder, null);
    }

    /** Reads the object of a transaction that is a row, from 0, of another format. */
    public void readRow(String file, long row, InputStream json) throws IOException, HistoryException {
        place = Json.Place.of(SourceFiles.describe(file, SourceFiles.Unit.ROW, row), row - 1);
        Json.read(place, json, parser -> {
            parser.nextToken();
            return transaction(parser, NO_LINE);
        });
    }

    /**
     * Skips a byte order mark of UTF-8. Refuses UTF-16 and UTF-32, in which one of the first two bytes is zero or not
     * valid in UTF-8.
     */
    public static void skipMark(String file, BufferedInputStream in) throws IOException, HistoryException {
        in.mark(MARK.length);
        byte[] first = in.readNBytes(MARK.length);
        if (Arrays.equals(first, MARK)) {
            return;
        }
        in.reset();
        for (int i = 0; i < Math.min(2, first.length); i++) {
            if (first[i] == 0 || first[i] == (byte) 0xFE || first[i] == (byte) 0xFF) {
                throw otherUnicode(file);
            }
        }
    }

    /** Returns the error for a file in UTF-16 or UTF-32. */
    public static HistoryException otherUnicode(String file) {
        return new HistoryException(
                file + ":1:1",
                "text in UTF-16 or UTF-32",
                "UTF-8",
                "convert it, for example with iconv -f UTF-16 -t UTF-8");
    }

    private long transactions(Json.Place from, InputStream in) throws IOException, HistoryException {
        place = from;
        return Json.read(from, in, json -> {
            long last = from.linesBefore();
            while (json.nextToken() != null) {
                last = transaction(json, last);
            }
            return from.line(json.currentLocation()) - 1;
        });
    }

    /**
     * Returns the next line with its end, or only its beginning if it is too long for a header. The result is empty at
     * the end of the file.
     */
    private static byte[] firstLine(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(256);
        for (int b; line.size() < MAX_HEADER && (b = in.read()) >= 0; ) {
            line.write(b);
            if (b == '\n') {
                break;
            }
        }
        return line.toByteArray();
    }

    private static boolean isBlank(byte[] line) {
        for (byte b : line) {
            if (b != ' ' && b != '\t' && b != '\r' && b != '\n') {
                return false;
            }
        }
        return true;
    }

    /** @param last the line of the transaction before. @return the line of this one */
    private long transaction(JsonParser json, long last) throws IOException, HistoryException {
        if (json.currentToken() != JsonToken.START_OBJECT) {
            throw place.error(json, Json.describe(json), "a transaction object", Json.LINE_REMEDY);
        }
        long line = place.line(json.currentTokenLocation());
        if (line == last) {
            throw place.error(json, "a second object in a line", "the end of the line", Json.LINE_REMEDY);
        }
        long session = 0;
        long index = 0;
        long start = HistoryTable.NO_TIME;
        long end = HistoryTable.NO_TIME;
        TransactionStatus outcome = TransactionStatus.COMMITTED;
        int seen = 0;
        operation.begin(place);
        for (String field; (field = json.nextFieldName()) != null; ) {
            int bit = fieldBit(field);
            if ((seen & bit) != 0) {
                throw place.repeated(json, field);
            }
            seen |= bit;
            json.nextToken();
            switch (bit) {
                case SESSION -> session = Json.integer(json, place, field);
                case INDEX -> index = Json.integer(json, place, field);
                case START -> start = time(json, field);
                case END -> end = time(json, field);
                case STATUS -> outcome = status(json);
                case OPS -> operations(json);
                default -> json.skipChildren();
            }
        }
        if ((seen & REQUIRED) != REQUIRED) {
            throw missing(json, seen);
        }
        if (line != place.line(json.currentTokenLocation())) {
            throw place.error(
                    json,
                    "the end of an object that begins in line " + line,
                    "each transaction in one line",
                    "write each object without line ends, for example with jq -c");
        }
        if (operation.isOpen() && outcome == TransactionStatus.COMMITTED) {
            throw place.error(
                    json,
                    "a committed transaction with a \"cas\" whose \"ok\" is null",
                    "true or false",
                    "where the result is not known, the status is indeterminate");
        }
        builder.begin(session, index, outcome, line);
        if ((seen & (START | END)) != 0) {
            builder.times(start, end);
        }
        builder.end();
        return line;
    }

    private static int fieldBit(String field) {
        return switch (field) {
            case "session" -> SESSION;
            case "index" -> INDEX;
            case "status" -> STATUS;
            case "ops" -> OPS;
            case "start" -> START;
            case "end" -> END;
            default -> 0;
        };
    }

    private HistoryException missing(JsonParser json, int seen) {
        if (builder.transactions() == 0 && header == null && seen == 0) {
            return place.error(
                    json,
                    "an object that is neither a header nor a transaction",
                    "\"format\":\"history\", or session, index, status and ops",
                    Json.LINE_REMEDY);
        }
        String field = (seen & SESSION) == 0
                ? "session"
                : (seen & INDEX) == 0 ? "index" : (seen & STATUS) == 0 ? "status" : "ops";
        return place.error(
                json, "a transaction without \"" + field + "\"", "session, index, status and ops", Json.LINE_REMEDY);
    }

    private long time(JsonParser json, String field) throws IOException, HistoryException {
        if (json.currentToken() == JsonToken.VALUE_NULL) {
            return HistoryTable.NO_TIME;
        }
        long time = Json.integer(json, place, field);
        if (time == HistoryTable.NO_TIME) {
            throw place.error(json, time + " as \"" + field + "\"", "at least " + (time + 1), NO_TIME_REMEDY);
        }
        return time;
    }

    private TransactionStatus status(JsonParser json) throws IOException, HistoryException {
        String status = json.currentToken() == JsonToken.VALUE_STRING ? json.getText() : "";
        TransactionStatus outcome = outcome(status);
        if (outcome == null) {
            throw place.error(
                    json,
                    Json.describe(json) + " as \"status\"",
                    "committed, aborted or indeterminate",
                    Json.LINE_REMEDY);
        }
        return outcome;
    }

    /** Returns the status that a string names, or null. */
    public static @Nullable TransactionStatus outcome(String status) {
        return switch (status) {
            case "committed" -> TransactionStatus.COMMITTED;
            case "aborted" -> TransactionStatus.ABORTED;
            case "indeterminate", "unknown" -> TransactionStatus.INDETERMINATE;
            default -> null;
        };
    }

    private void operations(JsonParser json) throws IOException, HistoryException {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            throw place.error(json, Json.describe(json) + " as \"ops\"", "a list of operations", Json.LINE_REMEDY);
        }
        for (JsonToken token; (token = json.nextToken()) != JsonToken.END_ARRAY; ) {
            if (token != JsonToken.START_OBJECT) {
                throw place.error(
                        json,
                        Json.describe(json) + " among \"ops\"",
                        "{\"op\":\"r\",\"key\":...,\"value\":...}",
                        Json.LINE_REMEDY);
            }
            operation.read(json);
        }
    }
}
