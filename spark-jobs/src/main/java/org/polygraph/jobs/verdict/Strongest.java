package org.polygraph.jobs.verdict;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.isolation.IsolationLevel;

/**
 * Which of the levels asked for is the strongest that holds.
 *
 * @param level null if none holds, or if it is not known
 * @param known whether that is known: every level before it, or every level, is violated
 */
public record Strongest(@Nullable IsolationLevel level, boolean known) {
    /**
     * The first that passes, provided that those before it are violated; where one of them is not decided it may be the
     * strongest, so that nothing is known.
     *
     * @param levels strongest first, and their
     * @param statuses one each
     */
    public static Strongest of(List<IsolationLevel> levels, List<Verdict.Status> statuses) {
        for (int i = 0; i < levels.size(); i++) {
            switch (statuses.get(i)) {
                case PASS -> {
                    return new Strongest(levels.get(i), true);
                }
                case VIOLATION -> {}
                case UNKNOWN, INVALID, ERROR -> {
                    return new Strongest(null, false);
                }
            }
        }
        return new Strongest(null, true);
    }

    /** The level's name, or why there is none. */
    public String text() {
        return level != null ? level.label() : known ? "none" : "not known";
    }
}
