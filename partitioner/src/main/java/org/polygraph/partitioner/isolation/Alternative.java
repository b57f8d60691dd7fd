package org.polygraph.partitioner.isolation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An assumption that would have to hold instead, and the reason why it cannot. Either it closes a cycle, or each of its
 * further alternatives does.
 *
 * @param statement the assumption in short: {@code s1#3 before s0#2}, {@code s0#2 reads from s1#3}
 * @param assumed the same as an edge, its basis {@link Basis#ASSUMED}. {@link EdgeKind#WR}: the read is taken to return
 *     this writer's version. Null where it is no edge but an outcome
 * @param cycle a closed chain of dependencies, in which {@code assumed} or what follows from it at once has the basis
 *     {@link Basis#ASSUMED}; if there are cases, that of one of them, or empty
 * @param cases further alternatives; one of them would have to hold too. Empty if the cycle alone shows that this
 *     alternative fails
 */
public record Alternative(
        String statement, @Nullable Dependency assumed, List<Dependency> cycle, List<Alternative> cases) {
    public Alternative {
        cycle = List.copyOf(cycle);
        cases = List.copyOf(cases);
    }

    /** An alternative that closes a cycle. */
    public Alternative(String statement, Dependency assumed, List<Dependency> cycle) {
        this(statement, assumed, cycle, List.of());
    }
}
