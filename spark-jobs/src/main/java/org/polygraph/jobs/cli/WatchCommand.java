package org.polygraph.jobs.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Answer;
import org.polygraph.jobs.application.Checker;
import org.polygraph.jobs.application.Failures;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.verdict.ExitCode;
import org.polygraph.jobs.verdict.SessionOrder;
import org.polygraph.jobs.watch.Watch;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.HistoryException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code polygraph watch}: verdicts while a history grows. */
@Command(
        name = "watch",
        description = "Judge a history while it is written.",
        sortOptions = false,
        footer = {
            "",
            "Each verdict is of all transactions so far as one history. DIR keeps parts and runs, as check --each writes them;",
            "the same command goes on after any end.",
            "Exit code: that of the last verdict of each level, the first of 1, 6, 5, 3, 4, 0."
        })
final class WatchCommand implements Callable<Integer> {
    enum StopOn {
        VIOLATION
    }

    private final Environment environment;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = {"-l", "--level"},
            paramLabel = "LEVEL",
            required = true,
            converter = LevelConverter.class,
            completionCandidates = LevelConverter.Candidates.class,
            description = "The level, or several, as of check.")
    private Levels levels = Levels.NONE;

    @Option(
            names = {"-o", "--out"},
            paramLabel = "DIR",
            description = "Where parts and runs go, a folder of this machine; without it nothing is kept.")
    private @Nullable String out;

    @Parameters(
            paramLabel = "SOURCE",
            arity = "1..*",
            description =
                    "A file in JSON Lines that grows, a folder in which such files (*.jsonl) appear, - for standard input, or a topic of Kafka: kafka://HOST:PORT/TOPIC.")
    @SuppressWarnings("NullAway.Init")
    private List<String> sources;

    @Option(
            names = "--kafka-client",
            paramLabel = "FILE",
            description = "Properties of Kafka's client, such as those of TLS.")
    private @Nullable Path kafkaClient;

    @Option(
            names = "--horizon",
            paramLabel = "DUR",
            converter = Converters.DurationNanos.class,
            description =
                    "A transaction is judged when all sessions are beyond it, or that long after it was written (default: 1s).")
    private long horizonNanos = TimeUnit.MILLISECONDS.toNanos(Watch.HORIZON_MILLIS);

    @Option(
            names = "--part",
            paramLabel = "DUR",
            converter = Converters.DurationNanos.class,
            description = "Keep a run at least that often (default: 1m); more often if there is much to judge.")
    private long partNanos = TimeUnit.MILLISECONDS.toNanos(Watch.PART_MILLIS);

    @Option(
            names = "--stop-on",
            paramLabel = "WHAT",
            description = "violation: end at the first one, with exit code 3.")
    private @Nullable StopOn stopOn;

    @Option(
            names = "--idle",
            paramLabel = "DUR",
            converter = Converters.DurationNanos.class,
            description = "End when no line came for so long (default: at the end of standard input, else never).")
    private @Nullable Long idleNanos;

    @Mixin
    private final JudgingOptions judging = new JudgingOptions();

    @Option(names = "--json", description = "Verdicts as JSON objects, a line each.")
    private boolean json;

    @Option(
            names = "--metrics-file",
            paramLabel = "FILE",
            description = "Rate, lag and verdicts as metrics of Prometheus; replaced every second.")
    private @Nullable String metricsFile;

    @Mixin
    private final Verbosity verbosity = new Verbosity();

    WatchCommand(Environment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() {
        String conflict = sources.stream().filter(each -> each.equals("-")).count() > 1
                ? "- is given twice; standard input can be read once"
                : judging.conflict(levels.strongestFirst());
        if (conflict != null) {
            throw new ParameterException(spec.commandLine(), conflict);
        }
        return out == null ? watchOnce() : watch(Path.of(out));
    }

    /** Watches with a folder that is removed. */
    private int watchOnce() {
        Path folder = Path.of("");
        try {
            folder = Files.createTempDirectory("polygraph-watch");
            return watch(folder);
        } catch (IOException e) {
            environment.message("the temporary folder cannot be made (" + Failures.cause(e) + "); give --out");
            return ExitCode.IO.code();
        } finally {
            if (folder.isAbsolute()) {
                delete(folder);
            }
        }
    }

    private void delete(Path folder) {
        try {
            Location.of(folder.toString()).delete();
        } catch (IOException e) {
            environment.message(folder + ": the temporary folder stays (" + Failures.cause(e) + ")");
        }
    }

    private int watch(Path folder) {
        AtomicBoolean hasEnded = new AtomicBoolean();
        WatchPrinter printer =
                new WatchPrinter(environment, verbosity, json, metricsFile, folder.toString(), out != null);
        try (Watch watch = new Watch(settings(folder), Checker.EMBEDDED, printer)) {
            for (String source : sources) {
                try {
                    if (Watch.isTopic(source)) {
                        watch.addTopic(source, kafkaClient);
                    } else {
                        watch.add(source);
                    }
                } catch (IOException e) {
                    printer.message(Failures.ofPath(source, e));
                    return ExitCode.IO.code();
                }
            }
            // A signal ends the watch with the last verdicts.
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                if (!hasEnded.getAndSet(true)) {
                    printer.end(watch.answers());
                    if (out == null) {
                        delete(folder);
                    }
                }
            }));
            List<Answer> answers = watch.run();
            return hasEnded.getAndSet(true) ? ExitCode.PASS.code() : printer.end(answers);
        } catch (HistoryException e) {
            printer.message(Failures.text(e));
            return ExitCode.INVALID.code();
        } catch (IOException e) {
            printer.message(Failures.ofPath(folder.toString(), e));
            return ExitCode.IO.code();
        } finally {
            hasEnded.set(true);
        }
    }

    private Watch.Settings settings(Path folder) {
        return new Watch.Settings(
                folder,
                judging.requests(levels, InitialChoice.AUTO, SessionOrder.YES, true, CheckRequest.DEFAULT_VIOLATIONS),
                TimeUnit.NANOSECONDS.toMillis(horizonNanos),
                TimeUnit.NANOSECONDS.toMillis(partNanos),
                Watch.CHECK_MILLIS,
                idleNanos == null ? Long.MAX_VALUE : TimeUnit.NANOSECONDS.toMillis(idleNanos),
                stopOn == StopOn.VIOLATION,
                judging.limits());
    }
}
