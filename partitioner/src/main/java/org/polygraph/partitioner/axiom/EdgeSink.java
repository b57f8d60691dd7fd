package org.polygraph.partitioner.axiom;

/** Takes edges of the commit order. */
@FunctionalInterface
interface EdgeSink {
    /** a before b. */
    void add(int a, int b, int round);
}
