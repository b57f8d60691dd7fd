package org.polygraph.jobs.cli;

import java.io.PrintStream;
import org.polygraph.jobs.application.Engines;
import org.polygraph.jobs.report.wording.Legible;

/**
 * The environment of a command.
 *
 * @param terminal whether {@code err} is a terminal
 */
record Environment(PrintStream out, PrintStream err, boolean terminal, Engines engines) {
    /** A message on stderr; its lines after the first are indented. */
    void message(String text) {
        message(err, text);
    }

    static void message(PrintStream err, String text) {
        err.println("polygraph: " + Legible.lines(text.strip()).replace("\n", "\n  "));
    }
}
