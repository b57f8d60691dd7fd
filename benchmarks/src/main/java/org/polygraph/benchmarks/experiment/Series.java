package org.polygraph.benchmarks.experiment;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.polygraph.benchmarks.data.FormulaSpec;
import org.polygraph.benchmarks.data.GeneratorSpec;
import org.polygraph.benchmarks.pipeline.Measurement;

/**
 * Measurements that differ only in their x (and the generator's seed), in the order of first appearance.
 *
 * @param name what distinguishes it from the other series
 */
record Series(String name, List<Point> points) {
    /** The measurements of one x. */
    record Point(double x, List<Measurement> measurements) {
        /**
         * Returns the median of a column, where an undecided value counts as larger than any other; NaN if the median
         * is undecided.
         */
        double median(String column) {
            double[] values = measurements.stream()
                    .mapToDouble(m -> m.isDecided() ? m.number(column) : Double.POSITIVE_INFINITY)
                    .sorted()
                    .toArray();
            double median = values[values.length / 2];
            return Double.isInfinite(median) ? Double.NaN : median;
        }

        long decided() {
            return measurements.stream().filter(Measurement::isDecided).count();
        }
    }

    /** Groups measurements. */
    static List<Series> of(List<Measurement> measurements) {
        Map<String, Set<String>> alternatives = new LinkedHashMap<>();
        for (Measurement m : measurements) {
            parts(m).forEach((name, value) -> alternatives
                    .computeIfAbsent(name, n -> new LinkedHashSet<>())
                    .add(value));
            for (String name : alternatives.keySet()) {
                if (!parts(m).containsKey(name)) {
                    alternatives.get(name).add("");
                }
            }
        }
        Map<String, List<Measurement>> byName = new LinkedHashMap<>();
        for (Measurement m : measurements) {
            List<String> words = new ArrayList<>();
            for (String name : alternatives.keySet()) {
                String value = parts(m).getOrDefault(name, "");
                if (alternatives.get(name).size() > 1 && !value.isEmpty()) {
                    words.add(word(name, value));
                }
            }
            String name = words.isEmpty() ? m.get("level").toUpperCase(Locale.ROOT) : String.join(" ", words);
            byName.computeIfAbsent(name, n -> new ArrayList<>()).add(m);
        }
        List<Series> series = new ArrayList<>();
        byName.forEach((name, members) -> series.add(new Series(name, points(members))));
        return series;
    }

    private static String word(String name, String value) {
        return switch (name) {
            case "level" -> value.toUpperCase(Locale.ROOT);
            case "source", "setting" -> value;
            default -> name + "=" + value;
        };
    }

    private static List<Point> points(List<Measurement> members) {
        Map<Double, List<Measurement>> byX = new LinkedHashMap<>();
        for (Measurement m : members) {
            byX.computeIfAbsent(x(m), x -> new ArrayList<>()).add(m);
        }
        List<Point> points = new ArrayList<>();
        byX.forEach((x, same) -> points.add(new Point(x, same)));
        points.sort((a, b) -> Double.compare(a.x, b.x));
        return points;
    }

    /**
     * Returns the place of a measurement on the x-axis. If its source does not have that setting, it is the number of
     * transactions.
     */
    static double x(Measurement m) {
        String setting = m.get("x");
        double position = setting.isEmpty() ? 0 : Sweep.position(m.get("source"), setting);
        return position > 0 ? position : m.number("transactions");
    }

    /**
     * Returns what may distinguish a measurement: the settings of its source except x and seed, the level and the
     * setting.
     */
    private static Map<String, String> parts(Measurement m) {
        Map<String, String> parts = new LinkedHashMap<>();
        String source = m.get("source");
        if (GeneratorSpec.isSpec(source) || FormulaSpec.isSpec(source)) {
            Arrays.stream(source.substring(source.indexOf(':') + 1).split(",", -1))
                    .map(part -> part.split("=", 2))
                    .filter(part -> part.length == 2)
                    .filter(part -> !part[0].equals(m.get("x")) && !part[0].equals("seed"))
                    .forEach(part -> parts.put(part[0], part[1]));
        } else {
            parts.put("source", name(source));
        }
        parts.put("level", m.get("level"));
        parts.put("setting", m.get("setting"));
        return parts;
    }

    /** Returns the last name of a path, or of the folder of a file {@code history.*}. */
    static String name(String path) {
        String[] names = path.replaceFirst("/history\\.[a-z.]+$", "").split("/", -1);
        return names[names.length - 1];
    }
}
