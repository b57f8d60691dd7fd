package org.polygraph.jobs.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import org.polygraph.jobs.report.wording.Facts;
import org.polygraph.jobs.report.wording.Legible;
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

    static String of(Verdict verdict, BooleanSupplier stop) {
        boolean pass = verdict.status() == Verdict.Status.PASS;
        boolean violation = verdict.status() == Verdict.Status.VIOLATION;
        String seconds = String.format(Locale.ROOT, "%.3f", verdict.millis() / 1e3);
        StringBuilder xml = new StringBuilder(512);
        xml.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"");
        xml.append(escaped("polygraph " + verdict.level().label() + " " + verdict.path()));
        xml.append("\" tests=\"1\" failures=\"")
                .append(violation ? 1 : 0)
                .append("\" errors=\"")
                .append(pass || violation ? 0 : 1);
        xml.append("\" skipped=\"0\" time=\"").append(seconds).append("\">\n");
        xml.append("  <testcase classname=\"polygraph.").append(verdict.level().label());
        xml.append("\" name=\"").append(escaped(verdict.path()));
        xml.append("\" time=\"").append(seconds).append('"');
        if (pass) {
            xml.append("/>\n");
        } else {
            String element = violation ? "failure" : "error";
            xml.append(">\n    <").append(element).append(" type=\"").append(verdict.status());
            xml.append("\" message=\"").append(escaped(message(verdict))).append("\">");
            xml.append(escaped(explanation(verdict, stop)));
            xml.append("</").append(element).append(">\n  </testcase>\n");
        }
        return xml.append("</testsuite>\n").toString();
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

    /**
     * Escapes text and attributes; characters that {@link Legible} hides, such as those that XML 1.0 cannot represent,
     * become escapes of Java.
     */
    private static String escaped(String text) {
        StringBuilder safe = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(c -> {
            switch (c) {
                case '<' -> safe.append("&lt;");
                case '>' -> safe.append("&gt;");
                case '&' -> safe.append("&amp;");
                case '"' -> safe.append("&quot;");
                case '\n' -> safe.append("&#10;");
                case '\t' -> safe.append("&#9;");
                default -> Legible.append(safe, c);
            }
        });
        return safe.toString();
    }
}
