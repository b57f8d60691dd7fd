package org.polygraph.jobs.report;

import static org.polygraph.jobs.report.wording.LegibleJson.object;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
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
import org.polygraph.jobs.report.wording.LegibleJson.Fields;
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

    private final @Nullable HistoryTable table;
    /** Reasons written in full so far; each is written in full once. */
    private final Set<Reason> written = Collections.newSetFromMap(new IdentityHashMap<>());

    private VerdictJson(@Nullable HistoryTable table) {
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
        return LegibleJson.of(new VerdictJson(verdict.table()).verdict(verdict, strongest, run));
    }

    /**
     * {@code metrics.json}: the answer and the cost of the check. One JSON object without line breaks.
     *
     * @param finished in milliseconds since 1970
     */
    static String metrics(Verdict verdict, long finished) {
        Fields json = answer(verdict);
        json.with("path", verdict.path());
        json.with("started", Instant.ofEpochMilli(finished - verdict.millis()));
        json.with("finished", Instant.ofEpochMilli(finished));
        json.with("ms", verdict.millis());
        json.with("peak_memory_bytes", verdict.peakMemoryBytes());
        json.with("counts", counts(verdict.counts()));
        cost(json, verdict);
        return LegibleJson.of(json);
    }

    /**
     * {@code violations.jsonl}: one line per violation, for tables. {@code sub_history} is null if there is none;
     * {@code folder} is relative to the run, and null beyond the first hundred.
     */
    static String violations(Verdict verdict) {
        VerdictJson json = new VerdictJson(verdict.table());
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < verdict.violations().size(); i++) {
            Violation violation = verdict.violations().get(i);
            SubHistory sub = violation.minimal();
            lines.append(LegibleJson.of(object().with(
                                    "name", violation.anomaly().label())
                            .with("aliases", violation.aliases())
                            .with("level", verdict.level().label())
                            .with(
                                    "txns",
                                    violation.transactions().stream()
                                            .map(json::id)
                                            .toList())
                            .with("keys", json.keys(violation.keys()))
                            .with(
                                    "sub_history",
                                    sub == null
                                            ? null
                                            : object().with("txns", sub.transactions().length)
                                                    .with("ops", sub.operations().length)
                                                    .with("minimal", sub.minimal()))
                            .with("path", verdict.path())
                            .with("folder", i < RunDirectory.KEPT ? "violations/" + RunDirectory.folder(i) : null)))
                    .append('\n');
        }
        return lines.toString();
    }

    private static Fields answer(Verdict verdict) {
        return object().with("schema", SCHEMA)
                .with("version", Version.current())
                .with("verdict", verdict.status().name())
                .with("level", verdict.level().label());
    }

    private Fields verdict(Verdict verdict, @Nullable Strongest strongest, @Nullable String run) {
        Fields json = answer(verdict);
        if (strongest != null) {
            json.with("strongest", label(strongest));
        }
        json.with("path", verdict.path());
        json.with("location", location(verdict.path()));
        if (run != null) {
            json.with("run", run);
        }
        json.with("reason", verdict.reason());
        json.with("counts", counts(verdict.counts()));
        PartViolations inPart = verdict.inPart();
        int found = verdict.violationsFound();
        json.with("violations_found", found);
        json.with(
                "new_violations",
                inPart == null
                        ? (Integer) found
                        : inPart.isUndecided() ? null : inPart.added().size());
        json.with("standing_violations", inPart == null ? 0 : inPart.standing().size());
        json.with(
                "anomalies",
                verdict.violations().stream()
                        .map(each -> anomaly(each, verdict.level()))
                        .toList());
        json.with("assumptions", assumptions(verdict.assumptions()));
        cost(json, verdict);
        json.with("peak_memory_bytes", verdict.peakMemoryBytes());
        chain(json, verdict);
        json.with("certificate", certificate(verdict.certificate()));
        json.with("ms", verdict.millis());
        json.with("exit_code", verdict.exitCode());
        return json;
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
    static @Nullable String label(Strongest strongest) {
        return strongest.level() == null ? null : strongest.level().label();
    }

    private static void cost(Fields json, Verdict verdict) {
        List<Object> phases = new ArrayList<>();
        for (Phase phase : verdict.phases()) {
            phases.add(object().with("name", phase.name())
                    .with("ms", phase.millis())
                    .with("cpu_ms", phase.cpuMillis())
                    .with("items", phase.items()));
        }
        json.with("phases", phases);
        ResidualSize residual = verdict.residual();
        json.with(
                "residual",
                object().with("constraints", residual.constraints())
                        .with("candidate_reads", residual.candidateReads())
                        .with("components", residual.components())
                        .with("largest", residual.largest())
                        .with("decisions", residual.decisions())
                        .with("conflicts", residual.conflicts()));
        WindowCounts windows = verdict.windows();
        if (windows != null) {
            json.with(
                    "windows",
                    object().with("size", windows.size())
                            .with("decided", windows.decided())
                            .with("grown", windows.grown())
                            .with("largest", windows.largest())
                            .with("whole", windows.whole()));
        }
    }

    private static Fields counts(Counts counts) {
        return object().with("sessions", counts.sessions())
                .with("txns_committed", counts.transactionsCommitted())
                .with("txns_aborted", counts.transactionsAborted())
                .with("txns_indeterminate", counts.transactionsIndeterminate())
                .with("reads", counts.reads())
                .with("writes", counts.writes())
                .with("keys", counts.keys());
    }

    private Fields anomaly(Violation violation, IsolationLevel level) {
        Fields json = object().with("name", violation.anomaly().label())
                .with("aliases", violation.aliases())
                .with("meaning", violation.anomaly().meaning())
                .with("detail", violation.detail());
        if (table != null) {
            Facts facts = new Facts(table);
            json.with("phenomenon", Phenomenon.of(violation, facts));
            json.with("expected", Expectation.of(violation, level, facts));
        }
        json.with(
                "txns", violation.transactions().stream().map(this::transaction).toList());
        json.with("keys", keys(violation.keys()));
        json.with("cycle", cycle(violation.cycle()));
        if (!violation.cases().isEmpty()) {
            json.with("cases", alternatives(violation.cases()));
        }
        SubHistory sub = violation.minimal();
        // Its operations are in violations/NNN/history.jsonl.
        json.with(
                "minimal_history",
                sub == null
                        ? null
                        : object().with(
                                        "txns",
                                        Arrays.stream(sub.transactions())
                                                .mapToObj(this::id)
                                                .toList())
                                .with("ops", sub.operations().length)
                                .with("minimal", sub.minimal())
                                .with("judged_by", sub.judge().label()));
        return json;
    }

    private List<@Nullable Object> keys(List<Integer> keys) {
        List<@Nullable Object> named = new ArrayList<>();
        keys.forEach(key -> named.add(key(key)));
        return named;
    }

    private List<Object> cycle(List<Dependency> edges) {
        List<Object> cycle = new ArrayList<>();
        edges.forEach(edge -> cycle.add(edge(edge)));
        return cycle;
    }

    private List<Object> alternatives(List<Alternative> alternatives) {
        List<Object> all = new ArrayList<>();
        for (Alternative alternative : alternatives) {
            Dependency assumed = alternative.assumed();
            Fields json = object().with("alternative", alternative.statement())
                    .with("assumed", assumed == null ? null : edge(assumed))
                    .with("cycle", cycle(alternative.cycle()));
            if (!alternative.cases().isEmpty()) {
                json.with("cases", alternatives(alternative.cases()));
            }
            all.add(json);
        }
        return all;
    }

    private Fields transaction(int t) {
        return table == null || t == Dependency.INITIAL
                ? object().with("id", id(t))
                : object().with("id", id(t))
                        .with("session", table.sessionLabel(table.sessionOf(t)))
                        .with("index", table.index(t))
                        .with("status", table.status(t).label())
                        .with("where", table.whereIs(t));
    }

    private String id(int t) {
        if (t == Dependency.INITIAL) {
            return "initial";
        }
        return table == null ? Integer.toString(t) : table.name(t);
    }

    private Fields edge(Dependency edge) {
        boolean hasKey = edge.key() != Dependency.NO_KEY;
        Fields json = object().with("from", id(edge.from()))
                .with("to", id(edge.to()))
                .with("kind", edge.kind().name())
                .with("key", hasKey ? key(edge.key()) : null)
                .with("value", hasKey && table != null ? value(table, edge.value()) : null)
                .with("why", edge.why())
                .with("basis", edge.reason().basis().label());
        if (!edge.reason().because().isEmpty() && written.size() < MOST_REASONS && written.add(edge.reason())) {
            json.with("because", alternatives(edge.reason().because()));
        }
        return json;
    }

    private static @Nullable Object value(HistoryTable table, long code) {
        if (table.values().isNull(code)) {
            return null;
        }
        return table.values().isInteger(code)
                ? (Object) table.values().integer(code)
                : table.values().text(code);
    }

    private @Nullable Object key(int key) {
        if (table == null) {
            return null;
        }
        return table.keys().isString(key)
                ? table.keys().string(key)
                : (Object) table.keys().integer(key);
    }

    private static @Nullable Object assumptions(@Nullable Assumptions assumptions) {
        if (assumptions == null) {
            return null;
        }
        Fields json = object().with("initial_value", assumptions.initialValue())
                .with("unique_values", assumptions.uniqueValues())
                .with("time", assumptions.time().label())
                .with("clock_skew", assumptions.clockSkewNanos());
        if (assumptions.time() == TimeMode.STRICT) {
            json.with("txns_unbound", assumptions.unbound());
        }
        json.with("indeterminate", assumptions.indeterminate().label());
        json.with("session_order", assumptions.sessionOrder().label());
        json.with("needs_session_order", assumptions.needsSessionOrder());
        json.with("versions", assumptions.versions().label());
        LoadedRows loaders = assumptions.loaders();
        json.with("initial", loaders.choice().label());
        json.with(
                "loaders",
                object().with("count", loaders.count())
                        .with("first", loaders.first())
                        .with("effect", loaders.effect().name().toLowerCase(Locale.ROOT)));
        InitialFile state = assumptions.state();
        if (state != null) {
            json.with("initial_state", object().with("path", state.path()).with("sha256", state.input()));
        }
        return json;
    }

    private static void chain(Fields verdictJson, Verdict verdict) {
        CoveredParts parts = verdict.parts();
        PartViolations inPart = verdict.inPart();
        Fields json = object();
        if (parts != null) {
            json.with("parts", parts.count());
            json.with("sha256", parts.list());
            json.with("base", parts.base());
            CoveredParts.Sizes sizes = parts.sizes();
            if (sizes != null) {
                json.with("part_txns", sizes.transactions());
                json.with("part_ops", sizes.operations());
                if (sizes.chainTransactions() >= 0) {
                    json.with("txns", sizes.chainTransactions());
                }
            }
        }
        if (inPart != null) {
            json.with("rest", inPart.isComplete() ? "kept" : verdict.witness() == null ? "unknown" : "open");
            json.with("violated", inPart.text());
            json.with("new", named(inPart.added()));
            json.with("standing", named(inPart.standing()));
        }
        if (!json.isEmpty()) {
            verdictJson.with("chain", json);
        }
    }

    private static List<Fields> named(List<PartViolations.Named> violations) {
        return violations.stream()
                .map(each -> object().with("name", each.name())
                        .with("part", each.part())
                        .with("path", each.location())
                        .with("txns", each.transactions()))
                .toList();
    }

    private static @Nullable Object certificate(@Nullable Certificate certificate) {
        if (certificate == null) {
            return null;
        }
        Fields json = object().with("kind", certificate.kind())
                .with("path", certificate.path())
                .with("verified", certificate.verified());
        if (certificate.content() != null) {
            json.with("content", certificate.content());
        }
        return json;
    }
}
