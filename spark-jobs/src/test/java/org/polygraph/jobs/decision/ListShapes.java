package org.polygraph.jobs.decision;

import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.testkit.Definitions;
import org.polygraph.storage.testkit.SplitMix;

/** Tiny histories of lists as files, with the verdicts of {@link Definitions}. */
public final class ListShapes {
    private final ShapedHistory history;

    private ListShapes(ShapedHistory history) {
        this.history = history;
    }

    /** The history of a seed. */
    public static ListShapes of(long seed) {
        int i = 0;
        while (ShapedGenerator.shapeOf(SplitMix.seedOf(seed, i)) != ShapedGenerator.Shape.LISTS) {
            i++;
        }
        return new ListShapes(ShapedGenerator.of(SplitMix.seedOf(seed, i)));
    }

    /** JSON Lines. */
    public String json() {
        return history.json();
    }

    /** Whether each transaction has a start and an end, so that levels with real time apply. */
    public boolean isTimed() {
        return history.txns.stream().allMatch(t -> t.start != ShapedHistory.NONE && t.end != ShapedHistory.NONE);
    }

    /** Whether no transaction committed. */
    public boolean isVacuous() {
        return history.definitions(false).vacuous();
    }

    /** Whether the history keeps a level; null if there are too many choices to try. */
    public @Nullable Boolean holds(IsolationLevel level) {
        return history.definitions(false).holds(Definitions.Level.valueOf(level.name()), 0, true);
    }
}
