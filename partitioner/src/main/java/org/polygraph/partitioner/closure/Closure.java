package org.polygraph.partitioner.closure;

import java.util.function.BooleanSupplier;
import org.polygraph.partitioner.graph.KnownGraph;

/** Exact reachability of a known graph that grows from round to round. */
public sealed interface Closure permits ChainClocks, WindowClosure {
    /** How an update ended. */
    enum Result {
        /** Reachability is exact for the graph. */
        EXACT,
        /** The graph has a cycle. */
        CYCLIC,
        /** The budget ended. */
        STOPPED
    }

    /** The closure of a graph, small enough that memory is no question; {@link #update} computes it. */
    static Closure of(KnownGraph graph) {
        return graph.realTime() == null ? ChainClocks.of(graph) : WindowClosure.of(graph, Long.MAX_VALUE, Cores.all());
    }

    /**
     * Makes reachability exact for all edges now in the graph and drops redundant ones from it.
     *
     * @param stop asked now and then; true ends the update
     */
    Result update(BooleanSupplier stop);

    /**
     * Makes reachability of a graph again as it was after an update, without dropping an edge.
     *
     * @param changedThen {@link #changed} after that update
     * @return not {@link Result#CYCLIC}, if the graph was that of an exact update
     */
    Result restore(long[] changedThen, BooleanSupplier stop);

    /** Whether event a strictly reaches event b. */
    boolean reaches(int a, int b);

    /** Bytes that it takes now. */
    long bytes();

    /** A bit an event: those that more events may reach since the last update. */
    long[] changed();

    /** Whether the event is {@link #changed}. */
    default boolean hasChanged(int event) {
        return (changed()[event >> 6] & (1L << event)) != 0;
    }
}
