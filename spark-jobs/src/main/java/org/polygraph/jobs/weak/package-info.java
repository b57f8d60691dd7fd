/**
 * CC, RA, RC and PL2 by their axioms, and linearizability by key: the levels that do not demand one order in which
 * every read returns the last write.
 *
 * <p>Guarantee: as in {@link org.polygraph.jobs.decision}. May import: what decision may, and decision; no Spark.
 */
@NullMarked
package org.polygraph.jobs.weak;

import org.jspecify.annotations.NullMarked;
