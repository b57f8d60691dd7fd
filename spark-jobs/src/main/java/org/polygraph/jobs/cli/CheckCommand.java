package org.polygraph.jobs.cli;

import java.util.concurrent.Callable;
import org.polygraph.jobs.report.ViolationText;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code polygraph check}: a verdict a PATH and level. */
@Command(
        name = "check",
        description = "Decide whether each history keeps an isolation level.",
        sortOptions = false,
        footer = {
            "",
            "Prints a line per PATH: PASS|VIOLATION|UNKNOWN|INVALID|ERROR  level  path  txns  ops  ms  [why]",
            "Of several levels a line each, the strongest first, then an indented line that names the",
            "strongest that holds; --json has it as \"strongest\".",
            "Exit code: the first of 1, 6, 5, 3, 4, 0 that occurred."
        })
final class CheckCommand implements Callable<Integer> {
    private final Environment environment;

    @Mixin
    private final CheckOptions options = new CheckOptions();

    @Mixin
    private final Verbosity verbosity = new Verbosity();

    CheckCommand(Environment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() {
        return new CheckRun(environment, options, verbosity, ViolationText.Detail.BRIEF).run();
    }
}
