/**
 * What a history contains: counts, and signs of a faulty recorder.
 *
 * <p>Guarantee: linear time, apart from sorting the writes of each key. May import: {@code model}, {@code dictionary},
 * {@code table}.
 */
@NullMarked
package org.polygraph.storage.analysis;

import org.jspecify.annotations.NullMarked;
