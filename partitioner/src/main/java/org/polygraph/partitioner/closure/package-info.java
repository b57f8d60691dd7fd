/**
 * Which event reaches which, and total orders that follow from it: by chain clocks, or by a threshold in time and
 * exceptions where real time is part of the graph.
 *
 * <p>Guarantee: exact for the graph it was computed from. May import: {@code graph}.
 */
@NullMarked
package org.polygraph.partitioner.closure;

import org.jspecify.annotations.NullMarked;
