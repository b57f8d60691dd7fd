package org.polygraph.jobs.verdict;

import java.util.Locale;

/** Whether session order is part of a level ({@code --session-order}). */
public enum SessionOrder {
    /** The transactions of a session are ordered as it ran them. */
    YES,
    /** Each transaction is a session of its own. */
    NONE;

    /** The name on the command line. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
