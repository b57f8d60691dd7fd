package org.polygraph.benchmarks.experiment;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.spark.launcher.JavaModuleOptions;
import org.polygraph.benchmarks.pipeline.ResultsFile;

/**
 * How far it goes: histories of growing size, made once with {@code polygraph generate} as Parquet with times, each checked by
 * the real command in a process of its own, and by the side of it Spark's own sort of the same operations, the measure of
 * what a check may cost. Appends a line a measurement to {@code NAME.csv} as soon as there is one; table and plots are of all
 * that is in it.
 */
final class Capacity {
    private static final int OPERATIONS = 8;
    private static final int SESSIONS = 50;
    /** Operations a key: a million keys at a hundred million. */
    private static final int OPERATIONS_PER_KEY = 100;

    static final String EMBEDDED = "embedded";
    private static final String SORT = "sort by (key, transaction), ";
    private static final String GENERATE = "generate";

    /** Settings of Spark that leave a plain file of all that its tasks did. */
    private static final List<String> LOGGED = List.of(
            "-Dspark.eventLog.enabled=true",
            "-Dspark.eventLog.compress=false",
            "-Dspark.eventLog.rolling.enabled=false");

    private static final Pattern PHASE = Pattern.compile("\"name\":\"([a-z]+)\",\"ms\":[0-9]+,\"cpu_ms\":([0-9]+)");
    private static final Pattern VERDICT = Pattern.compile("\"verdict\":\"([A-Z]+)\"");
    private static final Pattern REASON = Pattern.compile("\"reason\":\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern VERIFIED = Pattern.compile("\"certificate\":\\{[^}]*\"verified\":true");
    private static final Pattern SHUFFLED = Pattern.compile("\"Shuffle Bytes Written\":([0-9]+)");

    private final PrintWriter out;
    private final Path folder;
    private final Plan plan;

    /**
     * What to measure.
     *
     * @param name of the result files
     * @param sizes operations
     * @param engines {@value #EMBEDDED} or Spark masters
     * @param levels as the command takes them
     * @param times as {@code --time} takes them
     * @param heap of each JVM
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

    /** 10k, 2.5M, 1000: a number of operations. */
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
        report(csv);
    }

    /** Writes table and plots of all that is in the CSV. */
    void report(Path csv) throws IOException {
        List<Measurement> all = Csv.read(csv);
        Files.writeString(folder.resolve(plan.name + ".md"), Markdown.capacity(all));
        for (Plot.Axis axis : List.of(Plot.Axis.PROCESS, Plot.Axis.WALL, Plot.Axis.RESIDENT, Plot.Axis.SHUFFLE)) {
            draw(axis.column().replaceFirst("_.*", ""), all, axis);
        }
        Set<String> checks = new LinkedHashSet<>();
        all.stream().filter(m -> !m.get("level").isEmpty()).forEach(m -> checks.add(check(m)));
        for (String check : checks) {
            List<Measurement> same =
                    all.stream().filter(m -> check(m).equals(check)).toList();
            String name = check.replaceAll("[^a-z0-9]+", "-");
            draw("stages-" + name, byStage(same, Measurement.STAGES, "process_ms"), Plot.Axis.PROCESS);
            draw("memory-" + name, byStage(same, Measurement.STAGE_MEMORY, "resident_mb"), Plot.Axis.RESIDENT);
        }
    }

    private void draw(String what, List<Measurement> all, Plot.Axis axis) throws IOException {
        List<Measurement> measured =
                all.stream().filter(m -> !Double.isNaN(m.number(axis.column()))).toList();
        if (!measured.isEmpty()) {
            Files.writeString(folder.resolve(plan.name + "-" + what + ".svg"), Plot.of(measured, axis));
        }
    }

    private static String check(Measurement m) {
        return m.get("level") + " " + m.get("setting");
    }

    /**
     * The stages of a measurement as measurements of their own.
     *
     * @param columns one a stage
     * @param as the column they are in then
     */
    static List<Measurement> byStage(List<Measurement> checks, List<String> columns, String as) {
        List<Measurement> stages = new ArrayList<>();
        for (String column : columns) {
            for (Measurement m : checks) {
                if (!m.get(column).isEmpty()) {
                    stages.add(new Measurement()
                            .set("title", check(m) + ": stages")
                            .set("x", m.get("x"))
                            .set("source", m.get("source"))
                            .set("setting", column.substring(0, column.indexOf('_')))
                            .set("verdict", m.get("verdict"))
                            .set(as, m.get(column)));
                }
            }
        }
        return stages;
    }

    private void append(Path csv, Measurement m) throws IOException {
        Csv.append(csv, m);
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
                Map.of(),
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
            // Not what the launcher chooses: with little memory that is Spark.
            command.addAll(List.of("--engine", EMBEDDED, history.toString()));
            ChildProcess process = ChildProcess.run(folder, Map.of("JAVA_OPTS", ""), command);
            return judged(measurement(process, operations, setting), process).set("level", level);
        }
        command.addAll(List.of("--engine", "spark", "--master", engine, history.toString()));
        return logged(List.of(), command, Map.of("JAVA_OPTS", ""), operations, setting)
                .set("level", level);
    }

    /** Runs a process that uses Spark, and adds up the bytes that its tasks wrote for shuffles. */
    private Measurement logged(
            List<String> java, List<String> words, Map<String, String> environment, long operations, String setting)
            throws IOException, InterruptedException {
        Path log = Files.createTempDirectory(folder, "events-");
        try {
            List<String> flags = new ArrayList<>(LOGGED);
            flags.add("-Dspark.eventLog.dir=" + log.toUri());
            List<String> command = new ArrayList<>(java);
            Map<String, String> own = environment;
            if (java.isEmpty()) {
                own = Map.of("JAVA_OPTS", String.join(" ", flags));
            } else {
                command.addAll(flags);
            }
            command.addAll(words);
            ChildProcess process = ChildProcess.run(folder, own, command);
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
        return new Measurement()
                .set("date", LocalDate.now(ZoneOffset.UTC).toString())
                .set("commit", System.getProperty("polygraph.commit", "unknown"))
                .set("machine", ResultsFile.machine())
                .set("jvm", Runtime.version().toString())
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

    /** Takes over what a verdict says; a process without one has failed. */
    static Measurement judged(Measurement result, ChildProcess process) {
        String json = process.out();
        Matcher verdict = VERDICT.matcher(json);
        if (!verdict.find()) {
            return result.set("verdict", "FAILED")
                    .set("reason", "exit code " + process.exitCode() + ": " + lastLine(process.errors()));
        }
        result.set("verdict", verdict.group(1));
        Matcher reason = REASON.matcher(json);
        if (!verdict.group(1).equals("PASS") && reason.find()) {
            result.set("reason", reason.group(1));
        }
        if (VERIFIED.matcher(json).find()) {
            result.set("certificate", "verified");
        }
        Matcher phase = PHASE.matcher(json);
        while (phase.find()) {
            String column = phase.group(1) + "_ms";
            if (Measurement.COLUMNS.contains(column)) {
                double before = result.number(column);
                result.set(column, (Double.isNaN(before) ? 0 : Math.round(before)) + Long.parseLong(phase.group(2)));
            }
        }
        process.stageBytes().forEach((stage, bytes) -> {
            String column = (stage.equals("reading") ? "read" : stage) + "_mb";
            if (Measurement.STAGE_MEMORY.contains(column)) {
                result.set(column, bytes / 1_000_000);
            }
        });
        return result;
    }

    private static String lastLine(String text) {
        return text.lines().reduce("", (before, line) -> line.isBlank() ? before : line);
    }

    /** Bytes that tasks wrote for shuffles, by an event log of Spark. */
    static long shuffled(Path log) throws IOException {
        long[] bytes = {0};
        try (Stream<Path> files = Files.walk(log)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                try (Stream<String> lines = Files.lines(file)) {
                    lines.filter(line -> line.startsWith("{\"Event\":\"SparkListenerTaskEnd\""))
                            .forEach(line -> {
                                Matcher written = SHUFFLED.matcher(line);
                                if (written.find()) {
                                    bytes[0] += Long.parseLong(written.group(1));
                                }
                            });
                } catch (UncheckedIOException e) {
                    // The checksum beside a log is no text.
                }
            }
        }
        return bytes[0];
    }

    private static String launcher() {
        return Path.of(System.getProperty("polygraph.root", "."), "polygraph")
                .toAbsolutePath()
                .toString();
    }
}
