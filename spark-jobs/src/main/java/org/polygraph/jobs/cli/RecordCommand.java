package org.polygraph.jobs.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Failures;
import org.polygraph.jobs.record.Drivers;
import org.polygraph.jobs.record.Isolation;
import org.polygraph.jobs.record.Login;
import org.polygraph.jobs.record.Promise;
import org.polygraph.jobs.record.RecordCounts;
import org.polygraph.jobs.record.RecordSettings;
import org.polygraph.jobs.record.Recording;
import org.polygraph.jobs.record.WorkloadKind;
import org.polygraph.jobs.report.wording.Legible;
import org.polygraph.jobs.verdict.ExitCode;
import org.polygraph.jobs.watch.Watch;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.model.HistoryException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code polygraph record}: a history of a live database. */
@Command(
        name = "record",
        description = "Run clients against a database and write what they observe as a history.",
        sortOptions = false,
        footer = {
            "",
            "The recording makes a table polygraph_rows_... of its own in the database, and drops it at the end.",
            "User and password: POLYGRAPH_USER and POLYGRAPH_PASSWORD, --login FILE, or the URL.",
            "With --check the exit code is that of check."
        })
final class RecordCommand implements Callable<Integer> {
    private static final String EMBEDDED = "jdbc:h2:mem:polygraph";
    private static final double DEFAULT_PREDICATES = 0.1;
    private static final long UNLIMITED = 1L << 38;
    private static final long STOP_MILLIS = TimeUnit.SECONDS.toMillis(10);

    private final Environment environment;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = "--url",
            paramLabel = "JDBC",
            description = "The database (default: H2 in this process); several share the sessions.")
    private List<String> urls = new ArrayList<>();

    @Option(
            names = "--isolation",
            paramLabel = "ISOLATION",
            defaultValue = "serializable",
            converter = IsolationConverter.class,
            completionCandidates = IsolationConverter.Candidates.class,
            description = "read-uncommitted, read-committed, repeatable-read, snapshot or serializable (default).")
    @SuppressWarnings("NullAway.Init")
    private Isolation isolation;

    @Option(
            names = {"-w", "--workload"},
            paramLabel = "WORKLOAD",
            defaultValue = "mini",
            description = "mini: at most two reads and two writes, each write after a read of its key (default);"
                    + " registers: reads and writes; append: lists; rows: inserts, updates and deletes of rows, by"
                    + " their keys and by their values;"
                    + " bank: transfers, and reads of all balances.")
    @SuppressWarnings("NullAway.Init")
    private WorkloadKind workload;

    @Option(
            names = {"-o", "--out"},
            required = true,
            paramLabel = "FILE",
            description = "The history, in JSON Lines.")
    private String out = "";

    @Mixin
    private final OverwriteOption overwrite = new OverwriteOption();

    @Option(names = "--check", description = "Then check the level that the database documents for the isolation.")
    private boolean check;

    @Option(
            names = "--watch",
            paramLabel = "DIR",
            description =
                    "Judge that level while the history is recorded, and end at a violation; DIR gets the runs, as of"
                            + " watch.")
    private @Nullable String watched;

    @Option(
            names = "--duration",
            paramLabel = "DUR",
            converter = Converters.DurationNanos.class,
            description = "End after this time, such as 30s; the default of --transactions is then unlimited.")
    private @Nullable Long duration;

    @Option(
            names = "--predicates",
            paramLabel = "SHARE",
            description =
                    "Of -w rows: share of operations that select rows by their values (default: 0.1, but 0 where the"
                            + " documented level is rc or cc).")
    private @Nullable Double predicates;

    @Mixin
    private final ShapeOptions shape = new ShapeOptions();

    @Option(
            names = "--replica",
            paramLabel = "JDBC",
            description = "A replica: every third session only reads, from there.")
    private @Nullable String replica;

    @Option(
            names = "--replica-isolation",
            paramLabel = "ISOLATION",
            converter = IsolationConverter.class,
            completionCandidates = IsolationConverter.Candidates.class,
            description = "Of the sessions at the replica (default: that of --isolation).")
    private @Nullable Isolation replicaIsolation;

    @Option(
            names = "--pause",
            paramLabel = "DUR",
            converter = Converters.DurationNanos.class,
            defaultValue = "0",
            description = "The longest of the random waits before operations, by which transactions overlap more.")
    private long pause;

    @Option(
            names = "--kill-connections",
            paramLabel = "PERIOD",
            converter = Converters.DurationNanos.class,
            defaultValue = "0",
            description = "Close the connection of one session in each period, such as 1s.")
    private long kill;

    @Option(names = "--login", paramLabel = "FILE", description = "Lines user=NAME and password=WORD.")
    private @Nullable Path login;

    @Option(names = "--driver", paramLabel = "JAR", description = "The JDBC driver of another database or version.")
    private List<Path> drivers = new ArrayList<>();

    @Mixin
    private final Verbosity verbosity = new Verbosity();

    RecordCommand(Environment environment) {
        this.environment = environment;
    }

    /** {@code --isolation}. */
    static final class IsolationConverter extends Converters.Labelled<Isolation> {
        /** The words that a shell may complete. */
        static final class Candidates implements Iterable<String> {
            @Override
            public Iterator<String> iterator() {
                return Arrays.stream(Isolation.values()).map(Isolation::label).iterator();
            }
        }

        IsolationConverter() {
            super("isolation", "", Isolation.values(), Isolation::label);
        }

        @Override
        public Isolation convert(String text) {
            return Isolation.ofLabel(text).orElseGet(() -> super.convert(text));
        }
    }

    @Override
    public Integer call() {
        RecordSettings settings = settings();
        Optional<Promise> promise = settings.databases().promise(workload);
        if (watched != null && check) {
            throw wrong("--watch judges the level that --check names; give one");
        }
        if ((check || watched != null) && promise.isEmpty()) {
            throw wrong((check ? "--check" : "--watch") + ": no level is known that this database documents for "
                    + isolation.label()
                    + (replicaIsolation == null || replicaIsolation == isolation
                            ? ""
                            : " or " + replicaIsolation.label())
                    + " with -w " + workload.label()
                    + "; record without it, and give check a level");
        }
        try {
            overwrite.replaces(Location.of(out));
        } catch (IOException e) {
            return notWritten(e);
        }
        ProgressPrinter progress = verbosity.progress(environment);
        progress.path(out);
        progress.phase("recording");
        long start = System.nanoTime();
        Recording recording;
        try {
            recording = new Recording(
                    settings, new Drivers(drivers, environment::message), Login.of(System.getenv(), login));
        } catch (IOException e) {
            environment.message(login + ": " + Failures.cause(e) + "; check --login");
            return ExitCode.USAGE.code();
        }
        // A signal closes the file, and the summary follows, as at the normal end of the run.
        CountDownLatch summary = new CountDownLatch(1);
        Thread hook = new Thread(() -> {
            recording.stop(STOP_MILLIS);
            if (!await(summary)) {
                // The main thread still waits for a client whose database does not answer.
                print(recording.counts(), TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
            }
        });
        Runtime.getRuntime().addShutdownHook(hook);
        Throwable failure;
        @Nullable RecordWatch watch;
        try {
            watch = watched == null ? null : watch(watched, promise.orElseThrow(), recording);
        } catch (IOException | HistoryException e) {
            unhook(hook);
            environment.message(Failures.text(e));
            return ExitCode.IO.code();
        }
        // HSQLDB prints traces to standard output.
        PrintStream standard = System.out;
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        try {
            failure = recording.run(counts -> {
                progress.items(counts.transactions(), 0);
                if (watch != null) {
                    watch.hasBegun();
                }
            });
        } catch (IOException e) {
            summary.countDown();
            unhook(hook);
            if (watch != null) {
                watch.end();
            }
            return notWritten(e);
        } finally {
            System.setOut(standard);
            progress.pathEnds();
        }
        print(recording.counts(), TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
        summary.countDown();
        unhook(hook);
        int exitCode = 0;
        if (!recording.silent().isEmpty()) {
            environment.message(recording.silent()
                    + ": no transaction committed, so the history shows nothing of it; the reasons of aborts are above;"
                    + " check its isolation and the rights of the user");
            exitCode = ExitCode.IO.code();
        }
        if (failure != null) {
            environment.message("a session ended early: " + Failures.text(failure)
                    + "; the history has everything that was observed before");
            exitCode = ExitCode.IO.code();
        }
        if (watch != null) {
            return ExitCode.merge(exitCode, watch.end());
        }
        return check && !recording.isStopped() ? ExitCode.merge(exitCode, checked(promise.orElseThrow())) : exitCode;
    }

    /** Reports a failure of the file or of the database, whose message is complete. */
    private int notWritten(IOException e) {
        environment.message(
                e instanceof FileSystemException
                        ? out + ": the history cannot be written there (" + Failures.cause(e) + "); give another --out"
                        : Failures.text(e));
        return ExitCode.IO.code();
    }

    private static boolean await(CountDownLatch latch) {
        try {
            return latch.await(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static void unhook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is ending, and the shutdown hook runs.
        }
    }

    private RecordSettings settings() {
        Path file;
        try {
            file = Path.of(out);
        } catch (InvalidPathException e) {
            throw wrong("--out '" + out + "' is no path: " + e.getReason());
        }
        if (out.isEmpty() || out.equals("-")) {
            throw wrong("--out '" + out + "' is no file; give one");
        }
        if (!out.endsWith(".jsonl")) {
            throw wrong("--out '" + out + "': histories are recorded as JSON Lines; end the name in .jsonl");
        }
        if (predicates != null && !(predicates >= 0 && predicates <= 1)) {
            throw wrong("--predicates " + predicates + " is no share from 0 to 1");
        }
        if (predicates != null && workload != WorkloadKind.ROWS) {
            throw wrong("--predicates is for -w rows");
        }
        if (replicaIsolation != null && replica == null) {
            throw wrong("--replica-isolation is for --replica; give both");
        }
        if (workload == WorkloadKind.APPEND && !shape.areValuesUnique()) {
            throw wrong("--values is not for -w append, whose elements are unique");
        }
        Workload numbers = shape.workload(spec, workload.defaultKeys());
        if (predicates != null && predicates > 0 && numbers.savepoints() > 0) {
            throw wrong("--savepoints and --predicates exclude each other; give one");
        }
        if (urls.size() > numbers.sessions() || (replica != null && numbers.sessions() < Recording.READERS_ONE_OF)) {
            throw wrong("--sessions " + numbers.sessions() + " leaves a database without a session; give "
                    + Math.max(urls.size(), replica == null ? 1 : Recording.READERS_ONE_OF) + " at least");
        }
        if (duration != null && !spec.commandLine().getParseResult().hasMatchedOption("--transactions")) {
            numbers.transactions(UNLIMITED);
        }
        RecordSettings.Databases databases = new RecordSettings.Databases(
                urls.isEmpty() ? List.of(EMBEDDED) : urls,
                isolation,
                replica,
                replicaIsolation == null ? isolation : replicaIsolation);
        return new RecordSettings(
                databases,
                workload,
                numbers,
                predicates != null ? predicates : numbers.savepoints() > 0 ? 0 : defaultPredicates(databases),
                duration == null ? Long.MAX_VALUE : duration,
                pause,
                kill,
                file);
    }

    private double defaultPredicates(RecordSettings.Databases databases) {
        boolean isDefined = databases
                .promise(workload)
                .map(promise -> !promise.level().isAxiom())
                .orElse(isolation == Isolation.SERIALIZABLE || isolation == Isolation.SNAPSHOT);
        return workload == WorkloadKind.ROWS && isDefined ? DEFAULT_PREDICATES : 0;
    }

    private void print(RecordCounts counts, long millis) {
        environment
                .out()
                .println(Legible.of(out) + "  " + counts.transactions() + " txns  " + counts.commits() + " committed  "
                        + counts.aborts() + " aborted  " + counts.unknowns() + " unknown  " + millis + " ms");
        counts.reasons().forEach((reason, count) -> environment.out().println("  aborted " + count + ": " + reason));
        if (kill > 0) {
            environment.out().println("  connections killed: " + counts.kills());
        }
        environment.out().flush();
    }

    private RecordWatch watch(String folder, Promise promise, Recording recording)
            throws IOException, HistoryException {
        state(promise);
        WatchPrinter printer = new WatchPrinter(environment, verbosity, false, null, folder, true);
        return RecordWatch.begin(
                Path.of(out), Watch.Settings.of(Path.of(folder), promise.level(), true), printer, recording);
    }

    private void state(Promise promise) {
        environment.message("level " + promise.level().label() + ", because the manual (" + promise.source()
                + ") states of " + promise.isolation().label() + ": \"" + promise.sentence() + "\"");
    }

    private int checked(Promise promise) {
        state(promise);
        List<String> words =
                new ArrayList<>(List.of("check", "-l", promise.level().label()));
        words.addAll(verbosity.words());
        words.add(out);
        return Main.run(words.toArray(new String[0]), environment);
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
