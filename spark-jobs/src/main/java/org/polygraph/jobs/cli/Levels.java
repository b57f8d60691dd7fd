package org.polygraph.jobs.cli;

import java.util.List;
import org.polygraph.partitioner.isolation.IsolationLevel;

/**
 * The levels of {@code -l}.
 *
 * @param strongestFirst no level twice; where neither of two implies the other, in the order of {@link IsolationLevel}
 */
record Levels(List<IsolationLevel> strongestFirst) {
    /** For a command that was given none and needs none. */
    static final Levels NONE = new Levels(List.of());

    Levels {
        strongestFirst = strongestFirst.stream().sorted().toList();
    }

    /** Whether the strongest level that holds is part of the answer. */
    boolean areSeveral() {
        return strongestFirst.size() > 1;
    }
}
