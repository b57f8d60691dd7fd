package org.polygraph.jobs.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The operations of each transaction in a file of JSON Lines, read without code of the product, in the words of explanations:
 * {@code r(1)=2}. An explanation must have no others. Where rows of writes were not
 * recorded, it has keys that express conditions, and is not examined. In windows, lists are without the elements of other appends.
 */
final class RecordedOperations {
    private static final Pattern TRANSACTION = Pattern.compile("^    (T\\d+)  session (\\S+), index (\\S+) \\(.*");
    private static final Pattern WORD =
            Pattern.compile("(?<=  )([rwaid]\\((?:[^\")]*|\"[^\"]*\")\\)(?:=.*?)?)(?=  |$)");
    private static final Pattern READ =
            Pattern.compile("(T\\d+) (?:also )?read (\\S+|\\[.*?\\]) from key (\\S+?)[ ,;.](?!after)");

    /** By session and index. */
    private final Map<String, Set<String>> words = new HashMap<>();

    static RecordedOperations of(Path file) throws IOException {
        RecordedOperations recorded = new RecordedOperations();
        ObjectMapper json = new ObjectMapper();
        for (String line : Files.readAllLines(file)) {
            JsonNode each = json.readTree(line);
            if (each.has("ops")) {
                Set<String> words = new HashSet<>();
                each.get("ops").forEach(op -> add(op, words));
                recorded.words.put(
                        each.get("session").asText() + "#" + each.get("index").asText(), words);
            }
        }
        return recorded;
    }

    private static void add(JsonNode op, Set<String> words) {
        String kind = op.get("op").asText();
        JsonNode value = op.get("value");
        switch (kind) {
            case "r" -> {
                String read = "r(" + op.get("key") + ")=";
                words.add(read + shown(value));
                if (value.isNull()) {
                    // Of a list it is the empty list.
                    words.add(read + "[]");
                }
                value.forEach(element -> words.add(read + "[.. " + element + " ..]"));
            }
            case "cas" -> {
                words.add("r(" + op.get("key") + ")=" + op.get("expected"));
                words.add("r(" + op.get("key") + ")=" + op.get("found"));
                words.add("w(" + op.get("key") + ")=" + value);
            }
            case "w", "i" -> words.add(kind + "(" + op.get("key") + ")=" + value);
            case "append" -> words.add("a(" + op.get("key") + ")=[.. " + value + "]");
            case "d" -> words.add("d(" + op.get("key") + ")");
            case "pr" -> op.get("rows").forEach(row -> words.add("r(" + row.get(0) + ")=" + row.get(1)));
            case "pw" -> keys(op).forEach(key -> words.add("w(" + key + ")=" + value));
            case "pd" -> keys(op).forEach(key -> words.add("d(" + key + ")"));
            default -> throw new IllegalArgumentException(kind);
        }
    }

    /** The keys of the rows that a condition wrote; any if they were not recorded. */
    private static Iterable<String> keys(JsonNode op) {
        Set<String> keys = new HashSet<>();
        if (!op.has("keys")) {
            return Set.of("0", "1");
        }
        op.get("keys").forEach(key -> keys.add(key.toString()));
        return keys;
    }

    private static String shown(JsonNode value) {
        return !value.isArray()
                ? value.toString()
                : value.isEmpty() ? "[]" : "[.. " + value.get(value.size() - 1) + "]";
    }

    /** Returns the first operation of an explanation that its transaction has not; empty if there is none. */
    String notRecorded(String text) {
        // Of a read it may have the version of its writer.
        String explanation = text.replaceAll(" \\(version -?\\d+\\)", "");
        if (explanation.contains("(\"row ")) {
            return "";
        }
        Map<String, Set<String>> byName = new HashMap<>();
        Set<String> known = Set.of();
        for (String line : explanation.split("\n")) {
            Matcher transaction = TRANSACTION.matcher(line);
            if (transaction.matches()) {
                known = words.getOrDefault(transaction.group(2) + "#" + transaction.group(3), Set.of());
                byName.put(transaction.group(1), known);
            } else if (line.startsWith("          ") && !known.isEmpty()) {
                for (Matcher word = WORD.matcher(line); word.find(); ) {
                    if (!known.contains(word.group(1))) {
                        return word.group(1) + " is not among " + known;
                    }
                }
            } else {
                known = Set.of();
            }
        }
        for (Matcher read = READ.matcher(explanation); read.find(); ) {
            Set<String> of = byName.get(read.group(1));
            String word = "r(" + read.group(3) + ")=" + read.group(2);
            if (of != null && !of.contains(word)) {
                return read.group() + ": " + word + " is not among " + of;
            }
        }
        return "";
    }
}
