package org.polygraph.jobs.certificate.format;

import java.util.Locale;

/** What a transaction of unknown outcome counts as ({@code --indeterminate}). */
public enum IndeterminateMode {
    /** Committed if something that counts read its write, else dropped. */
    MAYBE,
    /** Dropped. */
    ABORT;

    /** The name on the command line. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
