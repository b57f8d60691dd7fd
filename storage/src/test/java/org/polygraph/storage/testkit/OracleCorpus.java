package org.polygraph.storage.testkit;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * The tiny histories of the corpus with their verdicts: a JSON object a line, {@code {initial, txns, verdicts}} (or
 * {@code expected}). A small reader of its own, so that the readers under test can be compared with it.
 */
public final class OracleCorpus {
    /** 1,973 histories without indeterminate transactions. */
    public static final String HISTORIES = "oracle/oracle-histories.jsonl.gz";
    /** 257 with indeterminate transactions; some have nothing committed. */
    public static final String UNKNOWN = "oracle/oracle-unknown.jsonl.gz";
    /** 23 named anomalies. */
    public static final String GOLDEN = "oracle/golden-anomalies.jsonl";

    private static final JsonFactory JSON = new JsonFactory();

    /**
     * A line of a file.
     *
     * @param name the file's name for it: {@code name}, or {@code file#id}
     * @param verdicts level ({@code SSER, SER, SSI, SI, CC, RA, RC}; SSI is strong SI) to whether it accepts
     */
    public record Entry(String name, HistoryTable history, Map<String, Boolean> verdicts) {}

    private OracleCorpus() {}

    /**
     * The corpus folder: {@code POLYGRAPH_CORPUS} (system property or environment), else {@code ../shared/corpus}
     * beside the root, which is the property {@code polygraph.root} or found by walking up from the working directory.
     * Empty if there is none; tests are then skipped with a message.
     */
    public static Optional<Path> folder() {
        String override = System.getProperty("POLYGRAPH_CORPUS", System.getenv("POLYGRAPH_CORPUS"));
        if (override != null) {
            return Optional.of(Path.of(override)).filter(Files::isDirectory);
        }
        String root = System.getProperty("polygraph.root", "");
        for (Path at = Path.of(root).toAbsolutePath(); at != null; at = at.getParent()) {
            Path corpus = at.resolveSibling("shared").resolve("corpus");
            if (Files.isDirectory(corpus)) {
                return Optional.of(corpus);
            }
        }
        return Optional.empty();
    }

    /** Reads a file, gzip by its ending. Memory: all of its histories, a few kilobytes each. */
    public static List<Entry> read(Path file) throws IOException {
        String name = file.getFileName().toString();
        List<Entry> entries = new ArrayList<>();
        try (InputStream raw = Files.newInputStream(file);
                InputStream in = name.endsWith(".gz") ? new GZIPInputStream(raw) : raw;
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                entries.add(entry(name, entries.size() + 1, line));
            }
        }
        return entries;
    }

    private static Entry entry(String file, int line, String json) throws IOException {
        try (JsonParser parser = JSON.createParser(json)) {
            parser.nextToken();
            Map<?, ?> object = (Map<?, ?>) value(parser);
            Object named = object.get("name");
            Object verdicts = object.containsKey("verdicts") ? object.get("verdicts") : object.get("expected");
            Map<String, Boolean> byLevel = new LinkedHashMap<>();
            ((Map<?, ?>) verdicts).forEach((level, accepts) -> byLevel.put((String) level, (Boolean) accepts));
            return new Entry(
                    named == null ? file + "#" + object.get("id") : (String) named,
                    history(file, line, object),
                    byLevel);
        } catch (HistoryException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static HistoryTable history(String file, int line, Map<?, ?> object) throws HistoryException {
        HistoryTableBuilder builder = new HistoryTableBuilder();
        builder.file(file);
        builder.initialValue(code(builder, ((Map<?, ?>) object.get("initial")).get("value")));
        for (Object each : (List<?>) object.get("txns")) {
            Map<?, ?> transaction = (Map<?, ?>) each;
            String status = (String) transaction.get("status");
            TransactionStatus outcome =
                    switch (status) {
                        case "committed" -> TransactionStatus.COMMITTED;
                        case "aborted" -> TransactionStatus.ABORTED;
                        case "unknown", "indeterminate" -> TransactionStatus.INDETERMINATE;
                        default -> throw new HistoryException(file + ":" + line + ": status " + status);
                    };
            builder.begin((Long) transaction.get("session"), (Long) transaction.get("index"), outcome, line);
            if (transaction.get("start") != null) {
                builder.times((Long) transaction.get("start"), (Long) transaction.get("end"));
            }
            for (Object op : (List<?>) transaction.get("ops")) {
                Map<?, ?> operation = (Map<?, ?>) op;
                Object label = operation.get("key");
                int key = label instanceof Long number
                        ? builder.keys().id(number)
                        : builder.keys().id((String) label);
                long value = code(builder, operation.get("value"));
                if (operation.get("op").equals("w")) {
                    builder.write(key, value);
                } else {
                    builder.read(key, value);
                }
            }
            builder.end();
        }
        return builder.build();
    }

    private static long code(HistoryTableBuilder builder, @Nullable Object value) {
        if (value == null) {
            return ValueDictionary.NULL;
        }
        return value instanceof Long number
                ? builder.values().code(number)
                : builder.values().code((String) value);
    }

    /** The value at the parser's token as Map, List, String, Long, Boolean or null. */
    private static @Nullable Object value(JsonParser parser) throws IOException {
        switch (parser.currentToken()) {
            case START_OBJECT -> {
                Map<String, Object> object = new LinkedHashMap<>();
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    String name = parser.currentName();
                    parser.nextToken();
                    object.put(name, value(parser));
                }
                return object;
            }
            case START_ARRAY -> {
                List<Object> array = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    array.add(value(parser));
                }
                return array;
            }
            case VALUE_NUMBER_INT -> {
                return parser.getLongValue();
            }
            case VALUE_TRUE, VALUE_FALSE -> {
                return parser.getBooleanValue();
            }
            case VALUE_NULL -> {
                return null;
            }
            default -> {
                return parser.getText();
            }
        }
    }
}
