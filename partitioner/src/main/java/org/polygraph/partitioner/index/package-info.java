/**
 * Who wrote and who read each version of each key.
 *
 * <p>Promise: after this package every counted read has at least one counted candidate writer, every transaction is
 * internally consistent, and nothing downstream looks at raw operations or values again; or a violation says which read
 * is impossible. May import: {@code isolation}, storage.
 */
@NullMarked
package org.polygraph.partitioner.index;

import org.jspecify.annotations.NullMarked;
