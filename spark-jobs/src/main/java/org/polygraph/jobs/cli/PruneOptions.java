package org.polygraph.jobs.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Pruning;
import org.polygraph.jobs.report.RunList;
import org.polygraph.jobs.report.wording.Legible;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.HistoryException;
import picocli.CommandLine.Option;

/** {@code runs --prune}: removes what is not needed of old runs. */
final class PruneOptions {
    @Option(
            names = "--prune",
            description =
                    "Remove old runs, and of a chain's old runs what no later part needs; with --keep or --older.")
    private boolean prune;

    @Option(
            names = "--keep",
            paramLabel = "N",
            converter = Converters.IntCount.class,
            description = "With --prune: the newest N runs of each level stay.")
    private @Nullable Integer keep;

    @Option(
            names = "--older",
            paramLabel = "DUR",
            converter = Converters.DurationNanos.class,
            description = "With --prune: only runs that finished longer ago, such as 30d.")
    private @Nullable Long olderNanos;

    @Option(names = "--dry-run", description = "With --prune: print what would be removed, and remove nothing.")
    private boolean dryRun;

    boolean isGiven() {
        return prune;
    }

    /** Returns what is wrong with the options; null if nothing is. */
    @Nullable
    String conflict() {
        boolean isLimited = keep != null || olderNanos != null;
        if (prune ? !isLimited : isLimited || dryRun) {
            return prune ? "--prune needs --keep N, --older DUR or both" : "--keep, --older and --dry-run need --prune";
        }
        return keep != null && keep < 1 ? "--keep 0 leaves no run; give 1 or more" : null;
    }

    /** Prunes a folder and prints a line for each run, then one for all. */
    void prune(String folder, Environment environment) throws IOException, HistoryException {
        Location runs = Location.of(folder);
        Instant before = olderNanos == null ? Instant.MAX : Instant.now().minusNanos(olderNanos);
        Pruning pruning = new Pruning(runs, keep == null ? 0 : keep, before);
        if (!dryRun && !pruning.items().isEmpty()) {
            pruning.delete();
            if (runs.child(RunList.INDEX).exists()) {
                RunList.writeIndex(runs);
            }
        }
        PrintStream out = environment.out();
        for (Pruning.Item item : pruning.items()) {
            var verdict = item.run().verdict();
            out.println(Legible.of(String.join(
                    "  ",
                    item.run().time(),
                    verdict.status().name(),
                    verdict.level(),
                    verdict.path(),
                    item.run().name(),
                    item.bytes() + " bytes",
                    item.isWhole() ? "the run" : "its certificate and seam")));
        }
        out.println((dryRun ? "would remove " : "removed ") + pruning.bytes() + " bytes of "
                + pruning.items().size() + " of " + pruning.runs() + " runs");
    }
}
