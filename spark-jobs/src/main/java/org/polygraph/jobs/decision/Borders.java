package org.polygraph.jobs.decision;

/** What a set of transactions must respect of what is before and behind it. */
enum Borders {
    /** Everything: its order explains all its reads, and what is behind still reads the same. */
    STRICT,
    /** Everything but reads of values that are neither at the left border nor written between the borders. */
    FIRM,
    /**
     * Not what may need transactions beyond the borders to move: of keys that are written within a quarter of the set
     * from a border, neither reads of the value at the left border, nor what is read behind the right one.
     */
    RELAXED,
    /** Nothing behind the right border, and no read of a value that is not written between the borders. */
    NONE
}
