package org.polygraph.partitioner.sliced;

/** A closure that was computed in pieces, of one graph as it was: what rules by slice of keys take rows from. Thread-safe. */
public sealed interface SlicedClosure permits GroupedRows, WindowedRows {
    /** Chains. */
    int chains();

    /** Whether event a strictly reaches event b. */
    boolean reaches(int a, int b);
}
