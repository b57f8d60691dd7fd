package org.polygraph.jobs.decision;

/**
 * Receives the progress of a check, as often as a kernel reports it. The thread that checks reports phases and jobs. Other
 * threads report task counts and spilled bytes, under the lock of this object and between the beginning and the end of a
 * job, so an implementation must not wait for another thread.
 */
public interface Progress {
    /** Ignores everything. */
    Progress NONE = new Progress() {
        @Override
        public void phase(String name) {}

        @Override
        public void items(long done, long total) {}
    };

    /** A phase begins; the one before has ended. */
    void phase(String name);

    /**
     * A job of the phase begins: until it ends, items are those of the job. Empty: it has ended.
     *
     * @param name of the job, for people
     */
    default void job(String name) {}

    /**
     * How many items of the phase, or of the job that runs, are done.
     *
     * @param total 0 if unknown
     */
    void items(long done, long total);

    /**
     * How many bytes an engine that spills has spilled to disk since the check began. Other engines do not report this.
     */
    default void spilled(long bytes) {}

    /** A line for users of verbose output. */
    default void note(String text) {}
}
