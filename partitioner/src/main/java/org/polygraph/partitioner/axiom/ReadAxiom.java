package org.polygraph.partitioner.axiom;

import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.ReadsFrom;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.model.StoppedException;
import org.polygraph.storage.table.Operations;

/**
 * RC, RA and PL2. Under PL2 a read sees nothing, so nothing but WR is demanded. Under RC a read sees the writers of
 * reads of earlier statements of its transaction. Under RA it sees the writers of all reads of its transaction, and earlier
 * transactions of its session; of these the last writer of the key is enough.
 *
 * <p>Time, after AWDIT (Moldrup and Pavlogiannis, "AWDIT: An Optimal Weak Database Isolation Tester", PLDI 2025,
 * sections 3.1 and 3.2): a pair of transactions takes time in the length of the shorter one. That is at most O(n^1.5)
 * for n operations, and linear for transactions of bounded length (here with a logarithm for long ones). Memory: 4
 * bytes a key (RA), 9 an edge.
 */
final class ReadAxiom implements Axiom {
    private static final int CHECK_EVERY = 1 << 16;
    /** Number of transactions whose sources are fetched at a time. */
    private static final int AHEAD = 32;

    private final ReadsFrom reads;
    private final boolean atomic;
    private final boolean sees;
    /** By key, under RA: its last writer so far. */
    private final int[] lastWriters;

    private @Nullable Conflict conflict;

    /**
     * The axiom of a level.
     *
     * @param reads of the same level; open reads demand nothing
     * @throws IllegalArgumentException if the level is CC, or no axiom
     */
    ReadAxiom(ReadsFrom reads, IsolationLevel level) {
        if (level != IsolationLevel.RA && !level.readsAlone()) {
            throw new IllegalArgumentException("no axiom on reads for " + level.label());
        }
        this.reads = reads;
        this.sees = level != IsolationLevel.PL2;
        this.atomic = level == IsolationLevel.RA;
        this.lastWriters = new int[atomic ? reads.table().keys().size() : 0];
        Arrays.fill(lastWriters, -1);
    }

    @Override
    public @Nullable Conflict infer(KnownGraph graph, BooleanSupplier stop) {
        ReadEdges edges = new ReadEdges(reads, graph);
        byte[] states = reads.commitStatus().states();
        int[] sessionOf = graph.events().chainsByTransaction();
        int transactions = sessionOf.length;
        int sessionStart = 0;
        for (int t = 0; t < transactions; t++) {
            if (t % AHEAD == 0) {
                edges.fetch(t, Math.min(transactions, t + AHEAD));
            }
            if (t > 0 && sessionOf[t] != sessionOf[t - 1]) {
                sessionStart = t;
            }
            if (states[t] != CommitStatus.COUNTED) {
                continue;
            }
            edges.load(t);
            edges.addSources(t);
            if (atomic) {
                session(t, sessionStart, edges);
            }
            for (int i = 0; sees && i < edges.count && conflict == null; i++) {
                if (edges.isFirstOfSource(i) && edges.from[i] >= 0) {
                    int key = edges.precede(edges.from[i], atomic ? 0 : edges.later(i));
                    if (key >= 0) {
                        conflict = new Conflict(edges.from[i], t, key);
                    }
                }
            }
            if (conflict != null) {
                return conflict;
            }
            if (t % CHECK_EVERY == 0) {
                StoppedException.check(stop);
            }
        }
        return null;
    }

    /**
     * RA: t sees the earlier transactions of its session. Adds the edges that follow for its reads, then records its
     * writes.
     */
    private void session(int t, int sessionStart, ReadEdges edges) {
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
        int end = reads.table().operationsEnd(t);
        for (int o = reads.table().firstOperation(t); o < end; o++) {
            if (Operations.isWrite(keys[o])) {
                lastWriters[Operations.key(keys[o])] = t;
            }
        }
    }
}
