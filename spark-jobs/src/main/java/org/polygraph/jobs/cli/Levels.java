package org.polygraph.jobs.cli;

import java.util.List;
import org.polygraph.partitioner.isolation.IsolationLevel;

/**
 * What {@code -l} asks for.
 *
 * @param strongestFirst no level twice; where neither of two implies the other, in the order of {@link IsolationLevel}
 */
record Levels(List<IsolationLevel> strongestFirst) {
    /** Of a command that needs no level and was given none. */
    static final Levels NONE = new Levels(List.of());

    Levels {
        strongestFirst = strongestFirst.stream().sorted().toList();
    }

    /** Whether the strongest that holds is to be told. */
    boolean areSeveral() {
        return strongestFirst.size() > 1;
    }
}
