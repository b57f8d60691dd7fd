package org.polygraph.jobs.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import org.polygraph.jobs.report.page.Templates;
import org.polygraph.jobs.report.wording.Facts;
import org.polygraph.jobs.report.wording.Phenomenon;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistoryTable;

/**
 * {@code junit.xml}: one test suite per level and PATH with the verdict as its test case, for build servers. A
 * VIOLATION is a failure, whose text explains the first violations in full. UNKNOWN, INVALID and ERROR are errors,
 * because they decide nothing.
 */
final class JunitXml {
    /** The most characters of the explanation. */
    private static final int MOST = 64 << 10;

    private JunitXml() {}

    /** What the template shows; texts are escaped. @param status of a test case that has failed; empty for a PASS */
    record Suite(
            String level,
            String path,
            int failures,
            int errors,
            String seconds,
            String element,
            String status,
            String message,
            String explanation) {}

    static String of(Verdict verdict, BooleanSupplier stop) {
        boolean pass = verdict.status() == Verdict.Status.PASS;
        boolean violation = verdict.status() == Verdict.Status.VIOLATION;
        return Templates.filled(
                "junit",
                new Suite(
                        verdict.level().label(),
                        escaped(verdict.path()),
                        violation ? 1 : 0,
                        pass || violation ? 0 : 1,
                        String.format(Locale.ROOT, "%.3f", verdict.millis() / 1e3),
                        violation ? "failure" : "error",
                        pass ? "" : verdict.status().name(),
                        pass ? "" : escaped(message(verdict)),
                        pass ? "" : escaped(explanation(verdict, stop))));
    }

    /** Returns the message, which is one line. */
    private static String message(Verdict verdict) {
        if (verdict.violations().isEmpty()) {
            return verdict.reason();
        }
        Violation first = verdict.violations().get(0);
        List<String> names = new ArrayList<>(List.of(first.anomaly().label()));
        names.addAll(first.aliases());
        int more = verdict.violationsFound() - 1;
        return String.join(", ", names) + ": " + meaning(verdict, first)
                + (more == 0 ? "" : "; and " + more + (more == 1 ? " more violation" : " more violations"));
    }

    private static String meaning(Verdict verdict, Violation violation) {
        HistoryTable table = verdict.table();
        return table == null ? violation.anomaly().meaning() : Phenomenon.of(violation, new Facts(table));
    }

    private static String explanation(Verdict verdict, BooleanSupplier stop) {
        HistoryTable table = verdict.table();
        StringBuilder text = new StringBuilder();
        for (int i = 0; table != null && i < verdict.violations().size(); i++) {
            String next = ViolationText.full(verdict, i, table, stop);
            if (text.length() + next.length() > MOST && i > 0) {
                return text.append("  and more: see explain.txt of each\n").toString();
            }
            text.append(next, 0, Math.min(next.length(), MOST));
        }
        return text.toString();
    }

    /** In an attribute a line break would become a space. */
    private static String escaped(String text) {
        return Templates.escaped(text).replace("\n", "&#10;");
    }
}
