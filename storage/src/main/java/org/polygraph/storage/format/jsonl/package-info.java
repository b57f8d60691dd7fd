/**
 * JSON Lines, and the header that it shares with Parquet.
 *
 * <p>Guarantee: what is written is read back equal; errors name file, line and column. May import: {@code io},
 * Jackson's streaming parser, what {@code io} imports, dictionaries, fastutil.
 */
@NullMarked
package org.polygraph.storage.format.jsonl;

import org.jspecify.annotations.NullMarked;
