package org.polygraph.jobs.spark;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Rules;
import org.polygraph.partitioner.closure.Closure;

/** A closure that jobs compute, piece by piece, into files that tasks and driver map. One thread, but for {@link #reaches}. */
sealed interface JobClosure permits ColumnClosure, WindowJobs {
    /** As {@link Closure#update}. */
    boolean close() throws IOException;

    /** A bit an event: those that more events may reach since it was last closed. */
    long[] changed();

    /** The rows as they are now. */
    RowFiles rowFiles();

    /** Position by event; null if the budget ended. */
    int @Nullable [] order() throws IOException;

    /** As {@link Rules#freedom}. */
    double freedom();

    /** Whether event a strictly reaches event b. Thread-safe: the solver's threads ask. */
    boolean reaches(int a, int b) throws IOException;

    /** Lets go of the rows that {@link #reaches} has mapped. */
    void release();

    /** Bytes of heap on the driver. */
    long heapBytes();

    /** Goes on from a graph as it was when an earlier process had closed it, and what had {@link #changed} then. @return as {@link #close} */
    boolean restore(long[] changedThen) throws IOException;
}
