package org.polygraph.storage.format.io;

/** Makes untrusted text fit for messages: short, and without control characters. */
public final class Shown {
    private static final int MAX = 40;

    private Shown() {}

    /** Describes a byte of an ASCII format. */
    public static String character(int c) {
        if (c == '\n') {
            return "the end of the line";
        }
        return c > ' ' && c < 127 ? "'" + (char) c + "'" : String.format("the byte 0x%02x", c);
    }

    /** Returns the first 40 characters. A character other than printable ASCII and letters is replaced by '?'. */
    public static String text(String text) {
        String cut = text.length() <= MAX ? text : text.substring(0, MAX) + "...";
        StringBuilder shown = new StringBuilder(cut.length());
        for (int i = 0; i < cut.length(); i++) {
            char c = cut.charAt(i);
            shown.append((c >= ' ' && c < 127) || Character.isLetterOrDigit(c) ? c : '?');
        }
        return shown.toString();
    }

    /** Returns a message of a library as one line of at most 200 characters. */
    public static String message(String message) {
        String line = message.replaceAll("[^\\x20-\\x7e]", "?");
        return line.length() <= 200 ? line : line.substring(0, 200) + "...";
    }
}
