/**
 * What is reported of a violation, and what the verdict of one level implies for another: minimal sub-histories,
 * judged again, and their names.
 *
 * <p>Guarantee: the evidence is the same on every machine, and every sub-history violates the level without the rest
 * of the history. May import: what decision may, decision and weak; no Spark.
 */
@NullMarked
package org.polygraph.jobs.evidence;

import org.jspecify.annotations.NullMarked;
