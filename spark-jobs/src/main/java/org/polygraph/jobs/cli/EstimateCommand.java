package org.polygraph.jobs.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Failures;
import org.polygraph.jobs.application.Predecessors;
import org.polygraph.jobs.application.SparkSettings;
import org.polygraph.jobs.estimate.Estimate;
import org.polygraph.jobs.estimate.Estimate.Engine;
import org.polygraph.jobs.report.wording.Legible;
import org.polygraph.jobs.report.wording.LegibleJson;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistorySize;
import org.polygraph.storage.model.HistoryException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code polygraph estimate}: predicts the cost of a check. */
@Command(
        name = "estimate",
        description = "Predict memory, disk and CPU of a check of each history.",
        sortOptions = false,
        footer = {
            "",
            "Memory counts arrays; CPU is that of uniform keys and unique values: skew, repeated values and search",
            "can take far more. A check that fits only without clocks decides the same, with more search.",
            "Time is that of an idle machine: what the driver does alone, then tasks on all cores. Without --cores their",
            "number follows from --master and from JAVA_OPTS=-Dspark..., as in check."
        })
final class EstimateCommand implements Callable<Integer> {
    private final Environment environment;

    @Mixin
    private final PathOptions options = new PathOptions();

    @Option(
            names = {"-l", "--level"},
            paramLabel = "LEVEL",
            converter = LevelConverter.class,
            completionCandidates = LevelConverter.Candidates.class,
            defaultValue = "ser,si",
            description = "Levels, as check takes them (default: ser,si).")
    private Levels levels = Levels.NONE;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            converter = Converters.Bytes.class,
            description = "The heap that the check will have (default: 75 %% of the machine's memory).")
    private @Nullable Long memoryBytes;

    @Option(names = "--master", paramLabel = "URL", description = "Spark master (default: local[*]).")
    private String master = "local[*]";

    @Option(
            names = "--cores",
            paramLabel = "N",
            description =
                    "Cores that tasks share (default: those of local[N]; of executors, if settings have their number;"
                            + " otherwise of this machine).")
    private @Nullable Integer cores;

    @Option(
            names = "--after",
            paramLabel = "RUN",
            description =
                    "The check continues after this run, or after the one with the most parts in this folder, and reads"
                            + " its seam too.")
    private @Nullable String after;

    @Option(names = "--json", description = "One JSON object per PATH, a line each.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    private int shared;
    private int executorThreads;

    EstimateCommand(Environment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() {
        try {
            SparkSettings settings = new SparkSettings(master);
            shared = cores == null ? settings.cores() : cores;
            executorThreads = settings.threadsOfDriver();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), Failures.text(e), e);
        }
        if (shared < 1) {
            throw new ParameterException(spec.commandLine(), "--cores " + shared + "; expected 1 or more");
        }
        return options.forEach(environment, this::estimate);
    }

    private void estimate(String path, HistoryFormat format) throws IOException, HistoryException {
        HistorySize part = HistorySize.of(path, format);
        HistorySize size = after == null ? part : Predecessors.sizeAfter(after, part);
        if (json) {
            environment.out().println(asJson(path, size));
        } else {
            print(path, size);
        }
    }

    private long heap() {
        return memoryBytes == null ? Runtime.getRuntime().maxMemory() : memoryBytes;
    }

    private String known(HistorySize size) {
        return switch (size.source()) {
            case ALL -> after == null ? "counted" : "counted with what comes before; sessions and keys: at most";
            case METADATA -> "from Parquet's footers; sessions and keys: at most";
            case SAMPLE -> "estimated from a sample";
        };
    }

    private void print(String path, HistorySize size) {
        PrintStream out = environment.out();
        out.println(Legible.of(path));
        out.println("  " + size.counts().transactions() + " txns  "
                + size.counts().operations() + " ops  " + size.counts().sessions() + " sessions  "
                + size.counts().keys() + " keys  (" + known(size) + ")");
        String row = "  %-6s%-10s%12s%12s%12s%12s%12s  %s%n";
        out.printf(
                Locale.ROOT, row, "level", "engine", "memory", "a task", "disk", "CPU", "time", "in " + bytes(heap()));
        for (IsolationLevel level : levels.strongestFirst()) {
            for (Engine engine : Engine.values()) {
                Estimate estimate = Estimate.of(engine, size, level, executorThreads);
                out.printf(
                        Locale.ROOT,
                        row,
                        level.label(),
                        label(engine),
                        bytes(estimate.memoryBytes()),
                        bytes(estimate.taskBytes()),
                        bytes(estimate.diskBytes()),
                        seconds(estimate.cpuSeconds()),
                        seconds(estimate.seconds(shared)),
                        fit(estimate, size.isWhole(level.isAxiom())));
            }
        }
        if (size.whole() != HistorySize.Whole.NEVER) {
            String why =
                    switch (size.whole()) {
                        case AT_AXIOMS ->
                            "it has lists, so one process decides it as a whole at pc, cc, ra, rc and pl2";
                        case AT_ORDERS ->
                            "it has inserts or deletes, so one process decides it as a whole at ser, si and the strict levels";
                        default ->
                            "it has predicates, or lists with inserts or deletes, so one process decides it as a whole";
                    };
            out.println("  " + why + "; its operations and keys include those that express them");
        }
        out.println("  time on " + shared + (shared == 1 ? " core" : " cores") + "; Spark at " + Legible.of(master));
        for (IsolationLevel level : levels.strongestFirst()) {
            out.println("  --engine auto takes " + label(Estimate.auto(size, level, heap())) + " for " + level.label());
        }
    }

    private String fit(Estimate estimate, boolean isWhole) {
        if (isWhole && estimate.engine() != Engine.EMBEDDED) {
            return "no: as a whole";
        }
        return switch (estimate.fit(heap())) {
            case YES -> "yes";
            case WITHOUT_CLOCKS -> "without clocks";
            case NO -> "no: --memory " + needed(estimate);
        };
    }

    /** The smallest {@code --memory}, in mebibytes; a check uses 85 % of it. */
    private static String needed(Estimate estimate) {
        return (((estimate.leastBytes() / 17 * 20) >> 20) + 1) + "m";
    }

    private static String label(Engine engine) {
        return engine.name().toLowerCase(Locale.ROOT);
    }

    private static String bytes(long bytes) {
        return bytes == 0
                ? "-"
                : bytes < 10L << 30
                        ? ((bytes + (1 << 20) - 1) >> 20) + " MiB"
                        : String.format(Locale.ROOT, "%.1f GiB", bytes / (double) (1 << 30));
    }

    private static String seconds(double seconds) {
        return seconds < 600
                ? String.format(Locale.ROOT, "%.1f s", seconds)
                : String.format(Locale.ROOT, "%.0f min", seconds / 60);
    }

    private String asJson(String path, HistorySize size) {
        List<Object> estimates = new ArrayList<>();
        for (IsolationLevel level : levels.strongestFirst()) {
            for (Engine engine : Engine.values()) {
                Estimate estimate = Estimate.of(engine, size, level, executorThreads);
                estimates.add(LegibleJson.object()
                        .with("level", level.label())
                        .with("engine", label(engine))
                        .with("memory_bytes", estimate.memoryBytes())
                        .with("least_memory_bytes", estimate.leastBytes())
                        .with("tasks", estimate.tasks())
                        .with("task_bytes", estimate.taskBytes())
                        .with("disk_bytes", estimate.diskBytes())
                        .with("cpu_seconds", tenths(estimate.cpuSeconds()))
                        .with("seconds", tenths(estimate.seconds(shared)))
                        .with("fits", estimate.fit(heap()).name().toLowerCase(Locale.ROOT))
                        .with("auto", Estimate.auto(size, level, heap()) == engine));
            }
        }
        return LegibleJson.of(LegibleJson.object()
                .with("path", path)
                .with("source", size.source().name().toLowerCase(Locale.ROOT))
                .with("format", size.format().label())
                .with("bytes", size.bytes())
                .with("transactions", size.counts().transactions())
                .with("operations", size.counts().operations())
                .with("sessions", size.counts().sessions())
                .with("keys", size.counts().keys())
                .with("heap_bytes", heap())
                .with("cores", shared)
                .with("estimates", estimates));
    }

    private static BigDecimal tenths(double value) {
        return new BigDecimal(String.format(Locale.ROOT, "%.1f", value));
    }
}
