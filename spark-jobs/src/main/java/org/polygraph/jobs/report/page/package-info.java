/**
 * {@code report.html} and {@code cycle.svg}, which need no other files.
 *
 * <p>Guarantee: a page fetches nothing and has a bounded size; text of a history stays text, because templates escape
 * all values and only they write markup. The same verdict gives the same bytes. May import: storage, partitioner,
 * certificate.format, verdict, report.wording, fastutil, JMustache (loaded only when a run is written).
 */
@NullMarked
package org.polygraph.jobs.report.page;

import org.jspecify.annotations.NullMarked;
