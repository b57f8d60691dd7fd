package org.polygraph.benchmarks.experiment;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.benchmarks.pipeline.Measurement;
import org.polygraph.benchmarks.pipeline.ResultsFile;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs sweeps, and makes tables of their measurements. */
@Command(name = "experiment", description = "Measures grids of histories, levels and settings.")
public final class Experiment {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    /** Subcommands: growth, ablation, capacity, table. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Experiment()).execute(args));
    }

    /** Appends to NAME.csv in the folder; writes NAME.md at the end. */
    @Command(description = "Runs sweeps: shipped ones by name, files, or single specs.")
    int growth(
            @Option(
                            names = {"-o", "--output"},
                            defaultValue = ".",
                            description = "folder for the results")
                    Path folder,
            @Option(names = "--heap", description = "heap of each JVM, instead of the sweep's") @Nullable String heap,
            @Option(names = "--seconds", description = "limit of each check, instead of the sweep's") @Nullable
                    Integer seconds,
            @Option(names = "--most", description = "the largest x that is measured") @Nullable Double most,
            @Option(names = "--path", description = "the histories that replace PATHS in a sweep", arity = "1..*")
                    @Nullable
                    List<String> paths,
            @Parameters(arity = "1..*", paramLabel = "SWEEP|SPEC") List<String> names)
            throws IOException, InterruptedException {
        List<String> specs = new ArrayList<>();
        List<String> sweeps = new ArrayList<>();
        for (String name : names) {
            (name.contains(":") ? specs : sweeps).add(name);
        }
        Runner runner = new Runner(out(), folder, heap, seconds, most);
        for (String name : sweeps) {
            String file = Path.of(name).getFileName().toString().replaceFirst("\\.[a-z]+$", "");
            runner.run(file, Sweep.of(name, paths == null ? List.of() : paths));
        }
        if (!specs.isEmpty()) {
            StringBuilder text = new StringBuilder("title Given on the command line\nx txns\n");
            specs.forEach(each -> text.append("run ").append(each).append(" level={ser|si}\n"));
            runner.run("specs", Sweep.parse(text.toString(), List.of()));
        }
        return 0;
    }

    /** Runs the sweep {@code ablation} as {@link #growth} runs sweeps. */
    @Command(description = "Measures what each part of the solver and the rules gains, by one change at a time.")
    int ablation(
            @Option(
                            names = {"-o", "--output"},
                            defaultValue = ".",
                            description = "folder for the results")
                    Path folder,
            @Option(names = "--seconds", description = "limit of each check, instead of the sweep's") @Nullable
                    Integer seconds,
            @Parameters(arity = "0..*", paramLabel = "PATH", description = "histories besides the generated ones")
                    @Nullable
                    List<String> paths)
            throws IOException, InterruptedException {
        new Runner(out(), folder, null, seconds, null)
                .run("ablation", Sweep.of("ablation", paths == null ? List.of() : paths));
        return 0;
    }

    /** Appends to NAME.csv in the folder, keeps histories in histories/ there, writes NAME.md. */
    @Command(
            description =
                    "Measures histories of growing size, each check in a process of its own, and Spark's own sort of"
                            + " the same rows.")
    int capacity(
            @Option(
                            names = {"-o", "--output"},
                            defaultValue = ".",
                            description = "folder for results and histories")
                    Path folder,
            @Option(names = "--name", defaultValue = "capacity", description = "of the result files") String name,
            @Option(names = "--sizes", split = ",", defaultValue = "1M,10M,100M", description = "operations")
                    List<String> sizes,
            @Option(
                            names = "--engines",
                            split = ",",
                            defaultValue = "embedded,local[2]",
                            description = "embedded, or Spark masters")
                    List<String> engines,
            @Option(
                            names = {"-l", "--levels"},
                            split = ",",
                            defaultValue = "ser,si",
                            description = "levels")
                    List<String> levels,
            @Option(names = "--times", split = ",", defaultValue = "none,hint", description = "uses of client times")
                    List<String> times,
            @Option(names = "--heap", defaultValue = "6g", description = "heap of each JVM") String heap,
            @Option(names = "--generate", split = " ", description = "more words for polygraph generate") @Nullable
                    List<String> generate)
            throws IOException, InterruptedException {
        Capacity.Plan plan = new Capacity.Plan(
                name,
                sizes.stream().map(Capacity::size).toList(),
                engines,
                levels,
                times,
                heap,
                generate == null ? List.of() : generate);
        new Capacity(out(), folder.toAbsolutePath(), plan).run();
        return 0;
    }

    @Command(description = "Prints a CSV of measurements as a table.")
    int table(
            @Option(names = "--ablation", description = "a line a setting") boolean ablation,
            @Parameters(paramLabel = "FILE.csv") Path csv)
            throws IOException {
        List<Measurement> all = ResultsFile.read(csv);
        out().print(ablation ? Tables.ablation(all) : Tables.growth(all));
        out().flush();
        return 0;
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
