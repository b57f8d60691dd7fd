package org.polygraph.jobs.jdbc;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/** Counts executions by statement, without values, and by what was recorded of them. */
final class Shapes {
    static final String RECORDED = "recorded";
    private static final Pattern VALUE = Pattern.compile("'(?:[^']|'')*'|(?<![\\w$\"`])\\d+(?:\\.\\d+)?");
    private static final Pattern LIST = Pattern.compile("\\(\\s*\\?(\\s*,\\s*\\?)+\\s*\\)");

    private static final int MOST_SHAPES = 10_000;

    private final Map<String, String> shapes = new ConcurrentHashMap<>();

    /** By shape and by outcome: {@link #RECORDED}, or why something was not recorded. */
    private final Map<String, Map<String, AtomicLong>> counts = new ConcurrentHashMap<>();

    /** A statement without its values. */
    String of(String sql) {
        String shape = shapes.get(sql);
        if (shape == null) {
            shape = without(sql);
            if (shapes.size() < MOST_SHAPES) {
                shapes.put(sql, shape);
            }
        }
        return shape;
    }

    private static String without(String sql) {
        String bare = VALUE.matcher(sql.strip().replaceAll("\\s+", " ")).replaceAll("?");
        return LIST.matcher(bare).replaceAll("(?, ...)");
    }

    void add(String shape, String outcome) {
        counts.computeIfAbsent(shape, each -> new ConcurrentHashMap<>())
                .computeIfAbsent(outcome, each -> new AtomicLong())
                .incrementAndGet();
    }

    /** Executions of all shapes. @param onlyRecorded those of which everything was recorded */
    long total(boolean onlyRecorded) {
        return counts.values().stream()
                .flatMap(each -> each.entrySet().stream())
                .filter(each -> !onlyRecorded || each.getKey().equals(RECORDED))
                .mapToLong(each -> each.getValue().get())
                .sum();
    }

    void write(OutputStream out) throws IOException {
        try (JsonGenerator json = new JsonFactory().createGenerator(out, JsonEncoding.UTF8)) {
            json.useDefaultPrettyPrinter();
            json.writeStartObject();
            json.writeNumberField("executions", total(false));
            json.writeNumberField(RECORDED, total(true));
            json.writeArrayFieldStart("statements");
            for (Map.Entry<String, Map<String, AtomicLong>> each : new TreeMap<>(counts).entrySet()) {
                json.writeStartObject();
                json.writeStringField("sql", each.getKey());
                for (Map.Entry<String, AtomicLong> outcome : new TreeMap<>(each.getValue()).entrySet()) {
                    json.writeNumberField(outcome.getKey(), outcome.getValue().get());
                }
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
    }
}
