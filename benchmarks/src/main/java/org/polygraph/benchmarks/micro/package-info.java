/**
 * JMH benchmarks of single kernels.
 *
 * <p>Guarantee: each measures one kernel. If the kernel changes its input, the input is made again for each invocation.
 * May import: {@code data}, storage, partitioner.
 */
@NullMarked
package org.polygraph.benchmarks.micro;

import org.jspecify.annotations.NullMarked;
