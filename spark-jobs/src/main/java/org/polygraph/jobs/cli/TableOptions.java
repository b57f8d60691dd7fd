package org.polygraph.jobs.cli;

import java.io.IOException;
import java.util.List;
import org.polygraph.jobs.verdict.ExitCode;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** For commands that read histories and say something about each: PATHs in order, whatever became of the others. */
final class TableOptions {
    /** What a command says of a history. */
    @FunctionalInterface
    interface Report {
        /** Prints it. */
        void of(String path, HistoryTable table);
    }

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = {"-f", "--format"},
            paramLabel = "FORMAT",
            converter = Converters.Format.class,
            defaultValue = "auto",
            description = "auto, jsonl, parquet, dbcop, cobra, plume or edn.")
    @SuppressWarnings("NullAway.Init")
    private HistoryFormat format;

    @Parameters(arity = "1..*", paramLabel = "PATH", description = "Histories; - is stdin.")
    @SuppressWarnings("NullAway.Init")
    private List<String> paths;

    /** The exit code of all. */
    int forEach(Environment environment, Report report) {
        CheckOptions.rejectDuplicates(spec, paths);
        int exitCode = 0;
        for (String path : paths) {
            exitCode = ExitCode.merge(exitCode, read(environment, report, path).code());
        }
        environment.out().flush();
        return exitCode;
    }

    private ExitCode read(Environment environment, Report report, String path) {
        try {
            report.of(path, HistoryReader.read(path, format));
            return ExitCode.PASS;
        } catch (HistoryException e) {
            environment.message(Failures.text(e));
            return ExitCode.INVALID;
        } catch (BudgetException e) {
            environment.message(Failures.text(e));
            return ExitCode.UNKNOWN;
        } catch (IOException e) {
            environment.message(Failures.ofPath(path, e));
            return ExitCode.IO;
        }
    }
}
