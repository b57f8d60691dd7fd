package org.polygraph.jobs.report;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.VerdictFields;
import org.polygraph.jobs.report.wording.Legible;
import org.polygraph.jobs.report.wording.LegibleJson;
import org.polygraph.jobs.verdict.Strongest;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.storage.model.HistoryException;

/**
 * The verdict of a finished run, with everything that is printed if the same check is requested again.
 *
 * @param json verdict.json, without its line break
 * @param path of the history that was checked
 * @param anomaly the name of the first anomaly, or the reason
 * @param part the last part of its chain
 * @param added the number of violations that the last part of a chain adds, otherwise of all; negative if it is not
 *     known whether there is one
 */
public record StoredVerdict(
        String json,
        Verdict.Status status,
        String level,
        String path,
        long transactions,
        long operations,
        String anomaly,
        long added,
        Part part,
        Violations violations) {
    /**
     * The part of a chain that was checked.
     *
     * @param number from 1; 0 if no part is listed
     * @param location its absolute name
     * @param chainTransactions of all parts up to it; negative if it is not known
     */
    record Part(int number, String location, long chainTransactions) {}

    /** The number of transactions of all parts of the chain; negative if it is not known. */
    public long chainTransactions() {
        return part.chainTransactions;
    }

    /**
     * The violations of the verdict.
     *
     * @param explanations explain.txt of each violation with a folder, the clearest first
     * @param names the anomaly of each violation in verdict.json
     * @param found number of violations found, also those that are not explained
     */
    record Violations(List<String> explanations, List<String> names, int found) {
        int listed() {
            return names.size();
        }
    }

    private static final Set<String> STATUSES = Set.of("PASS", "VIOLATION", "UNKNOWN", "INVALID", "ERROR");
    private static final String REMEDY = "check the history again with --overwrite";

    /** The exit code of the status, even if the run was made with {@code --on-violation succeed}. */
    public int exitCode() {
        return status.exitCode().code();
    }

    /** The anomaly of each violation that verdict.json lists. */
    public List<String> anomalies() {
        return violations.names;
    }

    /** The result line for a PATH. @param millis the time that it took to find the run */
    public String line(String path, long millis) {
        String last = ResultLine.isMessage(status) ? "" : anomaly;
        return ResultLine.of(status.name(), level, path, transactions, operations, millis, last);
    }

    /** The output of {@link ViolationText}, except that a brief text may show more operations of long transactions. */
    public String explanation(ViolationText.Detail detail) {
        if (detail == ViolationText.Detail.FULL) {
            return Legible.lines(String.join("", violations.explanations))
                    + ViolationText.more(violations.listed(), violations.listed(), violations.found);
        }
        return violations.explanations.isEmpty()
                ? ""
                : Legible.lines(firstHalf(violations.explanations.get(0)))
                        + ViolationText.more(1, violations.listed(), violations.found);
    }

    private static String firstHalf(String explanation) {
        StringBuilder half = new StringBuilder(explanation.length());
        for (String line : explanation.split("\n", -1)) {
            if (line.isEmpty() || ReasonText.HEADINGS.contains(line)) {
                break;
            }
            half.append(line).append('\n');
        }
        return half.toString();
    }

    /**
     * verdict.json with another PATH and exit code.
     *
     * @param strongest as in {@link VerdictJson#of(Verdict, Strongest, String)}
     * @param run the name of the run
     */
    public String json(String path, int exitCode, @Nullable Strongest strongest, String run) throws IOException {
        ByteArrayOutputStream text = new ByteArrayOutputStream(json.length() + path.length());
        try (JsonParser in = LegibleJson.FACTORY.createParser(json);
                JsonGenerator out = LegibleJson.FACTORY.createGenerator(text)) {
            in.nextToken();
            out.writeStartObject();
            while (in.nextToken() == JsonToken.FIELD_NAME) {
                String field = in.currentName();
                in.nextToken();
                out.writeFieldName(field);
                switch (field) {
                    case "path" -> out.writeString(path);
                    case "location" -> out.writeString(VerdictJson.location(path));
                    case "exit_code" -> out.writeNumber(exitCode);
                    default -> out.copyCurrentStructure(in);
                }
                if (field.equals("level") && strongest != null) {
                    out.writeStringField("strongest", VerdictJson.label(strongest));
                } else if (field.equals("location")) {
                    out.writeStringField("run", run);
                }
            }
            out.writeEndObject();
        }
        return text.toString(StandardCharsets.UTF_8);
    }

    /** Runs of earlier versions do not state what is new. */
    private static long added(VerdictFields fields, int violations) {
        return fields.text("new_violations").isEmpty() ? violations : fields.number("new_violations");
    }

    /** @throws HistoryException if it is not a verdict that this version can read; the message names {@code file} */
    static StoredVerdict parse(String json, String file, List<String> explanations)
            throws IOException, HistoryException {
        VerdictFields fields = VerdictFields.read(
                new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8)),
                found -> new HistoryException(file, found, "a verdict", REMEDY));
        long schema = fields.number("schema");
        String status = fields.text("verdict");
        String level = fields.text("level");
        if (schema != VerdictJson.SCHEMA || !STATUSES.contains(status) || level.isEmpty()) {
            throw new HistoryException(file, "verdict schema " + schema, "" + VerdictJson.SCHEMA, REMEDY);
        }
        int violations = fields.anomalies().size();
        String violated = fields.text("chain.violated");
        int found = (int) fields.number("violations_found");
        return new StoredVerdict(
                json,
                Verdict.Status.valueOf(status),
                level,
                fields.text("path"),
                fields.number("counts.txns_committed")
                        + fields.number("counts.txns_aborted")
                        + fields.number("counts.txns_indeterminate"),
                fields.number("counts.reads") + fields.number("counts.writes"),
                violations == 0 || !violated.isEmpty()
                        ? fields.text("reason")
                        : fields.anomalies().get(0),
                fields.text("new_violations").equals("null") ? -1 : added(fields, violations),
                new Part(
                        (int) fields.number("chain.parts"),
                        fields.text("location"),
                        fields.text("chain.txns").isEmpty() ? -1 : fields.number("chain.txns")),
                new Violations(List.copyOf(explanations), fields.anomalies(), Math.max(violations, found)));
    }
}
