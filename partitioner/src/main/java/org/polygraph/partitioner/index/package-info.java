/**
 * The writer and the readers of each version of each key.
 *
 * <p>Guarantee: after this package every counted read has at least one counted candidate writer, every transaction is
 * internally consistent, and later packages need neither raw operations nor values; or a violation names the read
 * that is impossible. May import: {@code isolation}, storage.
 */
@NullMarked
package org.polygraph.partitioner.index;

import org.jspecify.annotations.NullMarked;
