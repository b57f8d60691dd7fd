package org.polygraph.benchmarks.experiment;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.spark.launcher.JavaModuleOptions;
import org.polygraph.benchmarks.pipeline.Measurement;
import org.polygraph.benchmarks.pipeline.ResultsFile;

/**
 * Measures which sizes a check can handle. Histories of growing size are generated once with {@code polygraph generate}
 * as Parquet with times. The real command checks each in a process of its own. Spark's own sort of the same operations
 * is measured too, for comparison. A line is appended to {@code NAME.csv} after each measurement; the table shows all
 * lines of the file.
 */
final class Capacity {
    private static final int OPERATIONS = 8;
    private static final int SESSIONS = 50;
    /** Operations a key: a million keys for a hundred million operations. */
    private static final int OPERATIONS_PER_KEY = 100;

    static final String EMBEDDED = "embedded";
    private static final String SORT = "sort by (key, transaction), ";
    private static final String GENERATE = "generate";

    /** Settings of Spark with which it writes an event log of all its tasks. */
    private static final List<String> LOGGED = List.of(
            "-Dspark.eventLog.enabled=true",
            "-Dspark.eventLog.compress=false",
            "-Dspark.eventLog.rolling.enabled=false");

    private static final ObjectMapper JSON = new ObjectMapper();

    private final PrintWriter out;
    private final Path folder;
    private final Plan plan;

    /**
     * The measurements to make.
     *
     * @param sizes operations
     * @param engines {@value #EMBEDDED} or Spark masters
     * @param levels as the command takes them
     * @param times as {@code --time} takes them
     * @param generate more words for {@code polygraph generate}
     */
    record Plan(
            String name,
            List<Long> sizes,
            List<String> engines,
            List<String> levels,
            List<String> times,
            String heap,
            List<String> generate) {}

    Capacity(PrintWriter out, Path folder, Plan plan) {
        this.out = out;
        this.folder = folder;
        this.plan = plan;
    }

    /** Parses a number of operations: 10k, 2.5M, 1000. */
    static long size(String words) {
        Matcher number = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)([kMG]?)").matcher(words);
        if (!number.matches()) {
            throw new IllegalArgumentException(
                    "found size " + words + "; expected a number of operations, such as 10k, 2.5M or 100M");
        }
        double unit =
                switch (number.group(2)) {
                    case "k" -> 1e3;
                    case "M" -> 1e6;
                    case "G" -> 1e9;
                    default -> 1;
                };
        return Math.round(Double.parseDouble(number.group(1)) * unit);
    }

    void run() throws IOException, InterruptedException {
        Path csv = folder.resolve(plan.name + ".csv");
        Path histories = Files.createDirectories(folder.resolve("histories"));
        for (long operations : plan.sizes) {
            Path history = histories.resolve(plan.name + "-" + operations + ".parquet");
            if (!Files.exists(history)) {
                append(csv, generate(history, operations));
            }
            for (String engine : plan.engines) {
                if (!engine.equals(EMBEDDED)) {
                    append(csv, sort(history, operations, engine));
                }
            }
            for (String engine : plan.engines) {
                for (String level : plan.levels) {
                    for (String time : plan.times) {
                        append(csv, check(history, operations, engine, level, time));
                    }
                }
            }
        }
        Files.writeString(folder.resolve(plan.name + ".md"), Tables.capacity(ResultsFile.read(csv)));
    }

    private void append(Path csv, Measurement m) throws IOException {
        ResultsFile.append(csv, m);
        out.printf(
                Locale.ROOT,
                "%s %s %s: %s, %s CPU-ms, %s ms, %s MB, shuffle %s MB %s%n",
                m.get("source"),
                m.get("level"),
                m.get("setting"),
                m.get("verdict"),
                m.get("process_ms"),
                m.get("elapsed_ms"),
                m.get("resident_mb"),
                m.get("shuffle_mb"),
                m.get("reason"));
        out.flush();
    }

    private Measurement generate(Path history, long operations) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                launcher(),
                "generate",
                "-q",
                "--overwrite",
                "--memory",
                plan.heap,
                "--transactions",
                Long.toString(Math.max(1, operations / OPERATIONS)),
                "--sessions",
                Integer.toString(SESSIONS),
                "--keys",
                Long.toString(Math.max(1, operations / OPERATIONS_PER_KEY)),
                "--seed",
                "1"));
        command.addAll(plan.generate);
        command.addAll(List.of("-o", history.toString()));
        ChildProcess process = ChildProcess.run(folder, Map.of("JAVA_OPTS", ""), command);
        if (process.exitCode() != 0) {
            throw new IOException(history + ": " + process.errors());
        }
        return measurement(process, operations, GENERATE).set("verdict", Measurement.DONE);
    }

    private Measurement sort(Path history, long operations, String master) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(Arrays.asList(JavaModuleOptions.defaultModuleOptionArray()));
        command.addAll(List.of("-XX:-UsePerfData", "-Xmx" + plan.heap));
        return logged(
                command,
                List.of(
                        "-cp",
                        System.getProperty("java.class.path"),
                        RowSort.class.getName(),
                        history.toString(),
                        master,
                        folder.toString()),
                operations,
                SORT + master);
    }

    private Measurement check(Path history, long operations, String engine, String level, String time)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(launcher(), "check", "--progress", "json", "--json", "-l", level, "--time", time));
        command.addAll(List.of("--memory", plan.heap));
        String setting = engine + ", time " + time;
        if (engine.equals(EMBEDDED)) {
            // Without --engine the check would decide by windows if memory is small.
            command.addAll(List.of("--engine", EMBEDDED, history.toString()));
            ChildProcess process = ChildProcess.run(folder, Map.of("JAVA_OPTS", ""), command);
            return judged(measurement(process, operations, setting), process).set("level", level);
        }
        command.addAll(List.of("--engine", "spark", "--master", engine, history.toString()));
        return logged(List.of(), command, operations, setting).set("level", level);
    }

    /** Runs a process that uses Spark, and adds up the bytes that its tasks wrote for shuffles. */
    private Measurement logged(List<String> java, List<String> words, long operations, String setting)
            throws IOException, InterruptedException {
        Path log = Files.createTempDirectory(folder, "events-");
        try {
            List<String> flags = new ArrayList<>(LOGGED);
            flags.add("-Dspark.eventLog.dir=" + log.toUri());
            List<String> command = new ArrayList<>(java);
            Map<String, String> environment = Map.of();
            if (java.isEmpty()) {
                environment = Map.of("JAVA_OPTS", String.join(" ", flags));
            } else {
                command.addAll(flags);
            }
            command.addAll(words);
            ChildProcess process = ChildProcess.run(folder, environment, command);
            Measurement result = measurement(process, operations, setting)
                    .set("shuffle_mb", String.format(Locale.ROOT, "%.2f", shuffled(log) / 1e6));
            return java.isEmpty()
                    ? judged(result, process)
                    : result.set("verdict", process.exitCode() == 0 ? Measurement.DONE : "FAILED")
                            .set("reason", process.exitCode() == 0 ? "" : lastLine(process.errors()));
        } finally {
            try (Stream<Path> files = Files.walk(log)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    private Measurement measurement(ChildProcess process, long operations, String setting) throws IOException {
        return Measurement.here()
                .set(
                        "load",
                        String.format(
                                Locale.ROOT,
                                "%.1f",
                                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage()))
                .set("title", "Capacity: " + plan.name)
                .set("x", "ops")
                .set("source", "gen:ops=" + operations)
                .set("setting", setting)
                .set("heap", plan.heap)
                .set("transactions", operations / OPERATIONS)
                .set("operations", operations)
                .set("process_ms", process.cpuMillis())
                .set("elapsed_ms", process.wallMillis())
                .set("resident_mb", process.residentBytes() / 1_000_000)
                .set("held_mb", process.heldBytes() / 1_000_000);
    }

    /** Adds the content of the verdict. A process without a verdict has failed. */
    static Measurement judged(Measurement result, ChildProcess process) throws IOException {
        JsonNode json = JSON.readTree(process.out());
        if (!json.has("verdict")) {
            return result.set("verdict", "FAILED")
                    .set("reason", "exit code " + process.exitCode() + ": " + lastLine(process.errors()));
        }
        String verdict = json.get("verdict").asText();
        result.set("verdict", verdict)
                .set("reason", verdict.equals("PASS") ? "" : json.path("reason").asText());
        if (json.path("certificate").path("verified").asBoolean()) {
            result.set("certificate", "verified");
        }
        for (JsonNode phase : json.path("phases")) {
            String column = phase.path("name").asText() + "_ms";
            if (Measurement.PHASES.contains(column)) {
                double before = result.number(column);
                long millis = phase.path("cpu_ms").asLong();
                result.set(column, (Double.isNaN(before) ? 0 : Math.round(before)) + millis);
            }
        }
        process.phaseBytes().forEach((phase, bytes) -> {
            String column = (phase.equals("reading") ? "read" : phase) + "_mb";
            if (Measurement.PHASE_MEMORY.contains(column)) {
                result.set(column, bytes / 1_000_000);
            }
        });
        return result;
    }

    private static String lastLine(String text) {
        return text.lines().reduce("", (before, line) -> line.isBlank() ? before : line);
    }

    /**
     * Returns the bytes that tasks wrote for shuffles, by Spark's event logs in a folder. The logs begin with the name
     * of the application.
     */
    static long shuffled(Path log) throws IOException {
        long bytes = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(log, path -> !Files.isHidden(path))) {
            for (Path file : files) {
                try (MappingIterator<JsonNode> events =
                        JSON.readerFor(JsonNode.class).readValues(file.toFile())) {
                    while (events.hasNext()) {
                        JsonNode event = events.next();
                        if (event.path("Event").asText().equals("SparkListenerTaskEnd")) {
                            bytes += event.path("Task Metrics")
                                    .path("Shuffle Write Metrics")
                                    .path("Shuffle Bytes Written")
                                    .asLong();
                        }
                    }
                }
            }
        }
        return bytes;
    }

    private static String launcher() {
        return Path.of(System.getProperty("polygraph.root", "."), "polygraph")
                .toAbsolutePath()
                .toString();
    }
}
