package org.polygraph.jobs.report.page;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.polygraph.jobs.report.wording.Facts;
import org.polygraph.jobs.report.wording.Legible;
import org.polygraph.jobs.verdict.PartViolations;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistoryTable;

/**
 * The overview of the violations.
 *
 * @param found their number, in words
 * @param leftOut what the page does not show, in words; empty if it shows all
 */
record Findings(String found, List<Kind> anomalies, List<Entry> entries, String leftOut) {
    /** An anomaly, how often it occurs and the anchor of its first occurrence. */
    record Kind(String name, String meaning, int count, String first) {}

    /** A violation in the overview. */
    record Entry(String anchor, int number, String name, int transactions, String keys, String enough, boolean shown) {}

    /** @param shown the number of violations on the page */
    static Findings of(Verdict verdict, int shown) {
        return new Findings(found(verdict), anomalies(verdict), entries(verdict, shown), leftOut(verdict, shown));
    }

    private static String found(Verdict verdict) {
        int found = verdict.violationsFound();
        int shown = verdict.violations().size();
        boolean atLeast = found >= IndexedHistory.MOST_VIOLATIONS;
        return found == shown
                ? found + (found == 1 ? " violation" : " independent violations")
                : found + (atLeast ? " or more" : "") + " independent violations, " + shown + " of them explained";
    }

    private static List<Kind> anomalies(Verdict verdict) {
        Map<String, Kind> kinds = new LinkedHashMap<>();
        int explained = verdict.violations().size();
        for (int i = 0; i < explained + verdict.unexplained().size(); i++) {
            Violation violation = i < explained
                    ? verdict.violations().get(i)
                    : verdict.unexplained().get(i - explained);
            String name = violation.anomaly().label();
            String first = i < explained ? "v" + String.format(Locale.ROOT, "%03d", i) : Timeline.UNEXPLAINED;
            kinds.merge(
                    name,
                    new Kind(name, violation.anomaly().meaning(), 1, first),
                    (a, b) -> new Kind(name, a.meaning(), a.count() + 1, a.first()));
        }
        return List.copyOf(kinds.values());
    }

    private static List<Entry> entries(Verdict verdict, int shown) {
        HistoryTable table = verdict.table();
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < verdict.violations().size() && table != null; i++) {
            Violation violation = verdict.violations().get(i);
            Facts facts = new Facts(table);
            List<String> keys = new ArrayList<>();
            for (int key :
                    violation.keys().subList(0, Math.min(4, violation.keys().size()))) {
                keys.add(Legible.shortened(facts.key(key), 24));
            }
            if (violation.keys().size() > keys.size()) {
                keys.add("+ " + (violation.keys().size() - keys.size()) + " more");
            }
            String enough = violation.minimal() == null
                    ? ""
                    : violation.minimal().transactions().length + " transactions, "
                            + violation.minimal().operations().length + " operations";
            entries.add(new Entry(
                    "v" + String.format(Locale.ROOT, "%03d", i),
                    i + 1,
                    violation.anomaly().label(),
                    violation.transactions().size(),
                    String.join(", ", keys),
                    enough,
                    i < shown));
        }
        return entries;
    }

    private static String leftOut(Verdict verdict, int shown) {
        int more = verdict.violations().size() - shown;
        int unexplained = verdict.violationsFound() - verdict.violations().size();
        List<String> sentences = new ArrayList<>();
        if (more > 0) {
            sentences.add(more + " more do not fit this page; violations.jsonl lists them.");
        }
        if (unexplained > 0 && verdict.status() == Verdict.Status.VIOLATION) {
            sentences.add(unexplained + " more were found but not explained (--max-violations)"
                    + (verdict.unexplained().isEmpty()
                            ? "."
                            : "; they are in the counts by kind and in the timeline."));
        }
        PartViolations inPart = verdict.inPart();
        if (verdict.status() == Verdict.Status.VIOLATION && (inPart == null || !inPart.isComplete())) {
            sentences.add(
                    "The check ended with the phase that found these; in transactions that they do not concern there may"
                            + " be others.");
        }
        return String.join(" ", sentences);
    }
}
