/**
 * The text format of Plume.
 *
 * <p>Guarantee: sessions may interleave line by line; errors name file, line and column. May import: {@code io} and
 * what it imports, fastutil.
 */
@NullMarked
package org.polygraph.storage.format.plume;

import org.jspecify.annotations.NullMarked;
