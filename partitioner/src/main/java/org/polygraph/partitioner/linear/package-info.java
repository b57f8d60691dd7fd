/**
 * Linearizability, key by key: histories whose transactions are single reads, writes and compare-and-sets with times.
 *
 * <p>Promise: a key is accepted with an order of its operations, rejected with the operations that contradict, or left open
 * because the search ran out of its budget. May import: {@code index}, {@code isolation}, storage.
 */
@NullMarked
package org.polygraph.partitioner.linear;

import org.jspecify.annotations.NullMarked;
