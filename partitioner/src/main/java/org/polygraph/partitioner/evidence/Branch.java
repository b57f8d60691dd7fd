package org.polygraph.partitioner.evidence;

import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.isolation.Dependency;

/** The assumptions of one branch of a case split: edges between events, and the sources of reads. */
final class Branch {
    private final Long2ObjectOpenHashMap<Dependency> edges = new Long2ObjectOpenHashMap<>();
    private final LongOpenHashSet reads = new LongOpenHashSet();

    /** Nothing is assumed. */
    Branch() {}

    /** Starts with the assumptions of another branch. */
    Branch(Branch other) {
        edges.putAll(other.edges);
        reads.addAll(other.reads);
    }

    void addEdge(int fromEvent, int toEvent, Dependency edge) {
        edges.put((long) fromEvent << 32 | toEvent, edge);
    }

    void addRead(int key, int reader) {
        reads.add((long) key << 32 | reader);
    }

    /** The assumed edge between two events, or null. */
    @Nullable
    Dependency edge(int fromEvent, int toEvent) {
        return edges.get((long) fromEvent << 32 | toEvent);
    }

    /** Whether the source of a transaction's read of a key is assumed. */
    boolean isRead(int key, int reader) {
        return reads.contains((long) key << 32 | reader);
    }

    /** The assumed edges, packed as from and to in 32 bits each; ascending. */
    long[] edges() {
        long[] packed = edges.keySet().toLongArray();
        Arrays.sort(packed);
        return packed;
    }
}
