package org.polygraph.partitioner.isolation;

import java.util.List;

/**
 * What would have to hold instead, and why it cannot: it closes a cycle, or leaves further alternatives of which each
 * does.
 *
 * @param assumed the edge that is tried; its basis is {@link Basis#ASSUMED}. {@link EdgeKind#WR}: the read is taken to
 *     return this writer's version
 * @param cycle a closed chain of dependencies, in which {@code assumed} or what follows from it at once has the basis
 *     {@link Basis#ASSUMED}; empty if there are cases
 * @param cases alternatives, one of which would have to hold besides; empty if there is a cycle
 */
public record Alternative(Dependency assumed, List<Dependency> cycle, List<Alternative> cases) {
    public Alternative {
        cycle = List.copyOf(cycle);
        cases = List.copyOf(cases);
    }

    /** One that closes a cycle. */
    public Alternative(Dependency assumed, List<Dependency> cycle) {
        this(assumed, cycle, List.of());
    }
}
