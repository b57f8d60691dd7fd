package org.polygraph.jobs.cli;

import java.io.PrintStream;
import java.math.BigDecimal;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.polygraph.jobs.report.wording.Legible;
import org.polygraph.jobs.report.wording.LegibleJson;
import org.polygraph.storage.analysis.HistoryStats;
import org.polygraph.storage.table.HistoryTable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code polygraph stats}: counts of a history. */
@Command(name = "stats", description = "Count the contents of each history.", sortOptions = false)
final class StatsCommand implements Callable<Integer> {
    private final Environment environment;

    @Mixin
    private final PathOptions options = new PathOptions();

    @Option(names = "--json", description = "One JSON object per PATH, a line each.")
    private boolean json;

    StatsCommand(Environment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() {
        return options.forEachTable(environment, this::print);
    }

    private void print(String path, HistoryTable table) {
        HistoryStats stats = HistoryStats.of(table);
        if (json) {
            environment.out().println(json(path, stats));
            return;
        }
        PrintStream out = environment.out();
        out.println(Legible.of(path));
        line(
                "transactions",
                stats.transactions().all() + ": " + stats.transactions().committed() + " committed, "
                        + stats.transactions().aborted() + " aborted, "
                        + stats.transactions().indeterminate() + " indeterminate; "
                        + stats.transactions().empty() + " without operations");
        line("sessions", Integer.toString(stats.sessions()));
        line(
                "operations",
                (long) stats.recorded().reads() + stats.recorded().writes() + ": "
                        + stats.recorded().reads() + " reads, "
                        + stats.recorded().writes()
                        + " writes"
                        + (stats.writes().inserts() + stats.writes().deletes() == 0
                                ? ""
                                : " (" + stats.writes().inserts() + " inserts, "
                                        + stats.writes().deletes() + " deletes)")
                        + "; at most " + stats.maxOperations() + " a transaction");
        int predicates = stats.recorded().queries() + stats.recorded().predicateWrites();
        if (predicates > 0) {
            line(
                    "predicates",
                    predicates + ": " + stats.recorded().queries() + " pr, "
                            + stats.recorded().predicateWrites()
                            + " pw and pd; they and the rows that they return or write are operations");
        }
        if (stats.writes().undone() > 0) {
            line("savepoints", stats.writes().undone() + " further writes were undone by rollbacks to them");
        }
        line("keys", stats.recorded().keys() + ", " + stats.writes().keys() + " of them written");
        line(
                "values",
                stats.uniqueValues()
                        ? "unique on each key"
                        : stats.writes().repeated() + " writes of a value that their key already had");
        line(
                "times",
                stats.times().timed() == 0
                        ? "none"
                        : "on " + stats.times().timed() + " transactions, over "
                                + seconds(stats.times().span()) + "; longest "
                                + seconds(stats.times().longest()));
        line("memory", (stats.memoryBytes() + 1023) / 1024 + " KiB");
    }

    private static String json(String path, HistoryStats stats) {
        return LegibleJson.of(LegibleJson.object()
                .with("path", path)
                .with("sessions", stats.sessions())
                .with("txns", stats.transactions().all())
                .with("txns_committed", stats.transactions().committed())
                .with("txns_aborted", stats.transactions().aborted())
                .with("txns_indeterminate", stats.transactions().indeterminate())
                .with("txns_empty", stats.transactions().empty())
                .with("ops", (long) stats.recorded().reads() + stats.recorded().writes())
                .with("reads", stats.recorded().reads())
                .with("writes", stats.recorded().writes())
                .with("inserts", stats.writes().inserts())
                .with("deletes", stats.writes().deletes())
                .with("predicate_reads", stats.recorded().queries())
                .with("predicate_writes", stats.recorded().predicateWrites())
                .with("most_ops", stats.maxOperations())
                .with("keys", stats.recorded().keys())
                .with("keys_written", stats.writes().keys())
                .with("repeated_writes", stats.writes().repeated())
                .with("txns_timed", stats.times().timed())
                .with("span_ns", BigDecimal.valueOf(stats.times().span()))
                .with("longest_ns", BigDecimal.valueOf(stats.times().longest()))
                .with("memory_bytes", stats.memoryBytes()));
    }

    private void line(String name, String value) {
        environment.out().println("  " + name + " ".repeat(14 - name.length()) + value);
    }

    private static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.6f s", nanos / 1e9);
    }
}
