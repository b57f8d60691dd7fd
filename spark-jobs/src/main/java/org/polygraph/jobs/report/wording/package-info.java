/**
 * How a violation is told: names of transactions, facts behind edges, version orders, what had to happen instead.
 *
 * <p>Promise: plain text without any markup, on one line, that text from the input cannot break or reorder; each form of
 * report escapes it for itself. Decides nothing. May import: storage, partitioner.isolation.
 */
@NullMarked
package org.polygraph.jobs.report.wording;

import org.jspecify.annotations.NullMarked;
