package org.polygraph.jobs.cli;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Failures;
import org.polygraph.jobs.verdict.ExitCode;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.format.io.UnwritableException;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code polygraph convert}: any format in; our formats, or one of another checker, out. */
@Command(
        name = "convert",
        description = "Write a history in another format, of ours or of another checker.",
        sortOptions = false,
        footer = {
            "",
            "OUT ends in .jsonl, .jsonl.gz, .jsonl.zst, .parquet or .arrow, or -t names its format; - is stdout.",
            "cobra is a folder. What a format cannot express is named and refused."
        })
final class ConvertCommand implements Callable<Integer> {
    private final Environment environment;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = {"-f", "--format"},
            paramLabel = "FORMAT",
            converter = Converters.Format.class,
            defaultValue = "auto",
            description = "Of IN: " + Converters.Format.LABELS)
    @SuppressWarnings("NullAway.Init")
    private HistoryFormat format;

    @Option(
            names = {"-t", "--to"},
            paramLabel = "FORMAT",
            converter = Converters.Target.class,
            description = "Of OUT: " + HistoryFormat.WRITTEN + " (default: by its ending).")
    private @Nullable HistoryFormat to;

    @Mixin
    private final OverwriteOption overwrite = new OverwriteOption();

    @Parameters(index = "0", paramLabel = "IN", description = "A history; - is stdin.")
    @SuppressWarnings("NullAway.Init")
    private String in;

    @Parameters(index = "1", paramLabel = "OUT", description = "The file to write.")
    @SuppressWarnings("NullAway.Init")
    private String out;

    ConvertCommand(Environment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() {
        HistoryFormat target = target();
        if (!in.equals("-") || !out.equals("-")) {
            PathOptions.rejectDuplicates(spec, List.of(in, out));
        }
        try {
            if (!out.equals("-")) {
                boolean replaces = overwrite.replaces(Location.of(out));
                if (replaces && target == HistoryFormat.COBRA) {
                    throw wrong("'" + out + "' exists; a folder of logs is not replaced: remove it");
                }
            }
            HistoryTable table = HistoryReader.read(in, format);
            return write(table.withUndone(), target).code();
        } catch (HistoryException e) {
            environment.message(Failures.text(e));
            return ExitCode.INVALID.code();
        } catch (BudgetException e) {
            environment.message(Failures.text(e));
            return ExitCode.UNKNOWN.code();
        } catch (IOException e) {
            environment.message(Failures.ofPath(in, e));
            return ExitCode.IO.code();
        }
    }

    private ExitCode write(HistoryTable table, HistoryFormat target) {
        try {
            if (out.equals("-")) {
                HistoryWriter.write(table, environment.out(), target);
                if (environment.out().checkError()) {
                    environment.message("stdout cannot be written; the history there is incomplete");
                    return ExitCode.IO;
                }
            } else {
                HistoryWriter.write(table, out, target);
            }
            if (!target.hasTimes() && table.starts() != null) {
                environment.message(out + ": " + target.label() + " has no times, so those of " + in + " are left out");
            }
            return ExitCode.PASS;
        } catch (UnwritableException e) {
            environment.message(Failures.text(e));
            return ExitCode.INVALID;
        } catch (IOException e) {
            environment.message(
                    out + ": the history cannot be written there (" + Failures.cause(e) + "); give another OUT");
            return ExitCode.IO;
        }
    }

    private HistoryFormat target() {
        String name = out.toLowerCase(Locale.ROOT);
        HistoryFormat target = to;
        if (target == null) {
            target = name.endsWith(".parquet")
                    ? HistoryFormat.PARQUET
                    : name.endsWith(".arrow")
                            ? HistoryFormat.ARROW
                            : name.equals("-") || name.matches(".*\\.jsonl(\\.gz|\\.zst)?")
                                    ? HistoryFormat.JSONL
                                    : null;
        }
        if (target == null) {
            throw wrong("'" + out + "' has no known ending: end it in .jsonl, .parquet or .arrow, or give -t");
        }
        if (out.equals("-") && (target == HistoryFormat.PARQUET || target == HistoryFormat.COBRA)) {
            throw wrong(target.label() + " is not written to stdout; give a "
                    + (target == HistoryFormat.COBRA ? "folder" : "file"));
        }
        return target;
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
