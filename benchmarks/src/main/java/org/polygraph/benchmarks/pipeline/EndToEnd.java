package org.polygraph.benchmarks.pipeline;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Tuning;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.model.HistoryException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Reads each history once, checks it for warm-up and then measured, and prints the CPU time of each phase and the peak
 * memory. A process that measures several histories is already warm for the later ones; for cold numbers, use one
 * process for each.
 */
@Command(name = "EndToEnd", sortOptions = false, description = "Measures whole checks in this process.")
public final class EndToEnd implements Callable<Integer> {
    @Option(
            names = {"-l", "--levels"},
            split = ",",
            defaultValue = "ser",
            description = "levels, separated by commas; default ${DEFAULT-VALUE}")
    private List<String> levels = new ArrayList<>();

    @Option(
            names = {"-t", "--time"},
            split = ",",
            defaultValue = "none",
            description = "modes of time, none, hint or strict, separated by commas; default ${DEFAULT-VALUE}")
    private List<String> times = new ArrayList<>();

    @Option(
            names = {"-w", "--warmups"},
            defaultValue = "1",
            description =
                    "checks of each history and level that warm up and are not measured; default ${DEFAULT-VALUE}")
    private int warmups;

    @Option(
            names = {"-n", "--runs"},
            defaultValue = "3",
            description = "measured checks of each history and level; default ${DEFAULT-VALUE}")
    private int runs;

    @Option(
            names = "--setting",
            split = ",",
            defaultValue = Setting.DEFAULT,
            description = "settings of the engine, separated by commas, such as rounds=off+long_jump=100;"
                    + " default ${DEFAULT-VALUE}")
    private List<String> settings = new ArrayList<>();

    @Option(
            names = "--seconds",
            defaultValue = "3600",
            description = "CPU time of the checking thread after which a check is UNKNOWN; default ${DEFAULT-VALUE}")
    private int seconds;

    @Option(
            names = {"-o", "--output"},
            description = "a CSV to append every measured run to")
    private @Nullable Path output;

    @Option(
            names = {"-s", "--summary"},
            description = "only the totals of all histories")
    private boolean summary;

    @Parameters(
            arity = "1..*",
            paramLabel = "SOURCE",
            description = "a path, or gen:txns=1000000,keys=1000000,sessions=50,ops=8,reads=0.5,zipf=0.9,"
                    + "values=unique,level=ser,seed=1")
    private List<String> sources = new ArrayList<>();

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    /** Runs the command. The exit code is 0 whatever the verdicts are. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new EndToEnd()).execute(args));
    }

    @Override
    public Integer call() throws IOException, HistoryException {
        PrintWriter out = spec.commandLine().getOut();
        out.println(Machine.name() + ", " + String.join(" ", Machine.flags()));
        int verdicts = 0;
        for (String name : sources) {
            Source source = Source.read(name);
            if (!summary) {
                out.printf(
                        Locale.ROOT,
                        "%s: %d txns, %d ops, read %s CPU-ms%n",
                        name,
                        source.table().transactions(),
                        source.table().operations(),
                        Machine.millis(source.readNanos()));
            }
            for (String level : levels) {
                IsolationLevel parsed = IsolationLevel.valueOf(level.toUpperCase(Locale.ROOT));
                for (String time : times) {
                    TimeMode mode = TimeMode.valueOf(time.toUpperCase(Locale.ROOT));
                    for (String setting : settings) {
                        verdicts++;
                        measure(out, source, new CheckRequest(parsed, mode, 0, IndeterminateMode.MAYBE), setting);
                    }
                }
            }
            out.flush();
        }
        out.printf(
                Locale.ROOT,
                "in all: %d verdicts, %s CPU-ms of the process, resident peak %d MB, heap peak %d MB%n",
                verdicts,
                Machine.millis(Run.processCpu()),
                Machine.residentPeak(),
                Machine.heapPeak());
        out.flush();
        return 0;
    }

    private void measure(PrintWriter out, Source source, CheckRequest request, String setting) throws IOException {
        Tuning tuning = Setting.parse(setting);
        for (int i = 1 - warmups; i <= runs; i++) {
            Run run = Run.of(source.table(), request, tuning, TimeUnit.SECONDS.toNanos(seconds));
            if (i < 1) {
                continue;
            }
            if (!summary) {
                out.printf(
                        Locale.ROOT,
                        "  %-4s %-4s %s %-9s run %d: thread %s, process %s, elapsed %s ms; %s%n",
                        request.level(),
                        request.time().label(),
                        setting,
                        run.verdict().status(),
                        i,
                        Machine.millis(run.threadNanos()),
                        Machine.millis(run.processNanos()),
                        Machine.millis(run.elapsedNanos()),
                        phases(run.phases()));
            }
            if (output != null) {
                Map<String, Object> of = new LinkedHashMap<>();
                of.put("source", source.name());
                of.put("level", request.level().label());
                of.put("time", request.time().label());
                of.put("setting", setting);
                of.put("warmups", warmups + i - 1);
                append(output, run.columns(of));
            }
        }
    }

    /** Appends a line to a CSV; a new file starts with the names of the columns. */
    private static void append(Path file, Map<String, Object> columns) throws IOException {
        String header = Files.exists(file) ? "" : String.join(",", columns.keySet()) + "\n";
        String line = columns.values().stream()
                .map(value -> "\"" + value.toString().replace("\"", "\"\"").replaceAll("\\R", " ") + "\"")
                .collect(Collectors.joining(",", header, "\n"));
        Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private static String phases(Map<String, Long> nanos) {
        return nanos.entrySet().stream()
                .map(phase -> phase.getKey() + " " + Machine.millis(phase.getValue()))
                .collect(Collectors.joining("; "));
    }
}
