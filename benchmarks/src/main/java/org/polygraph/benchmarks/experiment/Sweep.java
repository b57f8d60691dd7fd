package org.polygraph.benchmarks.experiment;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.polygraph.benchmarks.data.GeneratorSpec;

/**
 * A grid of measurements, as text with a line for each setting or run. Braces contain alternatives; all combinations
 * in a line are run:
 *
 * <pre>
 * # comment
 * title Uniform keys
 * x txns                    the setting on the x-axis; without it, the history's transactions
 * seconds 60                of CPU time for each check, then it is UNKNOWN
 * heap 8g                   of each JVM
 * warmups 1                 checks before the one measured
 * run gen:txns={10000|100000},keys=1/txn level={ser|si} setting={default|rounds=1} seconds=10
 * </pre>
 *
 * @param cells in the order of their x
 */
record Sweep(String title, String x, List<Cell> cells) {
    /**
     * One measurement.
     *
     * @param source a path or a spec
     */
    record Cell(String source, String level, String setting, int seconds, String heap, int warmups) {}

    /** The names of the sweeps that are included. */
    static final List<String> NAMES = List.of(
            "uniform",
            "zipf",
            "hotspot",
            "fewkeys",
            "values",
            "dense",
            "stale",
            "formulas",
            "pigeons",
            "sessions",
            "timed",
            "ablation");

    /** Returns an included sweep, or that of a file. */
    static Sweep of(String name, List<String> paths) throws IOException {
        if (!NAMES.contains(name)) {
            return parse(Files.readString(Path.of(name)), paths);
        }
        try (InputStream in = GeneratorSpec.class.getResourceAsStream(name + ".sweep")) {
            if (in == null) {
                throw new IOException("the sweep " + name + " is not on the class path");
            }
            return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8), paths);
        }
    }

    /**
     * Reads a sweep.
     *
     * @param paths what {@code PATHS} on a line stands for: the line is repeated for each
     * @throws IllegalArgumentException that names the line with the mistake
     */
    static Sweep parse(String text, List<String> paths) {
        String title = "";
        String x = "";
        int seconds = 120;
        String heap = "8g";
        int warmups = 0;
        List<Cell> cells = new ArrayList<>();
        for (String line : text.split("\n", -1)) {
            String[] words = line.strip().split("\\s+", 2);
            if (words[0].isEmpty() || words[0].startsWith("#")) {
                continue;
            }
            String rest = words.length > 1 ? words[1] : "";
            switch (words[0]) {
                case "title" -> title = rest;
                case "x" -> x = rest;
                case "seconds" -> seconds = Integer.parseInt(rest);
                case "heap" -> heap = rest;
                case "warmups" -> warmups = Integer.parseInt(rest);
                case "run" -> {
                    for (String path : rest.contains("PATHS") ? paths : List.of("")) {
                        for (String combination : combinations(rest.replace("PATHS", path))) {
                            cells.add(cell(combination, seconds, heap, warmups));
                        }
                    }
                }
                default ->
                    throw new IllegalArgumentException(
                            "'" + line + "'; expected title, x, seconds, heap, warmups or run, and its value");
            }
        }
        String axis = x;
        cells.sort((a, b) -> Double.compare(position(a.source, axis), position(b.source, axis)));
        return new Sweep(title, x, cells);
    }

    /** Returns the number of a setting in a spec; 0 if it has none. */
    static double position(String source, String setting) {
        for (String part : source.substring(source.indexOf(':') + 1).split(",", -1)) {
            if (part.startsWith(setting + "=")) {
                return Double.parseDouble(part.substring(setting.length() + 1));
            }
        }
        return 0;
    }

    private static Cell cell(String words, int seconds, String heap, int warmups) {
        String source = "";
        String level = "ser";
        String setting = Setting.DEFAULT;
        int limit = seconds;
        String memory = heap;
        for (String word : words.split("\\s+", -1)) {
            int equals = word.indexOf('=');
            String value = word.substring(equals + 1);
            switch (source.isEmpty() || equals < 0 ? "" : word.substring(0, equals)) {
                case "level" -> level = value.toLowerCase(Locale.ROOT);
                case "setting" -> setting = value;
                case "seconds" -> limit = Integer.parseInt(value);
                case "heap" -> memory = value;
                case "" -> {
                    if (!source.isEmpty()) {
                        throw new IllegalArgumentException("'" + word + "' in run " + words);
                    }
                    source = word;
                }
                default ->
                    throw new IllegalArgumentException(
                            "'" + word + "' in run " + words + "; expected level, setting, seconds or heap");
            }
        }
        Setting.parse(setting);
        return new Cell(source, level, setting, limit, memory, warmups);
    }

    private static List<String> combinations(String text) {
        int open = text.indexOf('{');
        if (open < 0) {
            return List.of(text);
        }
        int close = text.indexOf('}', open);
        if (close < 0) {
            throw new IllegalArgumentException("'" + text + "' has a brace that does not end");
        }
        List<String> all = new ArrayList<>();
        for (String alternative : text.substring(open + 1, close).split("\\|", -1)) {
            all.addAll(combinations(text.substring(0, open) + alternative + text.substring(close + 1)));
        }
        return all;
    }
}
