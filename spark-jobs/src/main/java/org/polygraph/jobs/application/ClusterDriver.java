package org.polygraph.jobs.application;

/**
 * A cluster that runs the command inside a process of its own, and takes the end of {@code main} for the end of the
 * application. Used once.
 */
public interface ClusterDriver {
    /** Before anything else: does what the cluster waits for. */
    void begin();

    /**
     * The command has ended, and its output is written. Returns where the cluster is to hear of success.
     *
     * @param exitCode that a process would end with
     * @throws Exception what tells the cluster of any other code
     */
    void end(int exitCode) throws Exception;
}
