/**
 * Why a history breaks a level: the shortest cycle, a reason for each of its edges, and its name; of small histories that
 * the rules leave open, a case split.
 *
 * <p>Promise: every edge shown is observed, or each of its alternatives is shown to close a cycle. May import: all of
 * partitioner that is named before it.
 */
@NullMarked
package org.polygraph.partitioner.evidence;

import org.jspecify.annotations.NullMarked;
