package org.polygraph.jobs.report;

import java.util.Locale;
import org.polygraph.jobs.verdict.Verdict;

/**
 * {@code junit.xml}: the verdict as a test case, for build servers. A VIOLATION is a failure; UNKNOWN, INVALID and ERROR
 * are errors, because nothing was shown either way.
 */
final class JunitXml {
    private JunitXml() {}

    static String of(Verdict verdict) {
        boolean pass = verdict.status() == Verdict.Status.PASS;
        boolean violation = verdict.status() == Verdict.Status.VIOLATION;
        String seconds = String.format(Locale.ROOT, "%.3f", verdict.millis() / 1e3);
        StringBuilder xml = new StringBuilder(512);
        xml.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"polygraph\" tests=\"1\" failures=\"");
        xml.append(violation ? 1 : 0).append("\" errors=\"").append(pass || violation ? 0 : 1);
        xml.append("\" skipped=\"0\" time=\"").append(seconds).append("\">\n");
        xml.append("  <testcase classname=\"polygraph.").append(verdict.level().label());
        xml.append("\" name=\"").append(escaped(verdict.path()));
        xml.append("\" time=\"").append(seconds).append('"');
        if (pass) {
            xml.append("/>\n");
        } else {
            String element = violation ? "failure" : "error";
            String message = violation && !verdict.violations().isEmpty()
                    ? verdict.violations().get(0).anomaly().label()
                    : verdict.reason();
            xml.append(">\n    <").append(element).append(" type=\"").append(verdict.status());
            xml.append("\" message=\"").append(escaped(message)).append("\">");
            xml.append(escaped(ViolationText.of(verdict, ViolationText.Detail.BRIEF)));
            xml.append("</").append(element).append(">\n  </testcase>\n");
        }
        return xml.append("</testsuite>\n").toString();
    }

    /** For text and attributes alike; what XML 1.0 has no way to write becomes {@code ?}. */
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
                default -> {
                    boolean writable = (c >= 0x20 && c <= 0xD7FF) || (c >= 0xE000 && c <= 0xFFFD) || c >= 0x10000;
                    safe.appendCodePoint(writable ? c : '?');
                }
            }
        });
        return safe.toString();
    }
}
