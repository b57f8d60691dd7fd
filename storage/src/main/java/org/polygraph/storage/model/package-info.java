/**
 * Terms that all packages share: the status of a transaction, errors in the input, exhausted budgets.
 *
 * <p>Guarantee: constants and exceptions only. May import: the JDK.
 */
@NullMarked
package org.polygraph.storage.model;

import org.jspecify.annotations.NullMarked;
