package org.polygraph.benchmarks.experiment;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

/** Tables of measurements. */
final class Markdown {
    private Markdown() {}

    /** A line a series, a column an x: seconds, and the verdicts where they are not PASS. */
    static String growth(List<Measurement> measurements) {
        List<Series> all = Series.of(measurements);
        TreeSet<Double> columns = new TreeSet<>();
        all.forEach(series -> series.points().forEach(point -> columns.add(point.x())));
        StringBuilder out = new StringBuilder("| series |");
        columns.forEach(x -> out.append(' ').append(Plot.number(x)).append(" |"));
        out.append("\n|---|").append("---|".repeat(columns.size())).append('\n');
        for (Series series : all) {
            Map<Double, Series.Point> byX = new LinkedHashMap<>();
            series.points().forEach(point -> byX.put(point.x(), point));
            out.append("| ").append(series.name()).append(" |");
            for (Double x : columns) {
                Series.Point point = byX.get(x);
                out.append(' ').append(point == null ? "" : cell(point)).append(" |");
            }
            out.append('\n');
        }
        return out.toString();
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

    /** A line a measurement, those of a history and level together: what the solver did and what it took. */
    static String ablation(List<Measurement> measurements) {
        Map<String, List<Measurement>> byHistory = new LinkedHashMap<>();
        for (Measurement m : measurements) {
            byHistory
                    .computeIfAbsent(m.get("source") + " " + m.get("level"), k -> new ArrayList<>())
                    .add(m);
        }
        StringBuilder out = new StringBuilder(
                "| history | level | setting | verdict | CPU-ms | of that saturation, solver"
                        + " | peak heap MB | clauses | decisions | conflicts |\n|---|---|---|---|---|---|---|---|---|---|\n");
        byHistory.values().forEach(group -> {
            String source = group.get(0).get("source");
            String name = Series.name(source);
            for (Measurement m : group) {
                out.append("| ")
                        .append(String.join(
                                " | ",
                                name,
                                m.get("level").toUpperCase(Locale.ROOT),
                                m.get("setting"),
                                m.get("verdict"),
                                whole(m, "thread_ms"),
                                whole(m, "saturation_ms") + ", " + whole(m, "solve_ms"),
                                m.get("heap_mb"),
                                m.get("instantiated"),
                                m.get("decisions"),
                                m.get("conflicts")))
                        .append(" |\n");
                name = "";
            }
        });
        return out.toString();
    }

    /**
     * A line a measurement of {@link Capacity}: what it took, how many times the CPU of the last sort of the same size, and
     * where; what is in no stage is start and output.
     */
    static String capacity(List<Measurement> measurements) {
        return costs(measurements) + memory(measurements);
    }

    /** What was resident while each stage ran, and that a transaction. */
    private static String memory(List<Measurement> measurements) {
        StringBuilder out = new StringBuilder(
                "\nResident while a stage ran, MB; at the peak, bytes a transaction:\n\n| operations | what"
                        + " | level | bytes a transaction |");
        Measurement.STAGE_MEMORY.forEach(
                column -> out.append(' ').append(column.replace("_mb", "")).append(" |"));
        out.append("\n|")
                .append("---|".repeat(4 + Measurement.STAGE_MEMORY.size()))
                .append('\n');
        for (Measurement m : measurements) {
            if (Measurement.STAGE_MEMORY.stream()
                    .allMatch(column -> m.get(column).isEmpty())) {
                continue;
            }
            List<String> cells = new ArrayList<>(List.of(
                    Plot.number(m.number("operations")),
                    m.get("setting"),
                    m.get("level").toUpperCase(Locale.ROOT),
                    String.format(Locale.ROOT, "%.0f", m.number("resident_mb") * 1e6 / m.number("transactions"))));
            Measurement.STAGE_MEMORY.forEach(column -> cells.add(m.get(column)));
            out.append("| ").append(String.join(" | ", cells)).append(" |\n");
        }
        return out.toString();
    }

    private static String costs(List<Measurement> measurements) {
        StringBuilder out = new StringBuilder("| operations | what | level | verdict | CPU-s | of the sort | wall s"
                + " | resident MB | held MB | shuffle MB |");
        Measurement.STAGES.forEach(
                column -> out.append(' ').append(column.replace("_ms", "")).append(" |"));
        out.append(" other |\n|")
                .append("---|".repeat(11 + Measurement.STAGES.size()))
                .append('\n');
        Map<String, Double> sorts = new LinkedHashMap<>();
        for (Measurement m : measurements) {
            if (m.get("setting").startsWith("sort")) {
                sorts.put(m.get("operations"), m.number("process_ms"));
            }
        }
        for (Measurement m : measurements) {
            double process = m.number("process_ms");
            Double sort = sorts.get(m.get("operations"));
            List<String> cells = new ArrayList<>(List.of(
                    Plot.number(m.number("operations")),
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
            for (String column : Measurement.STAGES) {
                double stage = m.number(column);
                cells.add(Double.isNaN(stage) ? "" : seconds(stage / 1000));
                other -= Double.isNaN(stage) ? 0 : stage;
            }
            cells.add(m.get("level").isEmpty() ? "" : seconds(other / 1000));
            out.append("| ").append(String.join(" | ", cells)).append(" |\n");
        }
        return out.toString();
    }

    private static String whole(Measurement m, String column) {
        double value = m.number(column);
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.0f", value);
    }
}
