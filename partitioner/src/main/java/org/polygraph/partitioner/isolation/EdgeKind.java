package org.polygraph.partitioner.isolation;

/** Why one transaction comes before another (Adya's dependencies). */
public enum EdgeKind {
    /** Session order: the same session ran it earlier. */
    SO,
    /** Read from: the second read what the first wrote. */
    WR,
    /** Version order: the second overwrote what the first wrote. */
    WW,
    /** Anti-dependency: the second overwrote what the first read. */
    RW,
    /** Real time: the first had ended when the second started. */
    RT
}
