/**
 * JMH benchmarks of single kernels.
 *
 * <p>Promise: each measures one kernel, on a state that is made afresh where the kernel changes it. May import: {@code
 * data}, storage, partitioner.
 */
@NullMarked
package org.polygraph.benchmarks.micro;

import org.jspecify.annotations.NullMarked;
