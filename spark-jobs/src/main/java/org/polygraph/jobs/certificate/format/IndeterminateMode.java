package org.polygraph.jobs.certificate.format;

import java.util.Locale;

/** How indeterminate transactions are treated ({@code --indeterminate}). */
public enum IndeterminateMode {
    /** Committed iff a counted transaction read from it, else ignored. */
    MAYBE,
    /** Never committed: its writes are ignored. */
    ABORT;

    /** The name on the command line. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
