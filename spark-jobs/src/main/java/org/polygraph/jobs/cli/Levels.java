package org.polygraph.jobs.cli;

import java.util.List;
import org.polygraph.partitioner.isolation.IsolationLevel;

/**
 * The levels of {@code -l}.
 *
 * @param strongestFirst no level twice; where neither of two implies the other, in the order of {@link IsolationLevel}
 * @param all whether these are all levels of transactions; a history is then judged at those that its data allow
 */
record Levels(List<IsolationLevel> strongestFirst, boolean all) {
    /** The value if the command was given no levels. */
    static final Levels NONE = new Levels(List.of());

    /** All levels of transactions. */
    static final Levels ALL = new Levels(
            List.of(IsolationLevel.values()).stream()
                    .filter(level -> level != IsolationLevel.LIN)
                    .toList(),
            true);

    Levels(List<IsolationLevel> levels) {
        this(levels.stream().sorted().toList(), false);
    }

    boolean areSeveral() {
        return strongestFirst.size() > 1;
    }
}
