/**
 * Replays of an order against the raw history, one for each kind of guarantee.
 *
 * <p>Guarantee: uses raw operations only, and no index, graph, rule or solver, so that a mistake in the search cannot
 * repeat itself in the check. The order is untrusted input; the first discrepancy is one sentence. Time is linear for
 * SER and SI. May import: certificate.format, storage.
 */
@NullMarked
package org.polygraph.jobs.certificate.replay;

import org.jspecify.annotations.NullMarked;
