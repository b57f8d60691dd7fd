package org.polygraph.partitioner.prune;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.closure.Closure;
import org.polygraph.partitioner.closure.TimeClosure;
import org.polygraph.partitioner.closure.WorkerThreads;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.Problem;
import org.polygraph.partitioner.index.VersionIndex;

/**
 * The closure of a graph and its saturation in turn. The rules themselves are in {@link KeyRules}. The closure has
 * chain clocks. If real time is part of the graph it is the time closure, unless few sessions write few keys.
 */
public final class Rules {
    /** A key with this many writers is handled faster by session than by time, where real time is part of the level. */
    private static final int MANY_WRITERS = 256;

    private static final int MOST_SESSIONS = 128;

    /** Closures for real time. */
    public enum RealTimeRows {
        /** Chain clocks where few sessions write few keys, the time closure elsewhere. */
        BY_KEYS,
        /** The time closure. */
        TIME,
        /** Chain clocks. */
        CHAINS
    }

    /** Receives beginnings and ends of phases. */
    public interface Phases {
        /** Receives nothing. */
        Phases NONE = new Phases() {
            @Override
            public void begin(String name) {}

            @Override
            public void end(long items) {}
        };

        void begin(String name);

        void end(long items);
    }

    /**
     * The reason why the rules refute a graph.
     *
     * @param key of the read that has no candidate left; -1: the graph has cycles
     * @param round that found it
     */
    public record Refutation(int key, int reader, int round) {
        /** The graph has cycles. */
        public static final Refutation BY_CYCLES = new Refutation(-1, -1, -1);

        public boolean isByCycles() {
            return key < 0;
        }
    }

    private final KnownGraph graph;
    private final Closure closure;
    private final Saturation saturation;
    private final Phases phases;
    private boolean isClosed;
    private boolean isAtFixpoint;
    private @Nullable Refutation refutation;

    private Rules(Problem problem, Closure closure, WorkerThreads workers, Phases phases) {
        this.graph = problem.graph();
        this.closure = closure;
        this.saturation = new Saturation(problem, closure, workers);
        this.phases = phases;
    }

    /**
     * Creates the rules of a problem.
     *
     * @param problem as it was indexed: no read of it has been decided since
     * @param bytes that the closure may take
     * @param rows what holds reachability if real time is part of the graph
     * @return null if it does not fit
     */
    public static @Nullable Rules of(
            Problem problem, long bytes, RealTimeRows rows, WorkerThreads workers, Phases phases) {
        phases.begin("closure");
        Closure closure = closure(problem, bytes, rows);
        return closure == null ? null : new Rules(problem, closure, workers, phases);
    }

    private static @Nullable Closure closure(Problem problem, long most, RealTimeRows rows) {
        KnownGraph graph = problem.graph();
        Events events = graph.events();
        if (graph.realTime() == null) {
            return ChainClocks.pay(events.count(), events.chains()) && ChainClocks.bytes(events) <= most
                    ? ChainClocks.of(graph)
                    : null;
        }
        if (goBySession(problem, most, rows)) {
            return ChainClocks.of(graph);
        }
        long fixed = TimeClosure.bytes(events);
        return fixed <= most ? TimeClosure.of(graph, most - fixed) : null;
    }

    /**
     * Whether rules by session are faster than rules by time, and the clocks fit in memory. Rules by session are faster
     * if keys have many writers from few sessions, because then almost every transaction that overlaps writes the key.
     */
    private static boolean goBySession(Problem problem, long most, RealTimeRows rows) {
        if (ChainClocks.bytes(problem.events()) > most - 12L * problem.events().count()) {
            return false;
        }
        if (rows != RealTimeRows.BY_KEYS) {
            return rows == RealTimeRows.CHAINS;
        }
        if (problem.events().chains() > MOST_SESSIONS) {
            return false;
        }
        VersionIndex index = problem.versions();
        int[] starts = index.writerStarts();
        long inHot = 0;
        for (int key = 0; key < index.keys(); key++) {
            int writers = starts[key + 1] - starts[key];
            inHot += writers >= MANY_WRITERS ? writers : 0;
        }
        return 2 * inHot > index.writers();
    }

    /**
     * Closes the graph, then applies the rules and closes it in turn, until they refute it or force nothing more. A
     * later call continues.
     *
     * @param rounds at most
     * @return the reason if the rules refute the graph; null otherwise
     * @throws org.polygraph.storage.model.StoppedException if it is to stop
     * @throws org.polygraph.partitioner.closure.OutgrownException if the closure outgrows its memory
     */
    public @Nullable Refutation run(long rounds, BooleanSupplier stop) {
        if (!isClosed) {
            close(stop);
        }
        for (long round = 0; round < rounds && refutation == null && !isAtFixpoint; round++) {
            round(stop);
        }
        return refutation;
    }

    private void round(BooleanSupplier stop) {
        phases.begin("saturation");
        int before = graph.edges();
        Saturation.RoundResult result;
        try {
            result = saturation.round(stop);
        } finally {
            phases.end(graph.edges() - before);
        }
        switch (result) {
            case FIXPOINT -> isAtFixpoint = true;
            case CONTRADICTION ->
                refutation =
                        new Refutation(saturation.impossibleKey(), saturation.impossibleReader(), graph.currentRound());
            case FORCED -> {
                phases.begin("closure");
                close(stop);
            }
        }
    }

    private void close(BooleanSupplier stop) {
        try {
            refutation = closure.update(stop) ? null : Refutation.BY_CYCLES;
            isClosed = true;
        } finally {
            phases.end(graph.edges());
        }
    }

    /**
     * Returns the position of each event in the order of chains in turn, or by time if real time is part of the graph,
     * unless the rules refute it.
     */
    public int[] order() {
        return closure.order();
    }

    /** Whether event a strictly reaches event b. Thread-safe: workers of the solver call it. */
    public boolean reaches(int a, int b) {
        return closure.reaches(a, b);
    }

    /** The bytes of heap that the rows take. */
    public long heapBytes() {
        return closure.bytes();
    }
}
