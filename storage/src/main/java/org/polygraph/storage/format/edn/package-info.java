/**
 * EDN as Jepsen writes it.
 *
 * <p>Guarantee: an invocation and its completion are one transaction; errors name file, line and column. May import:
 * {@code io}, what it imports, dictionaries, fastutil.
 */
@NullMarked
package org.polygraph.storage.format.edn;

import org.jspecify.annotations.NullMarked;
