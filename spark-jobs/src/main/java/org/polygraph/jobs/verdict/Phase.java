package org.polygraph.jobs.verdict;

import java.io.Serializable;

/**
 * A phase that has ended.
 *
 * @param cpuMillis of all threads that worked on it
 * @param items number of transactions, reads or edges that it processed
 */
public record Phase(String name, long millis, long cpuMillis, long items) implements Serializable {}
