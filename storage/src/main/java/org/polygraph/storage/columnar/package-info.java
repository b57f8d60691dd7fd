/**
 * Histories in memory: dense ids, struct of arrays.
 *
 * <p>Promise: a {@link org.polygraph.storage.columnar.HistoryTable} is complete, sorted by (session, index) and never
 * changes; what it costs in bytes is stated and tested. May import: {@code model}, fastutil; {@code PersistedTexts}
 * alone Chronicle Map.
 */
@NullMarked
package org.polygraph.storage.columnar;

import org.jspecify.annotations.NullMarked;
