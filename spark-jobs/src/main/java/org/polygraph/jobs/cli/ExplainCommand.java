package org.polygraph.jobs.cli;

import java.util.concurrent.Callable;
import org.polygraph.jobs.report.ViolationText;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code polygraph explain}: a check that tells everything about what it found. */
@Command(name = "explain", description = "Check, and explain every violation in full.", sortOptions = false)
final class ExplainCommand implements Callable<Integer> {
    private final Environment environment;

    @Mixin
    private final CheckOptions options = new CheckOptions();

    @Mixin
    private final Verbosity verbosity = new Verbosity();

    ExplainCommand(Environment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() {
        return new CheckRun(environment, options, verbosity, ViolationText.Detail.FULL).run();
    }
}
