package org.polygraph.partitioner.axiom;

import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.ReadsFrom;
import org.polygraph.partitioner.isolation.IsolationLevel;

/**
 * RC and RA. Under RC a read sees the writers of what its transaction read before it; under RA every read of t3 sees the
 * writers of all that t3 read, and what its session ran earlier: of that the session's last writer of the key is enough.
 *
 * <p>Time, after AWDIT (Moldrup and Pavlogiannis, "AWDIT: An Optimal Weak Database Isolation Tester", PLDI 2025, sections
 * 3.1 and 3.2): a pair of transactions costs the shorter of the two, so at most O(n^1.5) for n operations and linear for
 * transactions of bounded length (here with a logarithm for long ones). Memory: 4 bytes a key (RA), 9 an edge.
 */
public final class ReadAxiom implements Axiom {
    private static final int CHECK_EVERY = 1 << 16;
    /** So many transactions' sources are fetched at a time. */
    private static final int AHEAD = 32;

    private final ReadsFrom reads;
    private final boolean atomic;
    private @Nullable Conflict conflict;

    /**
     * The axiom of a level.
     *
     * @param reads found for the same level; what is open there demands nothing
     * @throws IllegalArgumentException if the level is neither RC nor RA
     */
    public ReadAxiom(ReadsFrom reads, IsolationLevel level) {
        if (level != IsolationLevel.RC && level != IsolationLevel.RA) {
            throw new IllegalArgumentException("no axiom on reads for " + level.label());
        }
        this.reads = reads;
        this.atomic = level == IsolationLevel.RA;
    }

    @Override
    public Result infer(KnownGraph graph, BooleanSupplier stop) {
        ReadEdges edges = new ReadEdges(reads, graph);
        int n = reads.table().transactions();
        int[] lastWriters = new int[atomic ? reads.table().keys().size() : 0];
        Arrays.fill(lastWriters, -1);
        int[] sessionOf = graph.events().chainsByTransaction();
        int[] sessionStarts = graph.events().firstTransactions();
        for (int t = 0; t < n; t++) {
            if (t % AHEAD == 0) {
                edges.fetch(t, Math.min(n, t + AHEAD));
            }
            if (!reads.counting().isCounted(t)) {
                continue;
            }
            edges.load(t);
            edges.addSources(t);
            if (atomic) {
                session(edges, t, lastWriters, sessionStarts[sessionOf[t]]);
            }
            for (int i = 0; i < edges.count && conflict == null; i++) {
                if (edges.isFirstOfSource(i) && edges.from[i] >= 0) {
                    int key = edges.precede(edges.from[i], atomic ? 0 : i + 1);
                    if (key >= 0) {
                        conflict = new Conflict(edges.from[i], t, key);
                    }
                }
            }
            if (conflict != null) {
                return Result.CONFLICT;
            }
            if (t % CHECK_EVERY == 0 && stop.getAsBoolean()) {
                return Result.STOPPED;
            }
        }
        return Result.INFERRED;
    }

    /** RA: what the session wrote before t; then t's own writes join. */
    private void session(ReadEdges edges, int t, int[] lastWriters, int sessionStart) {
        for (int i = 0; i < edges.count; i++) {
            int writer = lastWriters[edges.keys[i]];
            if (writer >= sessionStart && writer != edges.from[i]) {
                if (edges.from[i] == ReadsFrom.INITIAL) {
                    conflict = new Conflict(writer, t, edges.keys[i]);
                    return;
                }
                edges.add(writer, edges.from[i]);
            }
        }
        int[] keys = reads.table().operationKeys();
        for (int o = reads.table().operationStarts()[t]; o < reads.table().operationStarts()[t + 1]; o++) {
            if ((keys[o] & 1) == 1) {
                lastWriters[keys[o] >>> 1] = t;
            }
        }
    }

    @Override
    public @Nullable Conflict conflict() {
        return conflict;
    }
}
