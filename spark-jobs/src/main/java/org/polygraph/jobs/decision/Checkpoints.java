package org.polygraph.jobs.decision;

import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.ArrayFile;

/**
 * The checkpoints that one check leaves for a later process with the same history, level, options and version. The
 * caller gives each request a place of its own.
 */
public interface Checkpoints {
    /** Keeps nothing. */
    Checkpoints NONE = new Checkpoints() {
        @Override
        public @Nullable ArrayFile find(String name) {
            return null;
        }

        @Override
        public boolean keeps() {
            return false;
        }

        @Override
        public void keep(String name, ArrayFile data) {}

        @Override
        public void reject(String name, String why) {}
    };

    /**
     * Returns the checkpoint of that name. The result is null if there is none, or if it is damaged; damage is then
     * reported.
     */
    @Nullable
    ArrayFile find(String name);

    /** Whether {@link #keep} has an effect. If not, the data need not be made. */
    boolean keeps();

    /** Keeps a checkpoint, in place of an earlier one of that name. */
    void keep(String name, ArrayFile data);

    /** Reports that a checkpoint cannot be used, so its phases run again. */
    void reject(String name, String why);
}
