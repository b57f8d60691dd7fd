/**
 * {@code report.html} and {@code cycle.svg}: a verdict drawn, in files that need nothing else.
 *
 * <p>Promise: a page fetches nothing and is of bounded size; whatever stands in a history stays text, because templates
 * escape all that they are given and only they write markup. The same verdict gives the same bytes. May import: storage,
 * partitioner.isolation, {@code verdict}, {@code report.wording}, JMustache (loaded only when a run is written).
 */
@NullMarked
package org.polygraph.jobs.report.page;

import org.jspecify.annotations.NullMarked;
