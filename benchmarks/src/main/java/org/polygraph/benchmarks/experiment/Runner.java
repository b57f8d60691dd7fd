package org.polygraph.benchmarks.experiment;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.polygraph.benchmarks.pipeline.Measurement;
import org.polygraph.benchmarks.pipeline.ResultsFile;

/**
 * Runs the cells of a sweep one after the other, each in a JVM of its own with the same class path and flags except for
 * the heap. If no cell of a line was decided at some x, larger ones are not tried.
 */
final class Runner {
    /** Seconds for start and generation; a child that takes longer hangs and is killed. */
    private static final int GRACE_SECONDS = 900;
    /** How many seconds may pass for each second of CPU time, because other processes may use the machine. */
    private static final int STRETCH = 10;

    /** The last x of a line of a sweep, and whether anything was decided there. */
    private record Reached(double x, boolean decided) {}

    private final PrintWriter out;
    private final Path folder;
    private final @Nullable String heap;
    private final @Nullable Integer seconds;
    private final @Nullable Double most;

    Runner(PrintWriter out, Path folder, @Nullable String heap, @Nullable Integer seconds, @Nullable Double most) {
        this.out = out;
        this.folder = folder;
        this.heap = heap;
        this.seconds = seconds;
        this.most = most;
    }

    /** Appends to {@code name.csv}, then writes a table of the whole file. */
    void run(String name, Sweep sweep) throws IOException, InterruptedException {
        Path csv = folder.resolve(name + ".csv");
        Map<String, Reached> reached = new HashMap<>();
        for (Sweep.Cell cell : sweep.cells()) {
            double x = Sweep.position(cell.source(), sweep.x());
            String line = cell.source().replaceAll("(?<=[:,])(" + sweep.x() + "|seed)=[^,]*", "")
                    + cell.level()
                    + cell.setting();
            Reached before = reached.get(line);
            if ((most != null && x > most) || (before != null && x > before.x && !before.decided)) {
                continue;
            }
            Measurement result = measure(cell, sweep);
            ResultsFile.append(csv, result);
            boolean decidedHere = before != null && before.x == x && before.decided;
            reached.put(line, new Reached(x, decidedHere || result.isDecided()));
            out.printf(
                    Locale.ROOT,
                    "%s %s %s: %s, %s CPU-ms, %s MB, %s decisions, %s conflicts%n",
                    cell.source(),
                    cell.level(),
                    cell.setting(),
                    result.get("verdict"),
                    result.get("thread_ms"),
                    result.get("resident_mb"),
                    result.get("decisions"),
                    result.get("conflicts"));
            out.flush();
        }
        if (Files.exists(csv)) {
            List<Measurement> all = ResultsFile.read(csv);
            boolean ablation = name.startsWith("ablation");
            Files.writeString(folder.resolve(name + ".md"), ablation ? Tables.ablation(all) : Tables.growth(all));
        }
    }

    private Measurement measure(Sweep.Cell cell, Sweep sweep) throws IOException, InterruptedException {
        int limit = seconds == null ? cell.seconds() : seconds;
        String memory = heap == null ? cell.heap() : heap;
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        Measurement result = child(cell, limit, memory);
        return result.set("load", String.format(Locale.ROOT, "%.1f", load))
                .set("title", sweep.title())
                .set("x", sweep.x())
                .set("source", cell.source())
                .set("level", cell.level())
                .set("setting", cell.setting())
                .set("heap", memory)
                .set("seconds", limit)
                .set("warmups", cell.warmups());
    }

    private Measurement child(Sweep.Cell cell, int limit, String memory) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (!flag.startsWith("-Xmx") && !flag.startsWith("-XX:MaxRAMPercentage")) {
                command.add(flag);
            }
        }
        command.add("-Xmx" + memory);
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(Measure.class.getName());
        command.addAll(List.of(
                cell.source(),
                cell.level(),
                cell.setting(),
                Integer.toString(limit),
                Integer.toString(cell.warmups())));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String last = "";
        Thread end = new Thread(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(end);
        Thread guard = new Thread(() -> killWhenLate(process, STRETCH * limit * (cell.warmups() + 1) + GRACE_SECONDS));
        guard.setDaemon(true);
        guard.start();
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                last = line;
            }
        }
        int code = process.waitFor();
        Runtime.getRuntime().removeShutdownHook(end);
        if (code != 0) {
            return new Measurement()
                    .set("verdict", code == 137 || code == 143 ? "KILLED" : "FAILED")
                    .set("reason", "exit code " + code);
        }
        return ResultsFile.parse(last);
    }

    private static void killWhenLate(Process process, int afterSeconds) {
        try {
            if (!process.waitFor(afterSeconds, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
        }
    }
}
