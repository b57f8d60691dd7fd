package org.polygraph.benchmarks.pipeline;

import java.io.IOException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.ResidualSize;
import org.polygraph.jobs.verdict.Verdict;

/** A line of results: values by column, in the order of {@link #COLUMNS}. The value is empty if it was not measured. */
public final class Measurement {
    /** CPU time by phase, in the order of phases. */
    public static final List<String> PHASES = List.of(
            "read_ms",
            "index_ms",
            "graph_ms",
            "closure_ms",
            "saturation_ms",
            "order_ms",
            "check_ms",
            "solve_ms",
            "replay_ms",
            "evidence_ms");

    /** Resident memory during each phase, in the same order. */
    public static final List<String> PHASE_MEMORY =
            PHASES.stream().map(column -> column.replace("_ms", "_mb")).toList();

    public static final List<String> COLUMNS = Stream.of(
                    List.of(
                            "date",
                            "commit",
                            "machine",
                            "jvm",
                            "load",
                            "title",
                            "x",
                            "source",
                            "level",
                            "setting",
                            "heap",
                            "seconds",
                            "warmups",
                            "verdict",
                            "reason",
                            "certificate",
                            "transactions",
                            "operations",
                            "thread_ms",
                            "process_ms",
                            "elapsed_ms"),
                    PHASES,
                    List.of("resident_mb", "held_mb", "heap_mb", "shuffle_mb"),
                    PHASE_MEMORY,
                    List.of("components", "largest", "candidate_reads", "instantiated", "decisions", "conflicts"))
            .flatMap(List::stream)
            .toList();

    /** The verdict of processes that do not check: making a history, or sorting it. */
    public static final String DONE = "DONE";

    private final Map<String, String> values = new LinkedHashMap<>();

    public Measurement() {
        for (String column : COLUMNS) {
            values.put(column, "");
        }
    }

    /** Creates a measurement that starts with date, commit, machine and JVM. */
    public static Measurement here() throws IOException {
        return new Measurement()
                .set("date", LocalDate.now(ZoneOffset.UTC).toString())
                .set("commit", System.getProperty("polygraph.commit", "unknown"))
                .set("machine", Machine.name())
                .set("jvm", Runtime.version().toString());
    }

    /** Returns the measurement of a check in this process. */
    public static Measurement of(Run run) throws IOException {
        Verdict verdict = run.verdict();
        ResidualSize residual = verdict.residual();
        Measurement result = here().set("verdict", verdict.status().toString())
                .set("reason", verdict.reason())
                .set("transactions", verdict.counts().transactions())
                .set("operations", verdict.counts().operations())
                .set("thread_ms", Machine.millis(run.threadNanos()))
                .set("process_ms", Machine.millis(run.processNanos()))
                .set("elapsed_ms", Machine.millis(run.elapsedNanos()))
                .set("resident_mb", Memory.residentPeak() >> 20)
                .set("heap_mb", Memory.heapPeak() >> 20)
                .set("components", residual.components())
                .set("largest", residual.largest())
                .set("candidate_reads", residual.candidateReads())
                .set("instantiated", residual.constraints())
                .set("decisions", residual.decisions())
                .set("conflicts", residual.conflicts());
        Certificate certificate = verdict.certificate();
        if (certificate != null) {
            result.set("certificate", certificate.kind() + (certificate.verified() ? ", verified" : ""));
        }
        run.phases().forEach((phase, nanos) -> {
            if (PHASES.contains(phase + "_ms")) {
                result.set(phase + "_ms", Machine.millis(nanos));
            }
        });
        return result;
    }

    /** Sets a column, which must exist. */
    public Measurement set(String column, String value) {
        if (values.put(column, value) == null) {
            throw new IllegalArgumentException("no column " + column);
        }
        return this;
    }

    public Measurement set(String column, long value) {
        return set(column, Long.toString(value));
    }

    public String get(String column) {
        String value = values.get(column);
        if (value == null) {
            throw new IllegalArgumentException("no column " + column);
        }
        return value;
    }

    /** Returns the column as a number, or NaN. */
    public double number(String column) {
        String value = get(column);
        return value.isEmpty() ? Double.NaN : Double.parseDouble(value);
    }

    /** Whether it ended: with an answer, or with {@link #DONE} if there was nothing to decide. */
    public boolean isDecided() {
        return List.of("PASS", "VIOLATION", DONE).contains(get("verdict"));
    }

    public List<String> values() {
        return List.copyOf(values.values());
    }
}
