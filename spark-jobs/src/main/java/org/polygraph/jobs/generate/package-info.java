/**
 * Generates histories from a seed: {@link org.polygraph.jobs.generate.Generator}.
 *
 * <p>Guarantee: every engine writes the same rows. May import: storage, decision (budgets and progress).
 */
@NullMarked
package org.polygraph.jobs.generate;

import org.jspecify.annotations.NullMarked;
