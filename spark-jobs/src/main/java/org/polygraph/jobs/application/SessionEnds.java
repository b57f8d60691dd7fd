package org.polygraph.jobs.application;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import it.unimi.dsi.fastutil.longs.Long2LongMap;
import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import java.io.IOException;
import java.io.StringWriter;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.polygraph.jobs.certificate.format.Fingerprint;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.jsonl.Json;
import org.polygraph.storage.format.parquet.NumberTable;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/**
 * A file in Parquet with the index of the last transaction of each session. Its metadata are fields of text, and the
 * SHA-256 of them, which no checksum of Parquet covers.
 *
 * @param fields without the SHA-256
 * @param last by session: the index of its last transaction
 */
record SessionEnds(Map<String, String> fields, Long2LongMap last) {
    private static final String CHECKSUM = "sha256";
    private static final List<String> COLUMNS = List.of("session", "index");

    /**
     * Reads a file.
     *
     * @param name of its table
     */
    static SessionEnds read(Location file, String name, BooleanSupplier stop) throws IOException, HistoryException {
        Rows rows = new Rows(file.name());
        try {
            NumberTable.read(file, name, stop, rows);
        } catch (HistoryException e) {
            throw damaged(file.name());
        }
        return new SessionEnds(rows.fields, rows.last);
    }

    static HistoryException damaged(String file) {
        return new HistoryException(
                file, "a damaged seam", "that of a run", "check the part of this run again with --overwrite");
    }

    /** Returns a field. @throws IllegalArgumentException if it is missing */
    String field(String name) {
        String value = fields.get(name);
        if (value == null) {
            throw new IllegalArgumentException(name);
        }
        return value;
    }

    static void add(Terms terms, Map<String, String> fields) {
        fields.put("level", terms.guarantee().label());
        fields.put("clock_skew", Long.toString(terms.clockSkewNanos()));
        fields.put("indeterminate", terms.indeterminate().label());
    }

    /** Returns the terms that {@link #add} added. @throws IllegalArgumentException if a field is missing or wrong */
    Terms terms() {
        return new Terms(
                Guarantee.ofLabel(field("level")).orElseThrow(() -> new IllegalArgumentException("level")),
                Long.parseLong(field("clock_skew")),
                field("indeterminate").equals(IndeterminateMode.ABORT.label())
                        ? IndeterminateMode.ABORT
                        : IndeterminateMode.MAYBE);
    }

    /** Returns the ends of sessions after a history, of which those before it may be known. */
    static Long2LongMap after(Long2LongMap before, HistoryTable history) {
        Long2LongMap last = new Long2LongOpenHashMap(before);
        for (int s = 0; s < history.sessions(); s++) {
            long index = history.index(history.transactionsEnd(s) - 1);
            last.merge(history.sessionLabel(s), index, Math::max);
        }
        return last;
    }

    private static String checksum(Map<String, String> fields) {
        return Fingerprint.ofText(fields.toString());
    }

    /** Writes a file. */
    void write(Location file, String name) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = Json.FACTORY.createGenerator(text)) {
            json.writeStartObject();
            for (Map.Entry<String, String> field : new TreeMap<>(fields).entrySet()) {
                json.writeStringField(field.getKey(), field.getValue());
            }
            json.writeStringField(CHECKSUM, checksum(new TreeMap<>(fields)));
            json.writeEndObject();
        }
        Iterator<Long2LongMap.Entry> entries = last.long2LongEntrySet().stream()
                .sorted((a, b) -> Long.compare(a.getLongKey(), b.getLongKey()))
                .iterator();
        file.write(out -> NumberTable.write(out, name, text.toString(), COLUMNS, row -> {
            if (!entries.hasNext()) {
                return false;
            }
            Long2LongMap.Entry entry = entries.next();
            row[0] = entry.getLongKey();
            row[1] = entry.getLongValue();
            return true;
        }));
    }

    private static final class Rows implements NumberTable.Sink {
        private final String file;
        private final Map<String, String> fields = new TreeMap<>();
        private final Long2LongMap last = new Long2LongOpenHashMap();
        /** The session of the last row; sessions ascend. */
        private long session;

        Rows(String file) {
            this.file = file;
        }

        @Override
        public void header(String text, List<String> columns, long rows) throws HistoryException {
            if (!columns.equals(COLUMNS)) {
                throw damaged(file);
            }
            try (JsonParser json = Json.FACTORY.createParser(text)) {
                json.nextToken();
                for (String field; (field = json.nextFieldName()) != null; ) {
                    fields.put(field, String.valueOf(json.nextTextValue()));
                }
            } catch (JacksonException e) {
                throw damaged(file);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
            String checksum = fields.remove(CHECKSUM);
            if (!checksum(fields).equals(checksum)) {
                throw damaged(file);
            }
        }

        @Override
        public void row(long[] row) throws HistoryException {
            if (!last.isEmpty() && row[0] <= session) {
                throw damaged(file);
            }
            session = row[0];
            last.put(row[0], row[1]);
        }
    }
}
