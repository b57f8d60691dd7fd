/**
 * Evidence that nobody has to take on trust: an order as a certificate, its replay against the raw history, and the exact
 * judge of small sub-histories.
 *
 * <p>Guarantee: knows raw operations only, no index, graph, rule or solver; whatever it is given to check is untrusted, and
 * every way in which it can be wrong has a name. May import: storage, Jackson.
 */
@NullMarked
package org.polygraph.jobs.certificate;

import org.jspecify.annotations.NullMarked;
