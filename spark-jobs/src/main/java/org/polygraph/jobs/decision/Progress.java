package org.polygraph.jobs.decision;

/**
 * Receives the progress of a check, as often as a phase reports it. The thread that checks reports phases and jobs.
 * Other threads report task counts, under the lock of this object and between the beginning and the end of a job, so an
 * implementation must not wait for another thread.
 */
public interface Progress {
    /** Ignores everything. */
    Progress NONE = name -> {};

    /** A phase begins; the one before has ended. */
    void phase(String name);

    /**
     * A job of the phase begins. Until it ends, items are those of the job. An empty name ends it.
     *
     * @param name of the job, for people
     */
    default void job(String name) {}

    /**
     * Reports how many items of the phase, or of the running job, are done.
     *
     * @param total 0 if unknown
     */
    default void items(long done, long total) {}

    /** Reports a line for users of verbose output. */
    default void note(String text) {}

    /** Reports a line for all users. */
    default void warning(String text) {
        note(text);
    }
}
