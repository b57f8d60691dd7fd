package org.polygraph.jobs.spark;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Rules;
import org.polygraph.partitioner.closure.Closure;

/** A closure that jobs compute into files that tasks and driver map. Not thread-safe, except for {@link #reaches}. */
sealed interface JobClosure permits ColumnClosure, WindowJobs {
    /** As {@link Closure#update}. */
    boolean close() throws IOException;

    /** A bit for each event that more events may reach since the last closure. */
    long[] changed();

    /** The current rows. */
    RowFiles rowFiles();

    /** The position of each event in an order; null if the budget ended. */
    int @Nullable [] order() throws IOException;

    /** As {@link Rules#freedom}. */
    double freedom();

    /** Whether event a strictly reaches event b. Thread-safe, because the solver's workers call it. */
    boolean reaches(int a, int b) throws IOException;

    /** Unmaps the rows that {@link #reaches} has mapped. */
    void release();

    /** The bytes of the driver's heap that the closure takes. */
    long heapBytes();

    /**
     * Continues from the graph that an earlier process had closed, and from {@link #changed} at that time.
     *
     * @return as {@link #close}
     */
    boolean restore(long[] changedThen) throws IOException;
}
