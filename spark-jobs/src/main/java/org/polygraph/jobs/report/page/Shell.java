package org.polygraph.jobs.report.page;

/** Words of a command line. */
final class Shell {
    private Shell() {}

    /** One word, whatever is in it. */
    static String quoted(String word) {
        return word.matches("[\\w@%+=:,./-]+") && !word.startsWith("-") ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
