/**
 * Linearizability, key by key: histories whose transactions are single reads, writes and compare-and-sets with times.
 *
 * <p>Guarantee: a key is accepted with an order of its operations, rejected with operations that have none, or left
 * open because the search gave up. May import: {@code index}, {@code isolation}, storage.
 */
@NullMarked
package org.polygraph.partitioner.linear;

import org.jspecify.annotations.NullMarked;
