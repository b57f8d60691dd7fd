package org.polygraph.jobs.decision;

/** The conditions that a set of transactions must fulfil towards the operations before and after it. */
enum Borders {
    /** All conditions: its order explains all its reads, and later operations still read the same. */
    STRICT,
    /**
     * All conditions, except for reads of values that are neither at the left border nor written between the borders.
     */
    FIRM,
    /**
     * Leaves out conditions that only transactions beyond the borders may be able to fulfil: for keys that are written
     * within a quarter of the set from a border, reads of the value at the left border, and reads after the right
     * border.
     */
    RELAXED,
    /** Leaves out everything after the right border, and reads of values that are not written between the borders. */
    NONE
}
