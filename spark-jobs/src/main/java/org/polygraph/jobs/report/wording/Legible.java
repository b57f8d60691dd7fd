package org.polygraph.jobs.report.wording;

import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Makes text from the input safe to show: on one line, in written order, without invisible characters. Control
 * characters, bidirectional overrides, zero-width characters, unpaired surrogates, private and unassigned characters
 * become {@code \}{@code uXXXX}, a line break {@code \n}. All others stay, including right-to-left letters.
 */
public final class Legible {
    private static final String ELLIPSIS = "\u2026";

    private Legible() {}

    /** The text, unchanged if all of it can be shown. */
    public static String of(String text) {
        if (text.codePoints().allMatch(Legible::isShown)) {
            return text;
        }
        StringBuilder safe = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(c -> append(safe, c));
        return safe.toString();
    }

    /** Text of several lines, whose line breaks stay. */
    public static String lines(String text) {
        return Stream.of(text.split("\n", -1)).map(Legible::of).collect(Collectors.joining("\n"));
    }

    /** One line, truncated to at most {@code most} characters, the last of which is then an ellipsis. */
    public static String shortened(String text, int most) {
        String safe = of(text.length() > 4 * most ? text.substring(0, 4 * most) : text);
        if (safe.length() <= most) {
            return safe;
        }
        int end = most - 1;
        return safe.substring(0, Character.isHighSurrogate(safe.charAt(end - 1)) ? end - 1 : end) + ELLIPSIS;
    }

    /** Whether a character can be shown as it is. */
    public static boolean isShown(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.UNASSIGNED,
                    Character.PRIVATE_USE -> false;
            default -> true;
        };
    }

    /** Appends a character, or the escape that stands for it. */
    public static void append(StringBuilder out, int codePoint) {
        if (isShown(codePoint)) {
            out.appendCodePoint(codePoint);
        } else if (codePoint == '\n') {
            out.append("\\n");
        } else {
            for (char unit : Character.toChars(codePoint)) {
                out.append("\\u");
                for (int shift = 12; shift >= 0; shift -= 4) {
                    out.append(Character.forDigit(unit >> shift & 0xf, 16));
                }
            }
        }
    }
}
