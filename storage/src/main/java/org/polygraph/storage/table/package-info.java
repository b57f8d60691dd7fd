/**
 * Histories in memory: dense ids, one array for each property.
 *
 * <p>Guarantee: a {@link org.polygraph.storage.table.HistoryTable} is complete, sorted by (session, index) and never
 * changes; its size in bytes is documented and tested. May import: {@code model}, {@code dictionary}, {@code lists},
 * fastutil.
 */
@NullMarked
package org.polygraph.storage.table;

import org.jspecify.annotations.NullMarked;
