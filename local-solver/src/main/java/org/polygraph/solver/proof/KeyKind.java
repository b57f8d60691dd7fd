package org.polygraph.solver.proof;

/**
 * What reads and writers of a key must obey if a transaction has two events. With one event, all kinds are the same.
 *
 * <p>A row that is inserted and deleted has two keys of the same writers: one for its values, and one for whether the
 * row exists.
 */
public enum KeyKind {
    /** Reads at snapshots; no two writers overlap. */
    PLAIN,
    /** The values of a row: reads at snapshots; writers may overlap. */
    OVERLAPPING,
    /** Whether a row exists, which at first it does not: reads at commits; the initial value is no row. */
    ROW_UNBORN,
    /** Whether a row exists, which at first it does: reads at commits; the initial value is a row. */
    ROW_BORN;

    /** Whether the reads of the key happen at commits. */
    public boolean readsAtCommit() {
        return this == ROW_UNBORN || this == ROW_BORN;
    }

    /**
     * Whether a writer must have committed before the next writer of the key takes its snapshot.
     *
     * @param leavesInitial whether the writer leaves the initial value
     */
    public boolean bindsNext(boolean leavesInitial) {
        return switch (this) {
            case PLAIN -> true;
            case OVERLAPPING -> false;
            case ROW_UNBORN -> !leavesInitial;
            case ROW_BORN -> leavesInitial;
        };
    }
}
