package org.polygraph.jobs.verdict;

/**
 * A stage that has ended.
 *
 * @param millis elapsed
 * @param cpuMillis of all threads that worked on it
 * @param items what it handled, in its own unit (transactions, reads, edges)
 */
public record Phase(String name, long millis, long cpuMillis, long items) {}
