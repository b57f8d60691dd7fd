package org.polygraph.jobs.verdict;

import java.util.Locale;

/** The use of timestamps ({@code --time}). */
public enum TimeMode {
    /** They are ignored. */
    NONE,
    /** They may speed up the check or help to find an order; they never cause a violation. */
    HINT,
    /** Real-time order is part of the level. */
    STRICT;

    /** The name on the command line. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
