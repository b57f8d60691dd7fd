package org.polygraph.partitioner.sliced;

/**
 * The closure of a graph at one moment, computed in several tasks: the rules of slices of keys read its rows.
 * Thread-safe.
 */
public sealed interface SlicedClosure permits GroupedRows, WindowedRows {
    /** The number of chains. */
    int chains();

    /** Whether event a strictly reaches event b. */
    boolean reaches(int a, int b);
}
