/**
 * Why a history violates a level: the shortest cycle, a reason for each of its edges, and its name; for small
 * histories that the rules do not decide, a case split.
 *
 * <p>Guarantee: every edge shown is observed, or each of its alternatives is shown to close a cycle; an edge that is
 * too deep to show, or on a row, has one sentence instead. May import: every other package of partitioner but
 * subhistory.
 */
@NullMarked
package org.polygraph.partitioner.evidence;

import org.jspecify.annotations.NullMarked;
