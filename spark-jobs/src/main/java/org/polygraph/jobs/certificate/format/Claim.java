package org.polygraph.jobs.certificate.format;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.HistoryException;

/**
 * The fields of verdict.json that evidence must confirm. They are read here, so that verification depends on no class
 * that makes verdicts.
 *
 * @param verdict PASS, VIOLATION, UNKNOWN, INVALID or ERROR
 * @param level the label of the level
 * @param terms empty if there is no evidence for the level
 * @param loaders how the loaders of initial rows were found
 * @param usesTimes whether timestamps were used to find them
 * @param path the PATH of the history when the run was made, as an absolute name
 * @param chain the parts that the verdict covers; empty if it names none
 * @param unshown numbers of the violations without a sub-history; their files have the transactions that they name
 */
public record Claim(
        String verdict,
        String level,
        Optional<Terms> terms,
        InitialChoice loaders,
        boolean usesTimes,
        String path,
        Certificate certificate,
        Optional<Parts> chain,
        Set<Integer> unshown) {
    /** The name of the file in a run. */
    public static final String FILE = "verdict.json";

    /**
     * The certificate of a verdict.
     *
     * @param kind empty if there is none
     * @param isUnwritten whether there is none because the time ended before it was written
     */
    public record Certificate(String kind, boolean isUnwritten) {}

    /**
     * The parts that a verdict covers.
     *
     * @param list SHA-256 of their list
     * @param isOnSeam whether the verdict was decided on the seam of another run
     */
    public record Parts(String list, boolean isOnSeam) {}

    private static final JsonFactory JSON = new JsonFactory();
    private static final String ASSUMPTIONS = "assumptions";
    private static final String CERTIFICATE = "certificate";
    private static final String CHAIN = "chain";
    private static final String CHOICES = "choices";
    private static final Set<String> NESTED = Set.of(ASSUMPTIONS, CERTIFICATE, CHAIN);

    /**
     * Reads verdict.json of a run.
     *
     * @throws HistoryException if it is not a verdict
     */
    public static Claim read(Location run) throws IOException, HistoryException {
        Location file = run.child(FILE);
        Map<String, String> fields = new HashMap<>();
        Set<Integer> unshown = new HashSet<>();
        try (JsonParser json = JSON.createParser(file.open())) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw malformed(file, "no JSON object");
            }
            fields(json, "", fields, unshown);
            if (json.currentToken() != JsonToken.END_OBJECT) {
                throw malformed(file, "a truncated JSON object");
            }
        } catch (JacksonException e) {
            throw malformed(file, "damaged JSON");
        }
        String verdict = fields.getOrDefault("verdict", "");
        String level = fields.getOrDefault("level", "");
        if (verdict.isEmpty() || level.isEmpty()) {
            throw malformed(file, "JSON without \"verdict\" and \"level\"");
        }
        String kind = fields.getOrDefault(CERTIFICATE + ".kind", "");
        return new Claim(
                verdict,
                level,
                terms(file, level, fields),
                InitialChoice.ofLabel(fields.getOrDefault(ASSUMPTIONS + ".initial", InitialChoice.IMPLICIT.label()))
                        .orElseThrow(() -> malformed(file, "an invalid choice of initial rows")),
                !"none".equals(fields.get(ASSUMPTIONS + ".time")),
                fields.getOrDefault("location", fields.getOrDefault("path", "")),
                new Certificate(kind, !kind.equals(CHOICES) && "null".equals(fields.get(CERTIFICATE + ".path"))),
                Optional.ofNullable(fields.get(CHAIN + ".sha256"))
                        .map(list -> new Parts(
                                list, !fields.getOrDefault(CHAIN + ".base", "").isEmpty())),
                unshown);
    }

    /** Whether the evidence of a PASS is a choice of writers, for which no order was written. */
    public boolean byChoices() {
        return certificate.kind.equals(CHOICES);
    }

    /** Whether a VIOLATION rests on all choices of the rows of writes by a condition. */
    public boolean isOfRowChoices() {
        return verdict.equals("VIOLATION") && certificate.kind.equals("row-choices");
    }

    /** Whether a VIOLATION rests on reads that are necessary for every choice of these rows. */
    public boolean isOfNecessaryReads() {
        return verdict.equals("VIOLATION") && certificate.kind.equals("necessary-reads");
    }

    /** Whether the order may leave out transactions that a later part of the chain may explain. */
    public boolean isOfOthers() {
        return verdict.equals("UNKNOWN") && certificate.kind.equals("order-of-others");
    }

    private static void fields(JsonParser json, String prefix, Map<String, String> fields, Set<Integer> unshown)
            throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = prefix + json.currentName();
            JsonToken token = json.nextToken();
            if (token == null) {
                return;
            }
            if (token.isScalarValue()) {
                fields.put(name, json.getText());
            } else if (token == JsonToken.START_OBJECT && NESTED.contains(name)) {
                fields(json, name + ".", fields, unshown);
            } else if (token == JsonToken.START_ARRAY && name.equals("anomalies")) {
                for (int i = 0; json.nextToken() == JsonToken.START_OBJECT; i++) {
                    if (!hasSubHistory(json)) {
                        unshown.add(i);
                    }
                }
            } else {
                json.skipChildren();
            }
        }
    }

    /** Whether a violation has a sub-history. Reads the violation to its end. */
    private static boolean hasSubHistory(JsonParser json) throws IOException {
        boolean found = false;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            boolean isSubHistory = json.currentName().equals("minimal_history");
            found |= json.nextToken() == JsonToken.START_OBJECT && isSubHistory;
            json.skipChildren();
        }
        return found;
    }

    private static Optional<Terms> terms(Location file, String level, Map<String, String> fields)
            throws HistoryException {
        boolean strict = "strict".equals(fields.get(ASSUMPTIONS + ".time"));
        Optional<Guarantee> guarantee = Guarantee.of(level, strict);
        if (guarantee.isEmpty() || !fields.containsKey(ASSUMPTIONS + ".clock_skew")) {
            return Optional.empty();
        }
        IndeterminateMode mode = IndeterminateMode.ABORT.label().equals(fields.get(ASSUMPTIONS + ".indeterminate"))
                ? IndeterminateMode.ABORT
                : IndeterminateMode.MAYBE;
        try {
            long skew = Long.parseLong(fields.getOrDefault(ASSUMPTIONS + ".clock_skew", ""));
            return Optional.of(new Terms(guarantee.get(), skew, mode));
        } catch (IllegalArgumentException e) {
            throw malformed(file, "an invalid clock skew");
        }
    }

    private static HistoryException malformed(Location file, String found) {
        return new HistoryException(
                file.name(), found, "the verdict of a run", "give the folder run=<id> that check --out wrote");
    }
}
