/**
 * The reports of violations, as minimal sub-histories that are judged again and have a name; and the verdicts that one
 * level implies for another.
 *
 * <p>Guarantee: the evidence is the same on every machine, and every sub-history violates the level without the rest
 * of the history. May import: what decision may, decision and weak; no Spark.
 */
@NullMarked
package org.polygraph.jobs.evidence;

import org.jspecify.annotations.NullMarked;
