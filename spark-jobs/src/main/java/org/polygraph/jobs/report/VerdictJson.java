package org.polygraph.jobs.report;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.report.wording.Expectation;
import org.polygraph.jobs.report.wording.Facts;
import org.polygraph.jobs.report.wording.LegibleJson;
import org.polygraph.jobs.report.wording.Phenomenon;
import org.polygraph.jobs.verdict.Assumptions;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.CoveredParts;
import org.polygraph.jobs.verdict.InitialFile;
import org.polygraph.jobs.verdict.LoadedRows;
import org.polygraph.jobs.verdict.PartViolations;
import org.polygraph.jobs.verdict.Phase;
import org.polygraph.jobs.verdict.ResidualSize;
import org.polygraph.jobs.verdict.Strongest;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.jobs.verdict.WindowCounts;
import org.polygraph.partitioner.isolation.Alternative;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Reason;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.table.HistoryTable;

/**
 * {@code verdict.json}: one line, schema {@value #SCHEMA}. Numbers over 2^53 are strings, because common readers of
 * JSON would round them. A transaction is named {@code s<session>#<index>}, the implicit initial one {@code initial}.
 */
public final class VerdictJson {
    /** Raised when a field changes its meaning; new fields do not raise it. */
    public static final int SCHEMA = 1;

    /** The most reasons in full; further ones are one sentence each. */
    private static final int MOST_REASONS = 1000;

    private static final long EXACT = 1L << 53;

    private final JsonGenerator json;
    private final @Nullable HistoryTable table;
    /** Reasons written in full so far; each is written in full once. */
    private final Set<Reason> written = Collections.newSetFromMap(new IdentityHashMap<>());

    private VerdictJson(JsonGenerator json, @Nullable HistoryTable table) {
        this.json = json;
        this.table = table;
    }

    /** One JSON object without line breaks. */
    public static String of(Verdict verdict) {
        return of(verdict, null, null);
    }

    /**
     * The same as an answer to a command.
     *
     * @param strongest the strongest of several levels that holds; null for a single level
     * @param run the name of the run that has the verdict; null if there is none
     */
    public static String of(Verdict verdict, @Nullable Strongest strongest, @Nullable String run) {
        ByteArrayOutputStream text = new ByteArrayOutputStream(1024);
        try (JsonGenerator json = LegibleJson.FACTORY.createGenerator(text)) {
            new VerdictJson(json, verdict.table()).verdict(verdict, strongest, run);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString(StandardCharsets.UTF_8);
    }

    /**
     * {@code metrics.json}: the answer and the cost of the check. One JSON object without line breaks.
     *
     * @param finished in milliseconds since 1970
     */
    static String metrics(Verdict verdict, long finished) {
        ByteArrayOutputStream text = new ByteArrayOutputStream(256);
        try (JsonGenerator generator = LegibleJson.FACTORY.createGenerator(text)) {
            VerdictJson json = new VerdictJson(generator, null);
            generator.writeStartObject();
            generator.writeNumberField("schema", SCHEMA);
            generator.writeStringField("version", Version.current());
            generator.writeStringField("verdict", verdict.status().name());
            generator.writeStringField("level", verdict.level().label());
            generator.writeStringField("path", verdict.path());
            generator.writeStringField(
                    "started", Instant.ofEpochMilli(finished - verdict.millis()).toString());
            generator.writeStringField(
                    "finished", Instant.ofEpochMilli(finished).toString());
            json.number("ms", verdict.millis());
            json.number("peak_memory_bytes", verdict.peakMemoryBytes());
            json.counts(verdict.counts());
            json.phases(verdict.phases());
            json.residual(verdict.residual());
            json.windows(verdict.windows());
            generator.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString(StandardCharsets.UTF_8);
    }

    /**
     * {@code violations.jsonl}: one line per violation, for tables. {@code sub_history} is null if there is none;
     * {@code folder} is relative to the run, and null beyond the first hundred.
     */
    static String violations(Verdict verdict) {
        ByteArrayOutputStream lines = new ByteArrayOutputStream(256);
        for (int i = 0; i < verdict.violations().size(); i++) {
            try (JsonGenerator generator = LegibleJson.FACTORY.createGenerator(lines)) {
                new VerdictJson(generator, verdict.table()).row(verdict, i);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            lines.write('\n');
        }
        return lines.toString(StandardCharsets.UTF_8);
    }

    private void row(Verdict verdict, int i) throws IOException {
        Violation violation = verdict.violations().get(i);
        json.writeStartObject();
        json.writeStringField("name", violation.anomaly().label());
        strings("aliases", violation.aliases());
        json.writeStringField("level", verdict.level().label());
        strings("txns", violation.transactions().stream().map(this::id).toList());
        keys(violation.keys());
        SubHistory sub = violation.minimal();
        if (sub == null) {
            json.writeNullField("sub_history");
        } else {
            json.writeObjectFieldStart("sub_history");
            json.writeNumberField("txns", sub.transactions().length);
            json.writeNumberField("ops", sub.operations().length);
            json.writeBooleanField("minimal", sub.minimal());
            json.writeEndObject();
        }
        json.writeStringField("path", verdict.path());
        json.writeStringField("folder", i < RunDirectory.KEPT ? "violations/" + RunDirectory.folder(i) : null);
        json.writeEndObject();
    }

    private void verdict(Verdict verdict, @Nullable Strongest strongest, @Nullable String run) throws IOException {
        json.writeStartObject();
        json.writeNumberField("schema", SCHEMA);
        json.writeStringField("version", Version.current());
        json.writeStringField("verdict", verdict.status().name());
        json.writeStringField("level", verdict.level().label());
        if (strongest != null) {
            strongest(json, strongest);
        }
        json.writeStringField("path", verdict.path());
        json.writeStringField("location", location(verdict.path()));
        if (run != null) {
            json.writeStringField("run", run);
        }
        json.writeStringField("reason", verdict.reason());
        counts(verdict.counts());
        number("violations_found", verdict.violationsFound());
        PartViolations inPart = verdict.inPart();
        if (inPart != null && inPart.isUndecided()) {
            json.writeNullField("new_violations");
        } else {
            number(
                    "new_violations",
                    inPart == null ? verdict.violationsFound() : inPart.added().size());
        }
        number("standing_violations", inPart == null ? 0 : inPart.standing().size());
        json.writeArrayFieldStart("anomalies");
        for (Violation violation : verdict.violations()) {
            anomaly(violation, verdict.level());
        }
        json.writeEndArray();
        assumptions(verdict.assumptions());
        phases(verdict.phases());
        residual(verdict.residual());
        windows(verdict.windows());
        number("peak_memory_bytes", verdict.peakMemoryBytes());
        parts(verdict);
        certificate(verdict.certificate());
        number("ms", verdict.millis());
        json.writeNumberField("exit_code", verdict.exitCode());
        json.writeEndObject();
    }

    /** A name of the input that does not depend on the working directory. */
    static String location(String path) {
        try {
            return Location.of(path).absolute();
        } catch (IOException e) {
            return path;
        }
    }

    /** The strongest of several levels that holds. It depends on the levels requested, so no run has it. */
    static void strongest(JsonGenerator json, Strongest strongest) throws IOException {
        json.writeStringField(
                "strongest",
                strongest.level() == null ? null : strongest.level().label());
    }

    private void phases(List<Phase> phases) throws IOException {
        json.writeArrayFieldStart("phases");
        for (Phase phase : phases) {
            json.writeStartObject();
            json.writeStringField("name", phase.name());
            number("ms", phase.millis());
            number("cpu_ms", phase.cpuMillis());
            number("items", phase.items());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void counts(Counts counts) throws IOException {
        json.writeObjectFieldStart("counts");
        number("sessions", counts.sessions());
        number("txns_committed", counts.transactionsCommitted());
        number("txns_aborted", counts.transactionsAborted());
        number("txns_indeterminate", counts.transactionsIndeterminate());
        number("reads", counts.reads());
        number("writes", counts.writes());
        number("keys", counts.keys());
        json.writeEndObject();
    }

    private void anomaly(Violation violation, IsolationLevel level) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", violation.anomaly().label());
        strings("aliases", violation.aliases());
        json.writeStringField("meaning", violation.anomaly().meaning());
        json.writeStringField("detail", violation.detail());
        if (table != null) {
            Facts facts = new Facts(table);
            json.writeStringField("phenomenon", Phenomenon.of(violation, facts));
            json.writeStringField("expected", Expectation.of(violation, level, facts));
        }
        json.writeArrayFieldStart("txns");
        for (int t : violation.transactions()) {
            transaction(t);
        }
        json.writeEndArray();
        keys(violation.keys());
        cycle(violation.cycle());
        if (!violation.cases().isEmpty()) {
            alternatives("cases", violation.cases());
        }
        minimal(violation.minimal());
        json.writeEndObject();
    }

    private void keys(List<Integer> keys) throws IOException {
        json.writeArrayFieldStart("keys");
        for (int key : keys) {
            key(key);
        }
        json.writeEndArray();
    }

    private void cycle(List<Dependency> edges) throws IOException {
        json.writeArrayFieldStart("cycle");
        for (Dependency edge : edges) {
            edge(edge);
        }
        json.writeEndArray();
    }

    /** The sub-history; its operations are in {@code violations/NNN/history.jsonl}. */
    private void minimal(@Nullable SubHistory sub) throws IOException {
        if (sub == null) {
            json.writeNullField("minimal_history");
            return;
        }
        json.writeObjectFieldStart("minimal_history");
        strings("txns", Arrays.stream(sub.transactions()).mapToObj(this::id).toList());
        number("ops", sub.operations().length);
        json.writeBooleanField("minimal", sub.minimal());
        json.writeStringField("judged_by", sub.judge().label());
        json.writeEndObject();
    }

    private void alternatives(String name, List<Alternative> alternatives) throws IOException {
        json.writeArrayFieldStart(name);
        for (Alternative alternative : alternatives) {
            json.writeStartObject();
            json.writeStringField("alternative", alternative.statement());
            Dependency assumed = alternative.assumed();
            json.writeFieldName("assumed");
            if (assumed == null) {
                json.writeNull();
            } else {
                edge(assumed);
            }
            cycle(alternative.cycle());
            if (!alternative.cases().isEmpty()) {
                alternatives("cases", alternative.cases());
            }
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void transaction(int t) throws IOException {
        json.writeStartObject();
        json.writeStringField("id", id(t));
        if (table != null && t != Dependency.INITIAL) {
            number("session", table.sessionLabel(table.sessionOf(t)));
            number("index", table.index(t));
            json.writeStringField("status", table.status(t).label());
            json.writeStringField("where", table.whereIs(t));
        }
        json.writeEndObject();
    }

    private String id(int t) {
        if (t == Dependency.INITIAL) {
            return "initial";
        }
        return table == null ? Integer.toString(t) : table.name(t);
    }

    private void edge(Dependency edge) throws IOException {
        json.writeStartObject();
        json.writeStringField("from", id(edge.from()));
        json.writeStringField("to", id(edge.to()));
        json.writeStringField("kind", edge.kind().name());
        json.writeFieldName("key");
        if (edge.key() == Dependency.NO_KEY) {
            json.writeNull();
        } else {
            key(edge.key());
        }
        json.writeFieldName("value");
        if (edge.key() == Dependency.NO_KEY || table == null || table.values().isNull(edge.value())) {
            json.writeNull();
        } else if (table.values().isInteger(edge.value())) {
            number(table.values().integer(edge.value()));
        } else {
            json.writeString(table.values().text(edge.value()));
        }
        json.writeStringField("why", edge.why());
        json.writeStringField("basis", edge.reason().basis().label());
        if (!edge.reason().because().isEmpty() && written.size() < MOST_REASONS && written.add(edge.reason())) {
            alternatives("because", edge.reason().because());
        }
        json.writeEndObject();
    }

    private void key(int key) throws IOException {
        if (table == null) {
            json.writeNull();
        } else if (table.keys().isString(key)) {
            json.writeString(table.keys().string(key));
        } else {
            number(table.keys().integer(key));
        }
    }

    private void assumptions(@Nullable Assumptions assumptions) throws IOException {
        if (assumptions == null) {
            json.writeNullField("assumptions");
            return;
        }
        json.writeObjectFieldStart("assumptions");
        json.writeFieldName("initial_value");
        Object initial = assumptions.initialValue();
        if (initial == null) {
            json.writeNull();
        } else if (initial instanceof Long number) {
            number(number);
        } else {
            json.writeString(initial.toString());
        }
        json.writeBooleanField("unique_values", assumptions.uniqueValues());
        json.writeStringField("time", assumptions.time().label());
        number("clock_skew", assumptions.clockSkewNanos());
        if (assumptions.time() == TimeMode.STRICT) {
            number("txns_unbound", assumptions.unbound());
        }
        json.writeStringField("indeterminate", assumptions.indeterminate().label());
        json.writeStringField("session_order", assumptions.sessionOrder().label());
        json.writeBooleanField("needs_session_order", assumptions.needsSessionOrder());
        LoadedRows loaders = assumptions.loaders();
        json.writeStringField("initial", loaders.choice().label());
        json.writeObjectFieldStart("loaders");
        number("count", loaders.count());
        strings("first", loaders.first());
        json.writeStringField("effect", loaders.effect().name().toLowerCase(Locale.ROOT));
        json.writeEndObject();
        InitialFile state = assumptions.state();
        if (state != null) {
            json.writeObjectFieldStart("initial_state");
            json.writeStringField("path", state.path());
            json.writeStringField("sha256", state.input());
            json.writeEndObject();
        }
        json.writeEndObject();
    }

    private void residual(ResidualSize residual) throws IOException {
        json.writeObjectFieldStart("residual");
        number("constraints", residual.constraints());
        number("candidate_reads", residual.candidateReads());
        number("components", residual.components());
        number("largest", residual.largest());
        number("decisions", residual.decisions());
        number("conflicts", residual.conflicts());
        json.writeEndObject();
    }

    private void windows(@Nullable WindowCounts windows) throws IOException {
        if (windows == null) {
            return;
        }
        json.writeObjectFieldStart("windows");
        number("size", windows.size());
        number("decided", windows.decided());
        number("grown", windows.grown());
        number("largest", windows.largest());
        json.writeStringField("whole", windows.whole());
        json.writeEndObject();
    }

    private void parts(Verdict verdict) throws IOException {
        CoveredParts parts = verdict.parts();
        PartViolations inPart = verdict.inPart();
        if (parts == null && inPart == null) {
            return;
        }
        json.writeObjectFieldStart("chain");
        if (parts != null) {
            number("parts", parts.count());
            json.writeStringField("sha256", parts.list());
            json.writeStringField("base", parts.base());
            CoveredParts.Sizes sizes = parts.sizes();
            if (sizes != null) {
                number("part_txns", sizes.transactions());
                number("part_ops", sizes.operations());
                if (sizes.chainTransactions() >= 0) {
                    number("txns", sizes.chainTransactions());
                }
            }
        }
        if (inPart != null) {
            json.writeStringField(
                    "rest", inPart.isComplete() ? "kept" : verdict.witness() == null ? "unknown" : "open");
            json.writeStringField("violated", inPart.text());
            named("new", inPart.added());
            named("standing", inPart.standing());
        }
        json.writeEndObject();
    }

    private void named(String field, List<PartViolations.Named> violations) throws IOException {
        json.writeArrayFieldStart(field);
        for (PartViolations.Named each : violations) {
            json.writeStartObject();
            json.writeStringField("name", each.name());
            number("part", each.part());
            json.writeStringField("path", each.location());
            strings("txns", each.transactions());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void certificate(@Nullable Certificate certificate) throws IOException {
        if (certificate == null) {
            json.writeNullField("certificate");
            return;
        }
        json.writeObjectFieldStart("certificate");
        json.writeStringField("kind", certificate.kind());
        json.writeStringField("path", certificate.path());
        json.writeBooleanField("verified", certificate.verified());
        if (certificate.content() != null) {
            json.writeStringField("content", certificate.content());
        }
        json.writeEndObject();
    }

    private void strings(String name, List<String> texts) throws IOException {
        json.writeArrayFieldStart(name);
        for (String text : texts) {
            json.writeString(text);
        }
        json.writeEndArray();
    }

    private void number(String name, long value) throws IOException {
        json.writeFieldName(name);
        number(value);
    }

    private void number(long value) throws IOException {
        if (value > EXACT || value < -EXACT) {
            json.writeString(Long.toString(value));
        } else {
            json.writeNumber(value);
        }
    }
}
