package org.polygraph.jobs.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.Callable;
import org.polygraph.jobs.application.Failures;
import org.polygraph.jobs.application.Runs;
import org.polygraph.jobs.report.RunList;
import org.polygraph.jobs.report.wording.Legible;
import org.polygraph.jobs.verdict.ExitCode;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.HistoryException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code polygraph runs}: the runs of a folder. */
@Command(
        name = "runs",
        description = "List the runs that check --out wrote, the newest last.",
        sortOptions = false,
        footer = {"", "Prints time (UTC)  verdict  level  path  run  [why]; DIR/index.html shows histories by levels."})
final class RunsCommand implements Callable<Integer> {
    private final Environment environment;

    @Option(names = "--json", description = "The verdict.json of each run, with its name, a line each.")
    private boolean json;

    @Mixin
    private final PruneOptions pruning = new PruneOptions();

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(paramLabel = "DIR", description = "The folder of runs; with --prune also a folder of such folders.")
    @SuppressWarnings("NullAway.Init")
    private String folder;

    RunsCommand(Environment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() {
        String conflict = pruning.conflict();
        if (conflict != null) {
            throw new ParameterException(spec.commandLine(), conflict);
        }
        try {
            if (pruning.isGiven()) {
                pruning.prune(folder, environment);
                return ExitCode.PASS.code();
            }
            List<RunList.Run> runs = RunList.of(Location.of(folder));
            PrintStream out = environment.out();
            for (RunList.Run run : runs) {
                var verdict = run.verdict();
                out.println(
                        json
                                ? verdict.json(verdict.path(), verdict.exitCode(), null, folder + "/" + run.name())
                                : Legible.of(String.join(
                                                "  ",
                                                run.time(),
                                                run.status(),
                                                verdict.level(),
                                                verdict.path(),
                                                run.name(),
                                                run.why())
                                        .stripTrailing()));
            }
            if (runs.isEmpty()) {
                environment.message(Failures.text(Runs.none(Location.of(folder))));
                return ExitCode.INVALID.code();
            }
            return ExitCode.PASS.code();
        } catch (HistoryException e) {
            environment.message(Failures.text(e));
            return ExitCode.INVALID.code();
        } catch (IOException e) {
            environment.message(Failures.ofPath(folder, e));
            return ExitCode.IO.code();
        }
    }
}
