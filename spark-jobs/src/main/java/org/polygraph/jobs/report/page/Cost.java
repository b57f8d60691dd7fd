package org.polygraph.jobs.report.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.polygraph.jobs.report.page.HtmlReport.Item;
import org.polygraph.jobs.verdict.CoveredParts;
import org.polygraph.jobs.verdict.Phase;
import org.polygraph.jobs.verdict.ResidualSize;
import org.polygraph.jobs.verdict.Verdict;

/**
 * The cost of a check.
 *
 * @param rerun the command that repeats it
 */
record Cost(List<PhaseBar> phases, List<Item> cost, String rerun) {
    /** @param width in percent of the longest */
    record PhaseBar(String name, String time, String cpu, String items, double width) {}

    /**
     * Returns the cost of a check.
     *
     * @param run the location of its run
     * @param options of the command that repeats it
     */
    static Cost of(Verdict verdict, String run, String options) {
        CoveredParts parts = verdict.parts();
        int end = run.lastIndexOf('/');
        String folder = Shell.quoted(end < 0 ? "." : run.substring(0, end));
        // On a seam no loaders are looked for, whatever the command said.
        String same = parts != null && parts.isOnSeam() ? options.replace(" --initial implicit", "") : options;
        String chain =
                parts == null || parts.count() < 2 ? "" : " --after " + folder + " -o " + folder + " --overwrite";
        return new Cost(
                phases(verdict),
                cost(verdict),
                "polygraph check -l " + verdict.level().label() + same + chain + " " + Shell.quoted(verdict.path()));
    }

    private static List<PhaseBar> phases(Verdict verdict) {
        long longest = 1;
        for (Phase phase : verdict.phases()) {
            longest = Math.max(longest, phase.millis());
        }
        List<PhaseBar> bars = new ArrayList<>();
        for (Phase phase : verdict.phases()) {
            double width = Math.round(1000.0 * phase.millis() / longest) / 10.0;
            bars.add(new PhaseBar(
                    phase.name(),
                    HtmlReport.grouped(phase.millis()) + " ms",
                    HtmlReport.grouped(phase.cpuMillis()) + " ms",
                    HtmlReport.grouped(phase.items()),
                    Math.max(0.4, width)));
        }
        return bars;
    }

    private static List<Item> cost(Verdict verdict) {
        List<Item> items = new ArrayList<>();
        items.add(new Item(
                "Elapsed", HtmlReport.grouped(verdict.millis()) + " ms", "from opening the history to the verdict"));
        items.add(new Item(
                "Peak memory",
                String.format(Locale.ROOT, "%,.0f MiB", verdict.peakMemoryBytes() / 1048576.0),
                "of the whole process"));
        ResidualSize rest = verdict.residual();
        boolean decided = verdict.status() == Verdict.Status.PASS || verdict.status() == Verdict.Status.VIOLATION;
        if (!decided && rest.constraints() == 0) {
            return items;
        }
        items.add(new Item(
                "Left to the solver",
                HtmlReport.grouped(rest.constraints()) + " constraints",
                rest.constraints() == 0
                        ? "nothing was left to it"
                        : HtmlReport.grouped(rest.components()) + " components, the largest of "
                                + HtmlReport.grouped(rest.largest())
                                + " transactions; " + HtmlReport.grouped(rest.decisions()) + " decisions, "
                                + HtmlReport.grouped(rest.conflicts()) + " conflicts"));
        return items;
    }
}
