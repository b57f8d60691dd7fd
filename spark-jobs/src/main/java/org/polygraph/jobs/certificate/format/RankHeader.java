package org.polygraph.jobs.certificate.format;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/**
 * The header of a certificate: a JSON object in the file's metadata.
 *
 * @param version {@link #VERSION}
 * @param initial label of the initial value of every key
 * @param transactions number of transactions of any status
 * @param sources number of rows of the {@link SourcesFile}
 * @param tool version of the program that wrote the certificate
 * @param parts the files that have the rows, in their order; none if the file of the header has them
 */
public record RankHeader(
        int version,
        Terms terms,
        String initial,
        long transactions,
        long counted,
        long sources,
        Fingerprint fingerprint,
        String tool,
        List<RankPart> parts)
        implements Serializable {
    /** The version that is written. Raised when a field or a column changes its meaning. */
    public static final int VERSION = 3;

    private static final String PARTS = "parts";
    private static final String SOURCES = "sources";
    private static final String AGAIN =
            "the run was made by an older version: check the history again with --overwrite";
    private static final String FORMAT = "polygraph-certificate";
    private static final Set<String> OLDER = Set.of("1", "2");
    private static final JsonFactory JSON = new JsonFactory();
    private static final String REMEDY = "it is another file, of another version, or damaged; check the history again";

    public RankHeader {
        parts = List.copyOf(parts);
    }

    /** Returns the ranges of transactions that the parts have. */
    public RankRanges ranges() {
        return new RankRanges(
                parts.stream().skip(1).mapToLong(RankPart::session).toArray(),
                parts.stream().skip(1).mapToLong(RankPart::index).toArray());
    }

    static RankHeader of(Witness witness, Fingerprint fingerprint, String tool, List<RankPart> parts) {
        HistoryTable table = witness.table();
        ReadSources sources = witness.sources();
        return new RankHeader(
                VERSION,
                witness.terms(),
                table.values().label(table.initialValue()),
                table.transactions(),
                witness.countedTransactions(),
                sources == null ? 0 : sources.size(),
                fingerprint,
                tool,
                parts);
    }

    String json() {
        // Bytes: a generator that writes characters does not escape halves of surrogate pairs, which UTF-8 cannot
        // encode.
        ByteArrayOutputStream text = new ByteArrayOutputStream(512);
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            json.writeStringField("format", FORMAT);
            json.writeNumberField("version", version);
            json.writeStringField("tool", tool);
            json.writeStringField("promise", terms.guarantee().label());
            // It is a string, because many readers of JSON round numbers above 2^53.
            json.writeStringField("clock_skew", Long.toString(terms.clockSkewNanos()));
            json.writeStringField("indeterminate", terms.indeterminate().label());
            json.writeStringField("initial", initial);
            number(json, "transactions", transactions);
            number(json, "counted", counted);
            if (terms.guarantee().hasSources()) {
                number(json, SOURCES, sources);
            }
            json.writeStringField("input", fingerprint.input());
            json.writeStringField("content", fingerprint.content());
            if (!parts.isEmpty()) {
                json.writeArrayFieldStart(PARTS);
                for (RankPart part : parts) {
                    json.writeStartObject();
                    json.writeStringField("file", part.file());
                    json.writeStringField("session", Long.toString(part.session()));
                    json.writeStringField("index", Long.toString(part.index()));
                    json.writeNumberField("rows", part.rows());
                    json.writeStringField("sha256", part.sha256());
                    json.writeEndObject();
                }
                json.writeEndArray();
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString(StandardCharsets.UTF_8);
    }

    /** Writes a number as a string if it is beyond 2^53, because many readers of JSON round such numbers. */
    private static void number(JsonGenerator json, String name, long number) throws IOException {
        if (number > 1L << 53) {
            json.writeStringField(name, Long.toString(number));
        } else {
            json.writeNumberField(name, number);
        }
    }

    /** Parses the output of {@link #json}; ignores unknown fields. */
    static RankHeader parse(String file, String text) throws HistoryException {
        Map<String, String> fields;
        List<RankPart> parts = new ArrayList<>();
        try (JsonParser json = JSON.createParser(text)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw malformed(file, "a header that is not a JSON object");
            }
            fields = fields(file, json, parts);
        } catch (JacksonException e) {
            throw malformed(file, "a header that is not JSON");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return of(file, fields, parts);
    }

    /** @param parts null in a part, which has none */
    private static Map<String, String> fields(String file, JsonParser json, @Nullable List<RankPart> parts)
            throws IOException, HistoryException {
        Map<String, String> fields = new HashMap<>();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            JsonToken token = json.nextToken();
            if (token == null) {
                break;
            } else if (token.isScalarValue()) {
                if (fields.put(name, json.getText()) != null) {
                    throw malformed(file, "a header with two fields \"" + Names.line(name) + "\"");
                }
            } else if (token == JsonToken.START_ARRAY && name.equals(PARTS) && parts != null) {
                while (json.nextToken() == JsonToken.START_OBJECT) {
                    Map<String, String> part = fields(file, json, null);
                    parts.add(new RankPart(
                            field(file, part, "file"),
                            signed(file, part, "session"),
                            signed(file, part, "index"),
                            number(file, part, "rows"),
                            field(file, part, "sha256")));
                }
            } else {
                json.skipChildren();
            }
        }
        if (json.currentToken() != JsonToken.END_OBJECT) {
            throw malformed(file, "a truncated header");
        }
        return fields;
    }

    private static RankHeader of(String file, Map<String, String> fields, List<RankPart> parts)
            throws HistoryException {
        String version = fields.getOrDefault("version", "");
        if (FORMAT.equals(fields.get("format")) && OLDER.contains(version)) {
            throw new HistoryException(
                    file,
                    "a certificate of version " + version + ", which does not identify what was recorded",
                    "version " + VERSION,
                    AGAIN);
        }
        if (!FORMAT.equals(fields.get("format")) || !version.equals(Integer.toString(VERSION))) {
            throw malformed(
                    file,
                    "format \"" + Names.line(fields.getOrDefault("format", "")) + "\" version "
                            + Names.line(fields.getOrDefault("version", "none")));
        }
        String label = field(file, fields, "promise");
        Optional<Guarantee> guarantee = Guarantee.ofLabel(label);
        if (guarantee.isEmpty()) {
            throw malformed(file, "the promise \"" + Names.line(label) + "\"");
        }
        boolean hasSources = guarantee.get().hasSources();
        if (hasSources && !fields.containsKey(SOURCES)) {
            throw new HistoryException(
                    file,
                    "a certificate of " + label + " that does not state what reads read from",
                    "the field \"" + SOURCES + "\"",
                    AGAIN);
        }
        return new RankHeader(
                Integer.parseInt(version),
                new Terms(guarantee.get(), number(file, fields, "clock_skew"), indeterminate(file, fields)),
                field(file, fields, "initial"),
                number(file, fields, "transactions"),
                number(file, fields, "counted"),
                hasSources ? number(file, fields, SOURCES) : 0,
                new Fingerprint(field(file, fields, "input"), field(file, fields, "content")),
                fields.getOrDefault("tool", ""),
                parts);
    }

    private static IndeterminateMode indeterminate(String file, Map<String, String> fields) throws HistoryException {
        String label = field(file, fields, "indeterminate");
        for (IndeterminateMode mode : IndeterminateMode.values()) {
            if (mode.label().equals(label)) {
                return mode;
            }
        }
        throw malformed(file, "the field \"indeterminate\" with " + Names.line(label));
    }

    private static String field(String file, Map<String, String> fields, String name) throws HistoryException {
        String value = fields.get(name);
        if (value == null) {
            throw malformed(file, "a header without \"" + name + "\"");
        }
        return value;
    }

    private static long number(String file, Map<String, String> fields, String name) throws HistoryException {
        long number = signed(file, fields, name);
        if (number < 0) {
            throw malformed(file, "the field \"" + name + "\" with " + number);
        }
        return number;
    }

    private static long signed(String file, Map<String, String> fields, String name) throws HistoryException {
        String text = field(file, fields, name);
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw malformed(file, "the field \"" + name + "\" with " + Names.line(text));
        }
    }

    public static HistoryException malformed(String file, String found) {
        return new HistoryException(file, found, "a certificate, version " + VERSION, REMEDY);
    }
}
