package org.polygraph.partitioner.closure;

import java.util.function.BooleanSupplier;
import org.polygraph.storage.model.StoppedException;

/** Exact reachability of a known graph that grows from round to round. */
public sealed interface Closure permits ChainClocks, TimeClosure {
    /**
     * Makes reachability exact for all edges now in the graph and drops redundant ones from it.
     *
     * @return false if the graph has a cycle; then there is no reachability
     * @throws StoppedException if it is to stop
     * @throws OutgrownException if its rows outgrow their memory
     */
    boolean update(BooleanSupplier stop);

    /** Whether event a strictly reaches event b. */
    boolean reaches(int a, int b);

    /**
     * An order of all events that extends the graph, as the position of each: chains in turn, or by time where real
     * time is part of the graph.
     */
    int[] order();

    /** The bytes that it takes now. */
    long bytes();

    /** A bit an event: set if the last update may have found more events that reach it. */
    long[] changed();

    /** Whether the event is {@link #changed}. */
    default boolean hasChanged(int event) {
        return (changed()[event >> 6] & (1L << event)) != 0;
    }
}
