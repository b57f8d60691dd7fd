package org.polygraph.jobs.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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

    /** Sets an option as picocli would. Returns false for words that only picocli can handle. */
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

    /** Whether progress is shown. */
    boolean showsProgress() {
        return !quiet && mode != ProgressMode.NONE;
    }

    boolean verbose() {
        return verbose;
    }

    /** Returns the options that another command takes in the same way. */
    List<String> words() {
        List<String> words = new ArrayList<>(List.of("--progress", mode.name().toLowerCase(Locale.ROOT)));
        if (quiet) {
            words.add("-q");
        }
        if (verbose) {
            words.add("-v");
        }
        return words;
    }

    ProgressPrinter progress(Environment environment) {
        return new ProgressPrinter(
                environment.err(), quiet ? ProgressMode.NONE : mode, environment.terminal(), verbose);
    }
}
