package org.polygraph.jobs.decision;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.ObjectFile;

/**
 * The checkpoints that one check leaves for a later process with the same history, level, options and version. The
 * caller gives each request a place of its own.
 */
public interface Checkpoints {
    /** Keeps nothing. */
    Checkpoints NONE = new Checkpoints() {
        @Override
        public <K extends Serializable, T, E extends Exception> @Nullable T restored(
                String name, Class<K> type, Reading<K, T, E> reading) {
            return null;
        }

        @Override
        public boolean keeps() {
            return false;
        }

        @Override
        public void keep(String name, Serializable state) {}
    };

    /**
     * Makes something of a checkpoint.
     *
     * @param <K> what was kept
     * @param <T> what it makes
     * @param <E> what it throws if the checkpoint is right
     */
    @FunctionalInterface
    interface Reading<K, T, E extends Exception> {
        /** @throws ObjectFile.DamagedException if the check cannot continue from the checkpoint */
        T of(K checkpoint) throws ObjectFile.DamagedException, E;
    }

    /**
     * Returns what is made of the checkpoint of that name, and reports that the check continues from it. The result is
     * null if there is none, or if it is damaged or of another check: this is reported, and its phases run again.
     */
    <K extends Serializable, T, E extends Exception> @Nullable T restored(
            String name, Class<K> type, Reading<K, T, E> reading) throws E;

    /** Whether {@link #keep} has an effect. If not, the state need not be made. */
    boolean keeps();

    /** Keeps a checkpoint, in place of an earlier one of that name. */
    void keep(String name, Serializable state);
}
