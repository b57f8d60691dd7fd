/**
 * The wording of reports: names of transactions, facts behind edges, version orders, expectations.
 *
 * <p>Guarantee: plain text without markup, on one line, which text from the input cannot break or reorder; each kind of
 * report escapes it. May import: storage, partitioner.isolation, verdict, Jackson, fastutil.
 */
@NullMarked
package org.polygraph.jobs.report.wording;

import org.jspecify.annotations.NullMarked;
