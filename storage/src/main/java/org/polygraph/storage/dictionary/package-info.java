/**
 * Keys and values of a history as numbers: dense ids for keys, 64-bit codes for values, and the strings of both.
 *
 * <p>Guarantee: equal keys or values have equal numbers, and different ones have different numbers. May import: {@code
 * model}, fastutil.
 */
@NullMarked
package org.polygraph.storage.dictionary;

import org.jspecify.annotations.NullMarked;
