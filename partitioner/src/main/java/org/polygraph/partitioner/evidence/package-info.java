/**
 * Why a history breaks a level: the shortest cycle, a reason for each of its edges, and its name.
 *
 * <p>Promise: every edge shown is observed, or follows from edges of earlier rounds that are shown as its reason. May import: all of partitioner.
 */
@NullMarked
package org.polygraph.partitioner.evidence;

import org.jspecify.annotations.NullMarked;
