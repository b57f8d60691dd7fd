package org.polygraph.jobs.verdict;

import java.util.Locale;

/** What becomes of versions that the database gave ({@code --versions}). */
public enum VersionUse {
    /** They order the writes of a key and name the writers of reads. */
    USE,
    /** They are fields without a meaning. */
    IGNORE;

    /** The name on the command line. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
