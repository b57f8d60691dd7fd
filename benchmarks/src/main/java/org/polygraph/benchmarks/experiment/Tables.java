package org.polygraph.benchmarks.experiment;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.polygraph.benchmarks.pipeline.Measurement;

/** Measurements as Markdown tables. */
final class Tables {
    private Tables() {}

    /** A Markdown table; all rows have the same number of cells, the first row is the header. */
    private static String table(List<List<String>> rows) {
        StringBuilder out = new StringBuilder();
        for (List<String> row : rows) {
            out.append("| ").append(String.join(" | ", row)).append(" |\n");
            if (row == rows.get(0)) {
                out.append('|').append("---|".repeat(row.size())).append('\n');
            }
        }
        return out.toString();
    }

    /** Returns a table with a row for each series and a column for each x: seconds, and verdicts other than PASS. */
    static String growth(List<Measurement> measurements) {
        List<Series> all = Series.of(measurements);
        TreeSet<Double> columns = new TreeSet<>();
        all.forEach(series -> series.points().forEach(point -> columns.add(point.x())));
        List<List<String>> rows = new ArrayList<>();
        rows.add(row("series", columns.stream().map(Tables::number)));
        for (Series series : all) {
            Map<Double, Series.Point> byX = new LinkedHashMap<>();
            series.points().forEach(point -> byX.put(point.x(), point));
            rows.add(row(series.name(), columns.stream().map(x -> {
                Series.Point point = byX.get(x);
                return point == null ? "" : cell(point);
            })));
        }
        return table(rows);
    }

    private static List<String> row(String first, Stream<String> others) {
        return Stream.concat(Stream.of(first), others).toList();
    }

    private static String cell(Series.Point point) {
        int all = point.measurements().size();
        double seconds = point.median("thread_ms") / 1000;
        String time = Double.isNaN(seconds) ? "" : seconds(seconds) + " s";
        if (all > 1) {
            String many = point.decided() < all ? " (" + point.decided() + " of " + all + " decided)" : "";
            return (time.isEmpty() ? "-" : time) + many;
        }
        Measurement only = point.measurements().get(0);
        return switch (only.get("verdict")) {
            case "PASS" -> time;
            case "VIOLATION" -> time + " violation";
            default -> only.get("verdict") + " at " + only.get("seconds") + " s";
        };
    }

    private static String seconds(double seconds) {
        return String.format(Locale.ROOT, seconds < 1 ? "%.3f" : seconds < 10 ? "%.2f" : "%.1f", seconds);
    }

    /**
     * Returns a table with a row for each measurement; those of one history and level are together: the solver's steps
     * and the cost.
     */
    static String ablation(List<Measurement> measurements) {
        Map<String, List<Measurement>> byHistory = new LinkedHashMap<>();
        for (Measurement m : measurements) {
            byHistory
                    .computeIfAbsent(m.get("source") + " " + m.get("level"), k -> new ArrayList<>())
                    .add(m);
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of(
                "history",
                "level",
                "setting",
                "verdict",
                "CPU-ms",
                "of that saturation, solver",
                "peak heap MB",
                "clauses",
                "decisions",
                "conflicts"));
        byHistory.values().forEach(same -> {
            for (Measurement m : same) {
                rows.add(List.of(
                        m == same.get(0) ? Series.name(m.get("source")) : "",
                        m.get("level").toUpperCase(Locale.ROOT),
                        m.get("setting"),
                        m.get("verdict"),
                        whole(m, "thread_ms"),
                        whole(m, "saturation_ms") + ", " + whole(m, "solve_ms"),
                        m.get("heap_mb"),
                        m.get("instantiated"),
                        m.get("decisions"),
                        m.get("conflicts")));
            }
        });
        return table(rows);
    }

    /**
     * Returns a table with a row for each measurement of {@link Capacity}: its cost, also as a multiple of the CPU of
     * the last sort of the same size, and the cost of each phase; {@code other} is start and output. A second table has
     * the memory.
     */
    static String capacity(List<Measurement> measurements) {
        return table(costs(measurements)) + "\nResident while a phase ran, MB; at the peak, bytes a transaction:\n\n"
                + table(memory(measurements));
    }

    private static List<List<String>> memory(List<Measurement> measurements) {
        List<List<String>> rows = new ArrayList<>();
        List<String> header = new ArrayList<>(List.of("operations", "what", "level", "bytes a transaction"));
        Measurement.PHASE_MEMORY.forEach(column -> header.add(column.replace("_mb", "")));
        rows.add(header);
        for (Measurement m : measurements) {
            if (Measurement.PHASE_MEMORY.stream()
                    .anyMatch(column -> !m.get(column).isEmpty())) {
                List<String> row = new ArrayList<>(List.of(
                        number(m.number("operations")),
                        m.get("setting"),
                        m.get("level").toUpperCase(Locale.ROOT),
                        String.format(Locale.ROOT, "%.0f", m.number("resident_mb") * 1e6 / m.number("transactions"))));
                Measurement.PHASE_MEMORY.forEach(column -> row.add(m.get(column)));
                rows.add(row);
            }
        }
        return rows;
    }

    private static List<List<String>> costs(List<Measurement> measurements) {
        List<List<String>> rows = new ArrayList<>();
        List<String> header = new ArrayList<>(List.of(
                "operations",
                "what",
                "level",
                "verdict",
                "CPU-s",
                "of the sort",
                "wall s",
                "resident MB",
                "held MB",
                "shuffle MB"));
        Measurement.PHASES.forEach(column -> header.add(column.replace("_ms", "")));
        header.add("other");
        rows.add(header);
        Map<String, Double> sorts = new LinkedHashMap<>();
        for (Measurement m : measurements) {
            if (m.get("setting").startsWith("sort")) {
                sorts.put(m.get("operations"), m.number("process_ms"));
            }
        }
        for (Measurement m : measurements) {
            double process = m.number("process_ms");
            Double sort = sorts.get(m.get("operations"));
            List<String> row = new ArrayList<>(List.of(
                    number(m.number("operations")),
                    m.get("setting"),
                    m.get("level").toUpperCase(Locale.ROOT),
                    m.get("verdict").equals(Measurement.DONE) ? "" : m.get("verdict"),
                    seconds(process / 1000),
                    sort == null ? "" : String.format(Locale.ROOT, "%.2f", process / sort),
                    seconds(m.number("elapsed_ms") / 1000),
                    m.get("resident_mb"),
                    m.get("held_mb"),
                    m.get("shuffle_mb")));
            double other = process;
            for (String column : Measurement.PHASES) {
                double phase = m.number(column);
                row.add(Double.isNaN(phase) ? "" : seconds(phase / 1000));
                other -= Double.isNaN(phase) ? 0 : phase;
            }
            row.add(m.get("level").isEmpty() ? "" : seconds(other / 1000));
            rows.add(row);
        }
        return rows;
    }

    /** Returns a number in few characters: {@code 30k}, {@code 2.5M}. */
    static String number(double value) {
        double scaled = value >= 1e6 ? value / 1e6 : value >= 1e4 ? value / 1e3 : value;
        String digits = scaled == Math.rint(scaled)
                ? Long.toString((long) scaled)
                : String.format(Locale.ROOT, "%.4g", scaled)
                        .replaceFirst("0+$", "")
                        .replaceFirst("\\.$", "");
        return digits + (value >= 1e6 ? "M" : value >= 1e4 ? "k" : "");
    }

    private static String whole(Measurement m, String column) {
        double value = m.number(column);
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.0f", value);
    }
}
