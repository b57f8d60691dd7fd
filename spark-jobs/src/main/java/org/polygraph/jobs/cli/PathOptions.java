package org.polygraph.jobs.cli;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Failures;
import org.polygraph.jobs.verdict.ExitCode;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The histories of a command: PATHs in order; a failure of one does not affect the others. */
final class PathOptions {
    /** The work of a command on a history. */
    @FunctionalInterface
    interface Report {
        /** Reads as much of the history as it needs, and prints. */
        void of(String path, HistoryFormat format) throws IOException, HistoryException;
    }

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = {"-f", "--format"},
            paramLabel = "FORMAT",
            converter = Converters.Format.class,
            description = Converters.Format.LABELS)
    private HistoryFormat format = HistoryFormat.AUTO;

    @Parameters(arity = "1..*", paramLabel = "PATH", description = "Histories; - is stdin.")
    @SuppressWarnings("NullAway.Init")
    private List<String> paths;

    void take(HistoryFormat given) {
        format = given;
    }

    void take(String path) {
        paths = List.of(path);
    }

    HistoryFormat format() {
        return format;
    }

    List<String> paths() {
        return paths;
    }

    /** Reads each history whole; returns the exit code of all. */
    int forEachTable(Environment environment, BiConsumer<String, HistoryTable> report) {
        return forEach(environment, (path, name) -> report.accept(path, HistoryReader.read(path, name)));
    }

    /** Makes the report of each PATH; returns the exit code of all. */
    int forEach(Environment environment, Report report) {
        rejectDuplicates(spec, paths);
        int exitCode = 0;
        for (String path : paths) {
            exitCode = ExitCode.merge(exitCode, one(environment, report, path).code());
        }
        environment.out().flush();
        return exitCode;
    }

    private ExitCode one(Environment environment, Report report, String path) {
        try {
            report.of(path, format);
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

    /** Rejects a path that is given twice. */
    static void rejectDuplicates(CommandSpec spec, List<String> paths) {
        String conflict = conflict(paths);
        if (conflict != null) {
            throw new ParameterException(spec.commandLine(), conflict);
        }
    }

    /** Returns the message for paths that exclude each other; null if there are none. */
    @Nullable
    String conflict() {
        return conflict(paths);
    }

    /** A path that is given twice is a mistake in a script, and would be counted twice. */
    private static @Nullable String conflict(List<String> paths) {
        Map<String, String> seen = new HashMap<>();
        for (String path : paths) {
            if (path.isEmpty()) {
                return "an empty PATH; give a file or a folder";
            }
            String before = seen.putIfAbsent(canonical(path), path);
            if (before != null) {
                return "the same PATH is given twice: '" + before + "'"
                        + (before.equals(path) ? "" : " and '" + path + "'") + "; give it once";
            }
        }
        return null;
    }

    private static String canonical(String path) {
        try {
            String local = path.startsWith("file:") ? path.replaceFirst("file:(//)?", "") : path;
            return local.equals("-") || local.contains("://")
                    ? local
                    : Path.of(local).toAbsolutePath().normalize().toString();
        } catch (InvalidPathException e) {
            return path;
        }
    }
}
