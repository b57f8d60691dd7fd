/**
 * The lists that a history reads, as a tree in which lists share their beginnings.
 *
 * <p>Guarantee: equal lists of a key have equal numbers. May import: {@code model}, {@code dictionary}, fastutil.
 */
@NullMarked
package org.polygraph.storage.lists;

import org.jspecify.annotations.NullMarked;
