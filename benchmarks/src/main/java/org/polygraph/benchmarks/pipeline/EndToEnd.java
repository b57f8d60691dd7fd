package org.polygraph.benchmarks.pipeline;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.decision.Budget;
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
            names = {"-c", "--workers"},
            defaultValue = "1",
            description = "threads of closure and rules; thread times are those of the first one only;"
                    + " default ${DEFAULT-VALUE}")
    private int workers;

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
                    + "values=unique,isolation=serial,seed=1")
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
                    verdicts++;
                    TimeMode mode = TimeMode.valueOf(time.toUpperCase(Locale.ROOT));
                    measure(out, source, new CheckRequest(parsed, mode, 0, IndeterminateMode.MAYBE));
                }
            }
            out.flush();
        }
        out.printf(
                Locale.ROOT,
                "in all: %d verdicts, %s CPU-ms of the process, resident peak %d MB, heap peak %d MB%n",
                verdicts,
                Machine.millis(Run.processCpu()),
                Memory.residentPeak() >> 20,
                Memory.heapPeak() >> 20);
        out.flush();
        return 0;
    }

    private void measure(PrintWriter out, Source source, CheckRequest request) throws IOException {
        for (int i = 0; i < warmups; i++) {
            Run.of(source.table(), request, Tuning.DEFAULT.withWorkers(workers), Budget.unlimited());
        }
        for (int i = 1; i <= runs; i++) {
            Run run = Run.of(source.table(), request, Tuning.DEFAULT.withWorkers(workers), Budget.unlimited());
            if (!summary) {
                out.printf(
                        Locale.ROOT,
                        "  %-4s %-4s %-9s run %d: thread %s, process %s, elapsed %s ms; %s%n",
                        request.level(),
                        request.time().name().toLowerCase(Locale.ROOT),
                        run.verdict().status(),
                        i,
                        Machine.millis(run.threadNanos()),
                        Machine.millis(run.processNanos()),
                        Machine.millis(run.elapsedNanos()),
                        phases(run.phases()));
            }
            if (output != null) {
                ResultsFile.append(
                        output,
                        Measurement.of(run)
                                .set("source", source.name())
                                .set("level", request.level().toString().toLowerCase(Locale.ROOT))
                                .set("setting", "time=" + request.time().name().toLowerCase(Locale.ROOT))
                                .set("warmups", warmups + i - 1));
            }
        }
    }

    private static String phases(Map<String, Long> nanos) {
        return nanos.entrySet().stream()
                .map(phase -> phase.getKey() + " " + Machine.millis(phase.getValue()))
                .collect(Collectors.joining("; "));
    }
}
