/**
 * A total order that extends the known graph, and the check of every read against it.
 *
 * <p>Guarantee: an order without a violated key explains the history; where writers read what they replace, so does any
 * order that extends the graph of their version chains. May import: {@code closure}, {@code graph}, {@code index}.
 */
@NullMarked
package org.polygraph.partitioner.order;

import org.jspecify.annotations.NullMarked;
