package org.polygraph.jobs.record;

import org.polygraph.partitioner.isolation.IsolationLevel;

/**
 * What a database documents for an isolation.
 *
 * @param level the strongest level that the documentation implies for transactions that access rows by key
 * @param sentence the sentence of the manual that states it
 * @param source the address of the page of the manual
 */
public record Promise(Isolation isolation, IsolationLevel level, String sentence, String source) {}
