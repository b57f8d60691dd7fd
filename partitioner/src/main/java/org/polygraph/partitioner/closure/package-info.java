/**
 * Which event reaches which, by chain clocks.
 *
 * <p>Promise: exact for the graph it was computed from. May import: {@code graph}.
 */
@NullMarked
package org.polygraph.partitioner.closure;

import org.jspecify.annotations.NullMarked;
