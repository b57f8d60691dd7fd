package org.polygraph.partitioner.isolation;

/** The basis of the order of two transactions. */
public enum Basis {
    /** The history shows it: a read names its only possible writer, or returned the initial value. */
    OBSERVED("observed"),
    /** The session ran them in this order. */
    SESSION("session"),
    /** The first had ended when the second started. */
    REAL_TIME("real time"),
    /** Every alternative closes a cycle: {@link Reason#because}. */
    FORCED("forced"),
    /** An {@link Alternative} assumes it, or it follows directly from the assumption. */
    ASSUMED("assumed");

    private final String label;

    Basis(String label) {
        this.label = label;
    }

    /** The name in results. */
    public String label() {
        return label;
    }
}
