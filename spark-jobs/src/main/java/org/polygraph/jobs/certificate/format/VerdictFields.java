package org.polygraph.jobs.certificate.format;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.polygraph.storage.model.HistoryException;

/**
 * The fields of verdict.json.
 *
 * @param texts by name: single values as text; the names of fields in an object are such as {@code counts.reads}
 * @param anomalies the names of the violations
 * @param unshown the numbers of the violations without a sub-history
 */
public record VerdictFields(Map<String, String> texts, List<String> anomalies, Set<Integer> unshown) {
    private static final JsonFactory JSON = new JsonFactory();
    private static final Set<String> OBJECTS = Set.of("assumptions", "certificate", "chain", "counts");

    /** @param malformed makes an exception that states what was found */
    public static VerdictFields read(InputStream in, Function<String, HistoryException> malformed)
            throws IOException, HistoryException {
        VerdictFields fields = new VerdictFields(new HashMap<>(), new ArrayList<>(), new HashSet<>());
        try (JsonParser json = JSON.createParser(in)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw malformed.apply("no JSON object");
            }
            fields.add(json, "");
            if (json.currentToken() != JsonToken.END_OBJECT) {
                throw malformed.apply("a truncated JSON object");
            }
        } catch (JacksonException e) {
            throw malformed.apply("damaged JSON");
        }
        return fields;
    }

    /** Returns the text of a field; empty if there is none. */
    public String text(String name) {
        return texts.getOrDefault(name, "");
    }

    /** Returns the number of a field; 0 if there is none. */
    public long number(String name) {
        try {
            return Long.parseLong(text(name));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private void add(JsonParser json, String prefix) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = prefix + json.currentName();
            JsonToken token = json.nextToken();
            if (token.isScalarValue()) {
                texts.put(name, json.getText());
            } else if (token == JsonToken.START_OBJECT && OBJECTS.contains(name)) {
                add(json, name + ".");
            } else if (token == JsonToken.START_ARRAY && name.equals("anomalies")) {
                while (json.nextToken() == JsonToken.START_OBJECT) {
                    addAnomaly(json);
                }
            } else {
                json.skipChildren();
            }
        }
    }

    private void addAnomaly(JsonParser json) throws IOException {
        String name = "";
        boolean hasSubHistory = false;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            JsonToken token = json.nextToken();
            name = field.equals("name") ? json.getText() : name;
            hasSubHistory |= field.equals("minimal_history") && token == JsonToken.START_OBJECT;
            json.skipChildren();
        }
        if (!hasSubHistory) {
            unshown.add(anomalies.size());
        }
        anomalies.add(name);
    }
}
