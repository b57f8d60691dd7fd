/**
 * Reading a large history in pieces, which tasks of a cluster read and the driver merges.
 *
 * <p>Guarantee: the merged table is equal to that of {@link org.polygraph.storage.format.HistoryReader}, array by
 * array; an error in a piece makes the caller read the whole, for its message. Only the Spark engine uses this package.
 * May import: {@code format}, {@code io}, {@code jsonl}, {@code parquet}, and what these import.
 */
@NullMarked
package org.polygraph.storage.format.pieces;

import org.jspecify.annotations.NullMarked;
