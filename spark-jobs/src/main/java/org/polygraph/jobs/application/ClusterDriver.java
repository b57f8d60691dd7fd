package org.polygraph.jobs.application;

/**
 * A cluster that runs the command in one of its own processes. For it the application ends when {@code main} ends. Used
 * once.
 */
public interface ClusterDriver {
    /** Starts what the cluster requires, before anything else. */
    void begin();

    /**
     * Called when the command has ended and its output is written. If this method returns normally, the cluster reports
     * success.
     *
     * @param exitCode that a process would end with
     * @throws Exception that shows any other code to the cluster
     */
    void end(int exitCode) throws Exception;
}
