/** Records histories of real databases with a replica. */
@NullMarked
package org.polygraph.benchmarks.record;

import org.jspecify.annotations.NullMarked;
