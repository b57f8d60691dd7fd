package org.polygraph.jobs.verdict;

import org.jspecify.annotations.Nullable;

/**
 * The evidence behind a verdict.
 *
 * @param kind of a PASS {@link #ORDER}; of a VIOLATION {@link #CYCLE}, {@link #PROOF} or
 *     {@link #OPERATIONS}; of an UNKNOWN {@link #ORDER_OF_OTHERS}
 * @param path where it was written, relative to the run directory; null if it was not written
 * @param verified whether independent code checked it against the raw history
 * @param content hash of the contents of the history; null if no run names it
 */
public record Certificate(
        String kind,
        @Nullable String path,
        boolean verified,
        @Nullable String content) {
    /** Evidence that no run has yet. */
    public Certificate(String kind, @Nullable String path, boolean verified) {
        this(kind, path, verified, null);
    }

    /** An order of events. */
    public static final String ORDER = "order";

    /** An order of all transactions of a chain except those that read a value whose writer may be in the next part. */
    public static final String ORDER_OF_OTHERS = "order-of-others";

    /** A cycle of dependencies, or a read that no order explains. */
    public static final String CYCLE = "cycle";

    /** A search that refuted every choice. */
    public static final String PROOF = "proof";

    /** At level lin: operations of one key that no order explains. */
    public static final String OPERATIONS = "operations";
}
