package org.polygraph.jobs.record;

import org.polygraph.partitioner.isolation.IsolationLevel;

/**
 * What a database documents for an isolation.
 *
 * @param level the strongest level that the documentation implies for transactions that access rows by key
 * @param sentence of the manual
 * @param source where the manual has it
 */
public record Promise(Isolation isolation, IsolationLevel level, String sentence, String source) {}
