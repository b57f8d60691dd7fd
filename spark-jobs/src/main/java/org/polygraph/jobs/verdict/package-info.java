/**
 * What a check answers: the {@link org.polygraph.jobs.verdict.Verdict}, its exit code, and the independent replay of
 * the order that a PASS rests on.
 *
 * <p>Promise: values only, no I/O; {@link org.polygraph.jobs.verdict.WitnessCheck} trusts nothing but the raw history.
 * May import: storage, partitioner.isolation.
 */
@NullMarked
package org.polygraph.jobs.verdict;

import org.jspecify.annotations.NullMarked;
