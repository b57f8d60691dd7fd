/**
 * The answer of a check: the {@link org.polygraph.jobs.verdict.Verdict} and its exit code.
 *
 * <p>Guarantee: values only, no I/O. May import: storage, partitioner.isolation, {@code certificate}.
 */
@NullMarked
package org.polygraph.jobs.verdict;

import org.jspecify.annotations.NullMarked;
