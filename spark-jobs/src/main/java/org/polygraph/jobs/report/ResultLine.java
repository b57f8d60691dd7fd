package org.polygraph.jobs.report;

import org.polygraph.jobs.report.wording.Legible;
import org.polygraph.jobs.verdict.Verdict;

/**
 * The result line of a PATH: {@code STATUS level path N txns N ops N ms [anomaly or reason]}. Two spaces separate the
 * columns, so path and reason are written without line breaks and double spaces.
 */
public final class ResultLine {
    private ResultLine() {}

    /** Returns the line without its line break. */
    public static String of(Verdict verdict) {
        return of(verdict, verdict.level().label(), last(verdict));
    }

    /**
     * Returns the line for stdout, without the reason of INVALID and ERROR, which is a message on stderr.
     *
     * @param levels the column of the level: one, or several that have one answer
     */
    public static String withoutMessage(Verdict verdict, String levels) {
        return of(verdict, levels, isMessage(verdict.status()) ? "" : last(verdict));
    }

    /** Whether the reason of a verdict is a message on stderr. */
    public static boolean isMessage(Verdict.Status status) {
        return status == Verdict.Status.INVALID || status == Verdict.Status.ERROR;
    }

    /** The first anomaly, or the reason. */
    private static String last(Verdict verdict) {
        return verdict.status() == Verdict.Status.VIOLATION
                        && verdict.inPart() == null
                        && !verdict.violations().isEmpty()
                ? verdict.violations().get(0).anomaly().label()
                : verdict.reason();
    }

    private static String of(Verdict verdict, String levels, String last) {
        return of(
                verdict.status().name(),
                levels,
                verdict.path(),
                verdict.counts().transactions(),
                verdict.counts().operations(),
                verdict.millis(),
                last);
    }

    static String of(String status, String level, String path, long txns, long ops, long millis, String last) {
        StringBuilder line = new StringBuilder(120);
        line.append(status).append("  ").append(level).append("  ").append(cell(path));
        line.append("  ").append(txns).append(" txns  ").append(ops).append(" ops  ");
        line.append(millis).append(" ms");
        if (!last.isEmpty()) {
            line.append("  ").append(cell(last));
        }
        return line.toString();
    }

    /** The text of one column: invisible characters become escapes, runs of spaces one space. */
    static String cell(String text) {
        StringBuilder cell = new StringBuilder(text.length());
        boolean space = false;
        for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
            int c = text.codePointAt(i);
            boolean blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
            if (blank) {
                if (!space) {
                    cell.append(' ');
                }
            } else {
                Legible.append(cell, c);
            }
            space = blank;
        }
        return cell.toString();
    }
}
