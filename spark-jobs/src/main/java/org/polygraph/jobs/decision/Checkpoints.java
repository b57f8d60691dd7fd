package org.polygraph.jobs.decision;

import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.EngineException;
import org.polygraph.storage.artifact.ArrayFile;

/**
 * What finished stages of one check leave for a later try at the same: same history, level, options and version. Keys
 * nothing by itself; the caller gives each question a place of its own.
 */
public interface Checkpoints {
    /** Nothing is kept. */
    Checkpoints NONE = new Checkpoints() {
        @Override
        public @Nullable ArrayFile find(String stage) {
            return null;
        }

        @Override
        public boolean keeps() {
            return false;
        }

        @Override
        public void keep(String stage, ArrayFile data) {}

        @Override
        public void reject(String stage, String why) {}
    };

    /** What the stage left; null if it left nothing, or nothing that can be used: that has been told then. */
    @Nullable
    ArrayFile find(String stage);

    /** Whether {@link #keep} does anything: what it would be given need not be made otherwise. */
    boolean keeps();

    /**
     * Keeps what a stage leaves, in place of what it left before.
     *
     * @throws EngineException if it cannot be written
     */
    void keep(String stage, ArrayFile data);

    /** Tells that what a stage left is of no use, and so is done again. */
    void reject(String stage, String why);
}
