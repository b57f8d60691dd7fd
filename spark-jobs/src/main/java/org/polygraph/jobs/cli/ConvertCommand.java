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
import org.polygraph.storage.format.parquet.UnwritableStringException;
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

/** {@code polygraph convert}: any format in; JSON Lines, Parquet or Arrow out. */
@Command(
        name = "convert",
        description = "Write a history as JSON Lines, Parquet or Arrow.",
        sortOptions = false,
        footer = {
            "",
            "OUT ends in .jsonl, .jsonl.gz, .jsonl.zst, .parquet or .arrow, or -t names its format; - is stdout."
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
            converter = Converters.Format.class,
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
                overwrite.replaces(Location.of(out));
            }
            HistoryTable table = HistoryReader.read(in, format);
            return write(table.asRead(), target).code();
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
                if (target == HistoryFormat.ARROW) {
                    HistoryWriter.writeArrow(table, environment.out());
                } else {
                    HistoryWriter.writeJsonl(table, environment.out());
                }
                if (environment.out().checkError()) {
                    environment.message("stdout cannot be written; the history there is incomplete");
                    return ExitCode.IO;
                }
            } else {
                HistoryWriter.write(table, out, target);
            }
            return ExitCode.PASS;
        } catch (UnwritableStringException e) {
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
        if (!target.isWritten()) {
            throw wrong("histories are not written as " + target.label() + "; give -t " + HistoryFormat.WRITTEN);
        }
        if (target == HistoryFormat.PARQUET && out.equals("-")) {
            throw wrong("parquet is not written to stdout; give a file");
        }
        return target;
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
