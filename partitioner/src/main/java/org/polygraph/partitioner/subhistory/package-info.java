/**
 * Parts of a history that violate on their own: which parts say something of the whole, where to start, how to shrink.
 *
 * <p>Promise: a part that is handed out is closed ({@link org.polygraph.partitioner.subhistory.ReadSources}), and the judge
 * has said that it violates. May import: isolation, index, evidence.
 */
@NullMarked
package org.polygraph.partitioner.subhistory;

import org.jspecify.annotations.NullMarked;
