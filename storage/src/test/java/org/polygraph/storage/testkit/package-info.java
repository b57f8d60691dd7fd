/**
 * Generators and oracles for tests and benchmarks: they make histories and know the right verdicts.
 *
 * <p>Guarantee: everything here is independent of the code that it tests. Histories are built through the public
 * builder and judged from their raw operations, and a seed always gives the same history. May import: {@code model},
 * {@code table}, fastutil, Jackson's streaming parser; sat4j in the oracles that ask it. Only {@code TestFolders},
 * which benchmarks do not load, imports a test framework.
 *
 * <p>Four oracles judge verdicts. Here are {@code BruteForceChecker} (SER, SI and the strict levels, every execution of
 * up to some eight transactions), {@code Definitions} (all levels, lists and LIN, by graphs and executions that the
 * former does not use) and {@code SatChecker} (larger histories, by sat4j). {@code BruteForce} in
 * local-solver tries every order of the solver's own input.
 */
@NullMarked
package org.polygraph.storage.testkit;

import org.jspecify.annotations.NullMarked;
