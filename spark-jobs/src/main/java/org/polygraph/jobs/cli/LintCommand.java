package org.polygraph.jobs.cli;

import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.report.wording.Legible;
import org.polygraph.storage.analysis.HistoryLint;
import org.polygraph.storage.analysis.HistoryLint.Check;
import org.polygraph.storage.analysis.HistoryLint.Finding;
import org.polygraph.storage.table.HistoryTable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code polygraph lint}: signs of a faulty recorder. */
@Command(
        name = "lint",
        description = "List what is odd in each history, though it can be checked.",
        sortOptions = false,
        footer = {"", "Findings are no failure: the exit code is 0 unless a history cannot be read."})
final class LintCommand implements Callable<Integer> {
    private final Environment environment;

    @Mixin
    private final PathOptions options = new PathOptions();

    LintCommand(Environment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() {
        return options.forEachTable(environment, this::print);
    }

    private void print(String path, HistoryTable table) {
        PrintStream out = environment.out();
        List<Finding> findings = HistoryLint.check(table);
        out.println(Legible.of(path) + (findings.isEmpty() ? ": nothing odd" : ""));
        @Nullable Check heading = null;
        for (Finding finding : findings) {
            if (finding.check() != heading) {
                heading = finding.check();
                out.println("  " + heading.label() + ": " + finding.total()
                        + (finding.total() > HistoryLint.KEPT ? ", the first " + HistoryLint.KEPT + " of them" : ""));
            }
            out.println("    " + Legible.of(finding.where() + "  " + finding.message()));
        }
    }
}
