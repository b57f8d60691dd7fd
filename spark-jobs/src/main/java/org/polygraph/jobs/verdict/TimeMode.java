package org.polygraph.jobs.verdict;

import java.util.Locale;

/** What timestamps may do ({@code --time}). */
public enum TimeMode {
    /** They are not looked at. */
    NONE,
    /** They may speed the check up or help to accept; they never condemn. */
    HINT,
    /** Real-time order is part of the level. */
    STRICT;

    /** The name on the command line. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
