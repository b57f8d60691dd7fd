package org.polygraph.jobs.application;

/**
 * A cluster that runs the command inside a process of its own, and takes the end of {@code main} for the end of the
 * application. Used once.
 */
public interface ClusterDriver {
    /** Starts what the cluster requires, before anything else. */
    void begin();

    /**
     * Is called when the command has ended and its output is written. Returns normally if the cluster should see
     * success.
     *
     * @param exitCode that a process would end with
     * @throws Exception that shows any other code to the cluster
     */
    void end(int exitCode) throws Exception;
}
