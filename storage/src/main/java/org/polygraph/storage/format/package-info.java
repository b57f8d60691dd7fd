/**
 * Histories in files: six dialects in, two out; see the module's README for the formats to the byte.
 *
 * <p>Promise: a file becomes a complete {@link org.polygraph.storage.table.HistoryTable} or a located {@link
 * org.polygraph.storage.model.HistoryException}, whatever its bytes are; nothing is allocated because a file says so. May
 * import: {@code model}, {@code table}, {@code artifact}, fastutil, Jackson, zstd-jni, Parquet.
 */
@NullMarked
package org.polygraph.storage.format;

import org.jspecify.annotations.NullMarked;
