package org.polygraph.jobs.decision;

/** What a set of transactions must respect of what is before and behind it. */
enum Borders {
    /** Everything: its order explains all its reads, and what is behind still reads the same. */
    STRICT,
    /**
     * Not what needs transactions beyond the borders to move: reads of values that are neither at the left border nor written
     * between the borders; and what is read behind the right border of keys that are written within a quarter of the set from it.
     */
    RELAXED,
    /** Nothing behind the right border, and no read of a value that is not written between the borders. */
    NONE
}
