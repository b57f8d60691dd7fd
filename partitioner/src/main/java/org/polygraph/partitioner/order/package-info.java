/**
 * A total order that extends the known graph, and the check of every read against it.
 *
 * <p>Promise: an order without a violated key explains the history. May import: {@code closure}, {@code graph}, {@code index}.
 */
@NullMarked
package org.polygraph.partitioner.order;

import org.jspecify.annotations.NullMarked;
