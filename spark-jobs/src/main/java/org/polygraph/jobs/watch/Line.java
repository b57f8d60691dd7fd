package org.polygraph.jobs.watch;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.format.jsonl.Json;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/**
 * A line of a source: a transaction or a header. Of a transaction operations are not parsed; the check of its
 * part parses the rest.
 *
 * @param bytes without its end
 * @param behind the place in the source behind the line
 * @param arrivedMillis when it was in the source at the latest
 * @param isHeader whether it is a header or blank, and no transaction
 * @param start {@link HistoryTable#NO_TIME} if there is none
 * @param end {@link HistoryTable#NO_TIME} if there is none
 */
record Line(
        byte[] bytes,
        Place behind,
        long arrivedMillis,
        boolean isHeader,
        boolean isCommitted,
        long session,
        long index,
        long start,
        long end) {
    private static final String REMEDY = "write one transaction a line, and each line in one go";

    static Line of(byte[] bytes, Place behind, long arrivedMillis, String source) throws IOException, HistoryException {
        Json.Place at = new Json.Place(source, behind.lines() - 1);
        return Json.read(
                at, new ByteArrayInputStream(bytes), json -> parsed(json, bytes, behind, arrivedMillis, source));
    }

    private static Line parsed(JsonParser json, byte[] bytes, Place behind, long arrivedMillis, String source)
            throws IOException, HistoryException {
        long[] times = {HistoryTable.NO_TIME, HistoryTable.NO_TIME};
        @Nullable Long session = null;
        long index = 0;
        boolean hasOperations = false;
        boolean isCommitted = false;
        JsonToken first = json.nextToken();
        if (first == null) {
            return new Line(bytes, behind, arrivedMillis, true, false, 0, 0, times[0], times[1]);
        }
        if (first != JsonToken.START_OBJECT) {
            throw new HistoryException(source + ":" + behind.lines(), "no object", "a transaction", REMEDY);
        }
        for (String field; (field = json.nextFieldName()) != null; ) {
            JsonToken value = json.nextToken();
            boolean isNumber = value == JsonToken.VALUE_NUMBER_INT;
            switch (field) {
                case "session" -> session = isNumber ? (Long) json.getLongValue() : session;
                case "index" -> index = isNumber ? json.getLongValue() : index;
                case "start" -> times[0] = isNumber ? json.getLongValue() : times[0];
                case "end" -> times[1] = isNumber ? json.getLongValue() : times[1];
                case "status" -> isCommitted = json.getText().equals("committed");
                case "ops" -> hasOperations = true;
                default -> {}
            }
            json.skipChildren();
        }
        if (json.nextToken() != null) {
            throw new HistoryException(
                    source + ":" + behind.lines(), "a second object in a line", "the end of the line", REMEDY);
        }
        if (hasOperations && session == null) {
            throw new HistoryException(
                    source + ":" + behind.lines(), "a transaction without an integer session", "a session", REMEDY);
        }
        return new Line(
                bytes,
                behind,
                arrivedMillis,
                !hasOperations,
                isCommitted,
                session == null ? 0 : session,
                index,
                times[0],
                times[1]);
    }
}
