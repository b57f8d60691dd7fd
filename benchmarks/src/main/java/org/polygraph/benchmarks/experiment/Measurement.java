package org.polygraph.benchmarks.experiment;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A line of results: values by column, in the order of {@link #COLUMNS}. What was not measured is empty. */
final class Measurement {
    /** CPU time by stage, in the order of stages. */
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

    /** What was resident while a stage ran, in the same order. */
    static final List<String> STAGE_MEMORY =
            STAGES.stream().map(column -> column.replace("_ms", "_mb")).toList();

    static final List<String> COLUMNS = Stream.of(
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
                            "judged",
                            "transactions",
                            "operations",
                            "thread_ms",
                            "process_ms",
                            "elapsed_ms"),
                    STAGES,
                    List.of("resident_mb", "held_mb", "heap_mb", "shuffle_mb"),
                    STAGE_MEMORY,
                    List.of("components", "largest", "candidate_reads", "instantiated", "decisions", "conflicts"))
            .flatMap(List::stream)
            .toList();

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
