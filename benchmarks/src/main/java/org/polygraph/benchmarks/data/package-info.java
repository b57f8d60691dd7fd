/**
 * The histories that are measured: by path, or by a seed and settings.
 *
 * <p>Guarantee: the same words give the same history on every machine. May import: storage and its test kit.
 */
@NullMarked
package org.polygraph.benchmarks.data;

import org.jspecify.annotations.NullMarked;
