package org.polygraph.jobs.cli;

import picocli.CommandLine.Option;

/** The amount of output on stderr. */
final class Verbosity {
    enum ProgressMode {
        AUTO,
        PLAIN,
        JSON,
        NONE
    }

    @Option(
            names = "--progress",
            paramLabel = "MODE",
            description = "auto (a bar on a terminal, else plain), plain (a line now and then), json, none.")
    private ProgressMode mode = ProgressMode.AUTO;

    @Option(
            names = {"-q", "--quiet"},
            description = "No progress; only results and errors.")
    private boolean quiet;

    @Option(
            names = {"-v", "--verbose"},
            description = "Phases and their cost; stack traces of internal errors.")
    private boolean verbose;

    /** Sets an option as picocli would; false leaves the word to picocli. */
    boolean take(String name) {
        switch (name) {
            case "-q", "--quiet" -> quiet = true;
            case "-v", "--verbose" -> verbose = true;
            default -> {
                return false;
            }
        }
        return true;
    }

    boolean verbose() {
        return verbose;
    }

    ProgressPrinter progress(Environment environment) {
        return new ProgressPrinter(
                environment.err(), quiet ? ProgressMode.NONE : mode, environment.terminal(), verbose);
    }
}
