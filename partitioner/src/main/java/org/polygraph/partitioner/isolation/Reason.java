package org.polygraph.partitioner.isolation;

import java.util.List;

/**
 * Why one transaction comes before another. Reasons form a directed graph without cycles: what forces an edge was known
 * before it. The same reason may be reached on several ways and is then the same object, so whoever walks them must mark
 * what was seen, or the walk may take exponential time.
 *
 * @param why one sentence
 * @param because {@link Basis#FORCED}: each alternative that there was, and how it fails; empty where too deep to show,
 *     and for every other basis
 */
public record Reason(Basis basis, String why, List<Alternative> because) {
    public Reason {
        because = List.copyOf(because);
    }

    /** One that needs no other. */
    public Reason(Basis basis, String why) {
        this(basis, why, List.of());
    }
}
