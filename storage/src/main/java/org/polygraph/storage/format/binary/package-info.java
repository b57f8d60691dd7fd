/**
 * The binary formats of dbcop and Cobra.
 *
 * <p>Guarantee: errors name file and byte. May import: {@code io} and what it imports, fastutil.
 */
@NullMarked
package org.polygraph.storage.format.binary;

import org.jspecify.annotations.NullMarked;
