package org.polygraph.jobs.cli;

import java.util.concurrent.Callable;
import org.polygraph.jobs.report.Version;
import org.polygraph.jobs.verdict.ExitCode;
import picocli.CommandLine.Command;

/** {@code polygraph version}. */
@Command(name = "version", description = "Print the version.")
final class VersionCommand implements Callable<Integer> {
    private final Environment environment;

    VersionCommand(Environment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() {
        environment.out().println("polygraph " + Version.current());
        return ExitCode.PASS.code();
    }
}
