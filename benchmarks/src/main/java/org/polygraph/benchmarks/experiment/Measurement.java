package org.polygraph.benchmarks.experiment;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A line of results: values by column, in the order of {@link #COLUMNS}. What was not measured is empty. */
final class Measurement {
    static final List<String> COLUMNS = List.of(
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
            "judged",
            "transactions",
            "operations",
            "thread_ms",
            "process_ms",
            "elapsed_ms",
            "read_ms",
            "index_ms",
            "graph_ms",
            "closure_ms",
            "saturation_ms",
            "order_ms",
            "check_ms",
            "solve_ms",
            "replay_ms",
            "evidence_ms",
            "resident_mb",
            "held_mb",
            "heap_mb",
            "shuffle_mb",
            "read_mb",
            "index_mb",
            "graph_mb",
            "closure_mb",
            "saturation_mb",
            "order_mb",
            "check_mb",
            "solve_mb",
            "replay_mb",
            "evidence_mb",
            "components",
            "largest",
            "candidate_reads",
            "instantiated",
            "decisions",
            "conflicts");

    /** Of those, CPU time by stage, in the order of stages. */
    static final List<String> STAGES = List.of(
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

    /** Of those, what was resident while a stage ran, in the same order. */
    static final List<String> STAGE_MEMORY =
            STAGES.stream().map(column -> column.replace("_ms", "_mb")).toList();

    /** The verdict of what gives none: making a history, sorting it. */
    static final String DONE = "DONE";

    private final Map<String, String> values = new LinkedHashMap<>();

    Measurement() {
        for (String column : COLUMNS) {
            values.put(column, "");
        }
    }

    /** Sets a column, which must exist. */
    Measurement set(String column, String value) {
        if (values.put(column, value) == null) {
            throw new IllegalArgumentException("no column " + column);
        }
        return this;
    }

    Measurement set(String column, long value) {
        return set(column, Long.toString(value));
    }

    String get(String column) {
        String value = values.get(column);
        if (value == null) {
            throw new IllegalArgumentException("no column " + column);
        }
        return value;
    }

    /** The column as a number, or NaN. */
    double number(String column) {
        String value = get(column);
        return value.isEmpty() ? Double.NaN : Double.parseDouble(value);
    }

    /** Whether it came to an end: with an answer, or {@link #DONE} where nothing was asked. */
    boolean isDecided() {
        return List.of("PASS", "VIOLATION", DONE).contains(get("verdict"));
    }

    List<String> values() {
        return List.copyOf(values.values());
    }
}
