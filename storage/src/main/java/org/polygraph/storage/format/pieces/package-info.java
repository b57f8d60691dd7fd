/**
 * Reading a large history in pieces, each by a task of its own: for windows of files, and for the verification of a
 * certificate on Spark.
 *
 * <p>Guarantee: the pieces have the transactions that {@link org.polygraph.storage.format.HistoryReader} reads, in the
 * same order. If a piece has an error, the caller reads the whole history, which gives the message.
 * May import: {@code format}, {@code io}, {@code jsonl}, {@code parquet}, and what these import.
 */
@NullMarked
package org.polygraph.storage.format.pieces;

import org.jspecify.annotations.NullMarked;
