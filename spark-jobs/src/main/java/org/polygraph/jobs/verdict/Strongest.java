package org.polygraph.jobs.verdict;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.isolation.IsolationLevel;

/**
 * The strongest of several levels that holds.
 *
 * @param level null if none holds, or if it is not known
 * @param known whether every level before it, or every level if none holds, is violated
 */
public record Strongest(@Nullable IsolationLevel level, boolean known) {
    /**
     * Returns the first level that passes, if all levels before it are violated. If one of these is undecided it may be
     * the strongest, so the result is not known.
     *
     * @param levels strongest first
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

    /** Returns the name of the level, or the reason why there is none. */
    public String text() {
        return level != null ? level.label() : known ? "none" : "not known";
    }
}
