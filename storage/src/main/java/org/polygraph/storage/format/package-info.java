/**
 * Histories in files: a facade over the formats that are read and the two that are written.
 *
 * <p>Guarantee: a file becomes a complete {@link org.polygraph.storage.table.HistoryTable} or a located {@link
 * org.polygraph.storage.model.HistoryException}, whatever its bytes are; no length or count in a file allocates memory
 * before it is checked. May import: {@code model}, {@code dictionary}, {@code lists}, {@code table}, {@code artifact},
 * fastutil, and the packages below except {@code pieces}.
 */
@NullMarked
package org.polygraph.storage.format;

import org.jspecify.annotations.NullMarked;
