/**
 * EDN as Jepsen writes it, and the same operations in JSON.
 *
 * <p>Guarantee: an invocation and its completion are one transaction; errors name file, line and column. May import:
 * {@code io}, what it imports, the JSON factory of {@code jsonl}, dictionaries, fastutil.
 */
@NullMarked
package org.polygraph.storage.format.edn;

import org.jspecify.annotations.NullMarked;
