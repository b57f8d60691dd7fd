/**
 * Events and the edges between them that every explanation of the history has.
 *
 * <p>Guarantee: only certain edges; never a choice. May import: {@code isolation}, {@code index}, storage.
 */
@NullMarked
package org.polygraph.partitioner.graph;

import org.jspecify.annotations.NullMarked;
