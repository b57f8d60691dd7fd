package org.polygraph.partitioner.isolation;

import java.util.List;

/**
 * Why one transaction comes before another. Reasons form a directed graph without cycles, because what forces an edge
 * was known before it. A reason that is reached on several paths is the same object, so a walk has to mark visited
 * reasons, or it may take exponential time.
 *
 * @param because {@link Basis#FORCED}: each alternative and how it fails; empty if it is too deep to show, and for
 *     every other basis
 */
public record Reason(Basis basis, String why, List<Alternative> because) {
    public Reason {
        because = List.copyOf(because);
    }

    /** A reason that needs no other. */
    public Reason(Basis basis, String why) {
        this(basis, why, List.of());
    }
}
