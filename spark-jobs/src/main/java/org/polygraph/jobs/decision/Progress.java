package org.polygraph.jobs.decision;

/**
 * Hears how far a check is, as often as the kernel likes. Checkpoints and jobs are told by the thread that checks, counts of tasks
 * and what was spilled by others: what a job counts comes between its beginning and its end, under the lock of this object, so
 * whoever hears must not wait for anybody.
 */
public interface Progress {
    /** Nobody listens. */
    Progress NONE = new Progress() {
        @Override
        public void stage(String name) {}

        @Override
        public void items(long done, long total) {}
    };

    /** A stage begins; the one before has ended. */
    void stage(String name);

    /**
     * A job of the stage begins: until it ends, items are its own. Empty: it has ended.
     *
     * @param name what it does
     */
    default void job(String name) {}

    /**
     * How much of the stage is done, or of the job that runs.
     *
     * @param total 0 if unknown
     */
    void items(long done, long total);

    /**
     * How much an engine that spills has spilled to disk since the check began; one that never does says nothing.
     *
     * @param bytes of all tasks
     */
    default void spilled(long bytes) {}

    /** Something that only who asked for all is told: a line. */
    default void note(String text) {}
}
