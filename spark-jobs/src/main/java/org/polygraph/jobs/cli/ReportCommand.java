package org.polygraph.jobs.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Failures;
import org.polygraph.jobs.application.Runs;
import org.polygraph.jobs.report.RunDirectory;
import org.polygraph.jobs.report.wording.Legible;
import org.polygraph.jobs.verdict.ExitCode;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.HistoryException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code polygraph report}: prints where the page of a run is, or copies it. */
@Command(
        name = "report",
        description = "Locate or copy the report.html of a run: a page that needs no network.",
        sortOptions = false,
        footer = {"", "Without --out prints its path. FILE is replaced; - is stdout."})
final class ReportCommand implements Callable<Integer> {
    private static final String STDOUT = "-";

    private final Environment environment;

    @Option(
            names = {"-o", "--out"},
            paramLabel = "FILE",
            description = "Where a copy goes.")
    private @Nullable String out;

    @Parameters(
            paramLabel = "RUN",
            description = "run=<id>; the folder of runs, for all of them; or that folder/HISTORY.")
    @SuppressWarnings("NullAway.Init")
    private String run;

    ReportCommand(Environment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() {
        try {
            if (out == null) {
                for (Location each : Runs.all(run)) {
                    environment.out().println(Legible.of(report(each).name()));
                }
            } else if (out.equals(STDOUT)) {
                copy(report(Runs.find(run)), environment.out());
            } else {
                write(report(Runs.find(run)), out);
            }
            environment.out().flush();
            return ExitCode.PASS.code();
        } catch (HistoryException e) {
            environment.message(Failures.text(e));
            return ExitCode.INVALID.code();
        } catch (IOException e) {
            environment.message(Failures.text(e));
            return ExitCode.IO.code();
        }
    }

    private Location report(Location directory) throws IOException, HistoryException {
        Location report = new RunDirectory(directory).report();
        if (!report.exists()) {
            throw new HistoryException(
                    directory.name(),
                    "a run without report.html",
                    "one that has finished",
                    "check again with --overwrite");
        }
        return report;
    }

    private static void write(Location report, String to) throws IOException {
        try {
            Location.of(to).write(stream -> copy(report, stream));
        } catch (IOException e) {
            throw new IOException(to + ": cannot be written (" + Failures.cause(e) + "); give another --out", e);
        }
    }

    private static void copy(Location from, OutputStream to) throws IOException {
        try (InputStream in = from.open()) {
            in.transferTo(to);
        }
    }
}
