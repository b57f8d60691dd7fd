package org.polygraph.partitioner.axiom;

import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.ReadsFrom;
import org.polygraph.storage.model.StoppedException;
import org.polygraph.storage.table.Operations;

/**
 * One pass over the transactions in their order, which adds the edges that RC or RA demands, up to the first conflict.
 */
final class ReadPass {
    private static final int CHECK_EVERY = 1 << 16;
    /** Number of transactions whose sources are fetched at a time. */
    private static final int AHEAD = 32;

    private final ReadArrays reads;
    private final boolean atomic;
    private final ReadEdges edges;
    private final int[] lastWriters;
    private Axiom.@Nullable Conflict conflict;

    /** @param atomic RA, else RC */
    ReadPass(ReadArrays reads, boolean atomic, KnownGraph graph) {
        this.reads = reads;
        this.atomic = atomic;
        this.edges = new ReadEdges(reads, graph);
        this.lastWriters = new int[atomic ? reads.keys() : 0];
        Arrays.fill(lastWriters, -1);
    }

    /** The first conflict, or null. */
    Axiom.@Nullable Conflict infer(BooleanSupplier stop) {
        int[] sessionOf = reads.sessionOf();
        int transactions = reads.transactions();
        int sessionStart = 0;
        for (int t = 0; t < transactions; t++) {
            if (t % AHEAD == 0) {
                edges.fetch(t, Math.min(transactions, t + AHEAD));
            }
            if (t > 0 && sessionOf[t] != sessionOf[t - 1]) {
                sessionStart = t;
            }
            if (!reads.isCounted(t)) {
                continue;
            }
            edges.load(t);
            edges.addSources(t);
            if (atomic) {
                session(t, sessionStart);
            }
            for (int i = 0; i < edges.count && conflict == null; i++) {
                if (edges.isFirstOfSource(i) && edges.from[i] >= 0) {
                    int key = edges.precede(edges.from[i], atomic ? 0 : i + 1);
                    if (key >= 0) {
                        conflict = new Axiom.Conflict(edges.from[i], t, key);
                    }
                }
            }
            if (conflict != null) {
                return conflict;
            }
            if (t % CHECK_EVERY == 0 && stop.getAsBoolean()) {
                throw new StoppedException();
            }
        }
        return null;
    }

    /**
     * RA: t sees the earlier transactions of its session. Adds the edges that follow for its reads, then records its
     * writes.
     */
    private void session(int t, int sessionStart) {
        for (int i = 0; i < edges.count; i++) {
            int writer = lastWriters[edges.keys[i]];
            if (writer >= sessionStart && writer != edges.from[i]) {
                if (edges.from[i] == ReadsFrom.INITIAL) {
                    conflict = new Axiom.Conflict(writer, t, edges.keys[i]);
                    return;
                }
                edges.add(writer, edges.from[i]);
            }
        }
        int[] keys = reads.operationKeys();
        for (int o = reads.operationStarts()[t]; o < reads.operationStarts()[t + 1]; o++) {
            if (Operations.isWrite(keys[o])) {
                lastWriters[Operations.key(keys[o])] = t;
            }
        }
    }
}
