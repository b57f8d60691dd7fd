/**
 * Parquet: the archive format of histories, and flat tables of integers.
 *
 * <p>Guarantee: what is written is read back equal; files of other writers are read in the common encodings, and in every
 * page version and compression that Parquet's library writes. Of that library reading loads only the classes of metadata,
 * see the module's {@code docs/decisions.md}. May import: {@code io}, {@code jsonl} for the header, what these import,
 * Parquet, snappy; Hadoop's {@code Configuration} in two signatures.
 */
@NullMarked
package org.polygraph.storage.format.parquet;

import org.jspecify.annotations.NullMarked;
