/**
 * Generators and oracles for tests and benchmarks: they make histories and know the right verdicts.
 *
 * <p>Guarantee: everything here is independent of the code that it tests. Histories are built through the public
 * builder and judged from their raw operations, and a seed always gives the same history. May import: {@code model},
 * {@code table}, fastutil, Jackson's streaming parser; no test framework, so that benchmarks can use it; sat4j in the
 * oracles that ask it.
 *
 * <p>Five oracles judge verdicts. Here are {@code BruteForceChecker} (SER, SI and the strict levels, every execution of
 * up to some eight transactions), {@code BruteForceAxioms} (RC, RA and CC, every commit order) and {@code SatChecker}
 * (SER and SI of larger histories, by sat4j). {@code Definitions} in spark-jobs decides all levels, lists and LIN by
 * graphs and executions that these do not use. {@code BruteForce} in local-solver tries every order of the solver's own
 * input.
 */
@NullMarked
package org.polygraph.storage.testkit;

import org.jspecify.annotations.NullMarked;
