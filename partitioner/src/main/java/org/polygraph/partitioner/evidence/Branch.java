package org.polygraph.partitioner.evidence;

import it.unimi.dsi.fastutil.longs.Long2ObjectAVLTreeMap;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.isolation.Dependency;

/**
 * The assumptions of one branch of a case split.
 *
 * @param edges by their events: assumed edges
 * @param reads keys and readers whose sources are assumed; both maps have pairs of 32 bits each
 */
record Branch(Long2ObjectAVLTreeMap<Dependency> edges, LongOpenHashSet reads) {
    /** Nothing is assumed. */
    Branch() {
        this(new Long2ObjectAVLTreeMap<>(), new LongOpenHashSet());
    }

    /** Starts with the assumptions of another branch. */
    Branch(Branch other) {
        this(new Long2ObjectAVLTreeMap<>(other.edges), new LongOpenHashSet(other.reads));
    }

    static long pair(int first, int second) {
        return (long) first << 32 | second;
    }

    /** The assumed edge between two events, or null. */
    @Nullable
    Dependency edge(int fromEvent, int toEvent) {
        return edges.get(pair(fromEvent, toEvent));
    }
}
