package org.polygraph.jobs.report.page;

/** Quotes words of a command line. */
final class Shell {
    private Shell() {}

    /** The text as one word of a POSIX shell. */
    static String quoted(String word) {
        return word.matches("[\\w@%+=:,./-]+") && !word.startsWith("-") ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
