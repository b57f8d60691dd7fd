package org.polygraph.jobs.cli;

import java.util.concurrent.Callable;
import org.polygraph.jobs.application.Runs;
import org.polygraph.jobs.report.ViolationText;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Spec;

/** {@code polygraph explain}: everything about what was found, by a check now or by a run that is there. */
@Command(
        name = "explain",
        description = "Explain every violation in full: of a run that check --out left, or of a check now.",
        sortOptions = false,
        footer = {"", "A PATH may be a run=<id>, which is told again without a check and needs no level."})
final class ExplainCommand implements Callable<Integer> {
    private static final String LEVEL = "--level";

    private final Environment environment;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final CheckOptions options = new CheckOptions();

    @Mixin
    private final Verbosity verbosity = new Verbosity();

    private ExplainCommand(Environment environment) {
        this.environment = environment;
    }

    /** A run has its level: it is asked for where a history is given, and not before. */
    static CommandLine command(Environment environment) {
        CommandLine command = new CommandLine(new ExplainCommand(environment));
        CommandSpec spec = command.getCommandSpec();
        OptionSpec level = spec.findOption(LEVEL);
        spec.remove(level);
        spec.addOption(OptionSpec.builder(level).required(false).build());
        return command;
    }

    @Override
    public Integer call() {
        OptionSpec level = spec.findOption(LEVEL);
        boolean given = spec.commandLine().getParseResult().hasMatchedOption(LEVEL);
        if (!given && !options.paths().stream().allMatch(Runs::isRun)) {
            throw new MissingParameterException(
                    spec.commandLine(), level, "Missing required option: '--level=LEVEL'; only a run needs none");
        }
        return new CheckRun(environment, options, verbosity, ViolationText.Detail.FULL).run();
    }
}
