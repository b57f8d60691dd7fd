package org.polygraph.jobs.cli;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.EngineException;
import org.polygraph.jobs.application.Failures;
import org.polygraph.jobs.generate.EmbeddedGenerator;
import org.polygraph.jobs.generate.GenerationTarget;
import org.polygraph.jobs.generate.Generator;
import org.polygraph.jobs.report.wording.Legible;
import org.polygraph.jobs.verdict.ExitCode;
import org.polygraph.storage.artifact.AtomicFile;
import org.polygraph.storage.artifact.AtomicFolder;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.generate.TransactionPlan;
import org.polygraph.storage.model.BudgetException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code polygraph generate}: a history of a simulated store, of any size. */
@Command(
        name = "generate",
        description = "Write a history of a simulated store. A seed gives the same history with every engine.",
        sortOptions = false,
        footer = {
            "",
            "Prints the path, its transactions and operations, and where anomalies are: s3#12 is session 3, index 12.",
            "OUT is a file (.parquet, .jsonl, .jsonl.gz, .jsonl.zst); with --parts or on Spark a folder of part files."
        })
final class GenerateCommand implements Callable<Integer> {
    /** Default size of a part file on Spark: about 10 MB of Parquet. */
    private static final long OPERATIONS_PER_PART = 1 << 21;

    private static final int MOST_PARTS = 1 << 16;
    /** The files that may be in a folder that is replaced: part files, whole or not, and Hadoop's checksums of them. */
    private static final Pattern OWN = Pattern.compile("_SUCCESS|part-[0-9]{5}\\.(jsonl|parquet)|\\..*\\.(tmp|crc)");

    private static final Pattern TEMPORARY = Pattern.compile("\\..*\\.tmp");

    private static final Pattern SCHEME = Pattern.compile("[a-zA-Z][a-zA-Z0-9+.-]+:.*");
    private static final String SUCCESS = "_SUCCESS";

    private final Environment environment;

    @Mixin
    private final Verbosity verbosity = new Verbosity();

    @Mixin
    private final WorkloadOptions workload = new WorkloadOptions();

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = {"-o", "--out"},
            required = true,
            paramLabel = "OUT",
            description = "The file or folder to write, on any file system that Hadoop reaches.")
    @SuppressWarnings("NullAway.Init")
    private String out;

    @Option(
            names = {"-f", "--format"},
            paramLabel = "FORMAT",
            converter = Converters.Format.class,
            description = "jsonl or parquet (default: by the ending of OUT; parquet for a folder).")
    private @Nullable HistoryFormat format;

    @Mixin
    private final EngineOptions engine = new EngineOptions();

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            converter = Converters.Bytes.class,
            description = "Memory for the heap, such as 2g (default: 75 %% of the machine's).")
    @SuppressWarnings("UnusedVariable") // the launcher reads it
    private @Nullable Long memoryBytes;

    @Option(
            names = "--parts",
            paramLabel = "N",
            description = "Write a folder of this many part files (Spark's default: one for 2 million operations).")
    private @Nullable Integer parts;

    @Mixin
    private final OverwriteOption overwrite = new OverwriteOption();

    GenerateCommand(Environment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() {
        long start = System.nanoTime();
        TransactionPlan plan = workload.plan(spec);
        GenerationTarget target = target(plan);
        engine.validate();
        Generator generator = engine.choose(EmbeddedGenerator::new, environment.engines()::sparkGenerator);
        ProgressPrinter progress = verbosity.progress(environment);
        try {
            Location location = Location.of(target.path()).followed();
            if (overwrite.replaces(location)) {
                requireOwn(location);
            }
            progress.path(out);
            generate(generator, plan, target, location, progress);
            progress.pathEnds();
            print(plan, start);
            return ExitCode.PASS.code();
        } catch (BudgetException e) {
            progress.message(Failures.text(e));
            return ExitCode.UNKNOWN.code();
        } catch (IOException e) {
            progress.message(
                    out + ": the history cannot be written there (" + Failures.cause(e) + "); give another --out");
            return ExitCode.IO.code();
        } catch (EngineException e) {
            progress.message(Failures.text(e));
            return ExitCode.IO.code();
        }
    }

    /** Refuses to replace files that generate did not write. */
    private void requireOwn(Location location) throws IOException {
        for (Location child : location.isFolder() ? location.children() : List.<Location>of()) {
            if (!OWN.matcher(child.fileName()).matches() || child.isFolder()) {
                throw wrong("'" + out + "' has '" + child.fileName()
                        + "', which generate did not write; remove the folder, or give another --out");
            }
        }
    }

    /** All parts or none: they are written to a folder under a temporary name, which is renamed when it is whole. */
    private void generate(
            Generator generator,
            TransactionPlan plan,
            GenerationTarget target,
            Location location,
            ProgressPrinter progress)
            throws IOException {
        if (!target.folder()) {
            // An existing file is replaced when the new one is complete.
            if (location.exists() && location.isFolder()) {
                location.delete();
            }
            generator.generate(plan, target, progress);
            return;
        }
        try (AtomicFolder folder = location.createFolder()) {
            Location parts = folder.location();
            generator.generate(plan, target.in(parts.name()), progress);
            int found = 0;
            for (Location child : parts.exists() ? parts.children() : List.<Location>of()) {
                if (TEMPORARY.matcher(child.fileName()).matches()) {
                    // This file is of a task that was lost with its executor; another task has done its work.
                    child.delete();
                } else {
                    found++;
                }
            }
            if (found < target.parts()) {
                throw new IOException("only " + found + " of " + target.parts()
                        + " parts are there: the driver and the executors do not share this path");
            }
            try (AtomicFile success = parts.child(SUCCESS).create()) {
                success.commit();
            }
            if (overwrite.replaces(location)) {
                requireOwn(location);
                location.delete();
            }
            folder.commit();
        }
    }

    private void print(TransactionPlan plan, long start) {
        environment
                .out()
                .println(Legible.of(out) + "  " + plan.totalTransactions() + " txns  " + plan.totalOperations()
                        + " ops  " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start) + " ms");
        plan.plantedPlaces().forEach(line -> environment.out().println("  " + line));
        environment.out().flush();
    }

    private GenerationTarget target(TransactionPlan plan) {
        if (out.isEmpty() || out.equals("-")) {
            throw wrong("--out '" + out + "' is no file; give one");
        }
        if (parts != null && (parts < 1 || parts > MOST_PARTS)) {
            throw wrong("--parts " + parts + "; expected 1 to " + MOST_PARTS);
        }
        if (plan.workload().predicates() > 0 && (parts != null || engine.isSpark())) {
            throw wrong("--predicates makes one file in one process; leave out --parts and --engine spark");
        }
        long operations = plan.transactions() * plan.operations();
        int count = parts != null
                ? parts
                : engine.isSpark() ? (int) Math.min(MOST_PARTS, (operations - 1) / OPERATIONS_PER_PART + 1) : 0;
        return GenerationTarget.of(absolute(), written(count > 0), count, plan.transactions(), plan.operations());
    }

    /** Returns an absolute path, because executors have other working directories. */
    private String absolute() {
        try {
            return SCHEME.matcher(out).matches()
                    ? out
                    : Path.of(out).toAbsolutePath().toString();
        } catch (InvalidPathException e) {
            throw wrong("--out '" + out + "' is no path: " + e.getReason());
        }
    }

    private HistoryFormat written(boolean folder) {
        String name = out.toLowerCase(Locale.ROOT);
        HistoryFormat found = format;
        if (found == null) {
            found = name.matches(".*\\.jsonl(\\.gz|\\.zst)?")
                    ? HistoryFormat.JSONL
                    : folder || name.endsWith(".parquet") ? HistoryFormat.PARQUET : null;
        }
        if (found == null) {
            throw wrong("'" + out + "' has no known ending: end it in .jsonl or .parquet, or give -f");
        }
        if (!List.of(HistoryFormat.JSONL, HistoryFormat.PARQUET).contains(found)) {
            throw wrong("histories are not written as " + found.label() + "; give -f jsonl or -f parquet");
        }
        return found;
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
