/**
 * Generators and oracles for tests and benchmarks: they make histories and know the right verdicts.
 *
 * <p>Guarantee: everything here is independent of the code that it tests. Histories are built through the public
 * builder and judged from their raw operations, and a seed always gives the same history. May import: {@code model},
 * {@code table}, fastutil, Jackson's streaming parser; sat4j in the oracles that ask it. Only {@code TestFolders},
 * which benchmarks do not load, imports a test framework.
 *
 * <p>Three judges decide verdicts by other methods, over the operations of {@code Definitions}: {@code Interpreter} tries
 * every execution, {@code Graphs} looks for the graphs of the definitions, and {@code SatChecker} asks sat4j about single values, also in larger histories. {@code BruteForce} in
 * local-solver tries every order of the solver's own input.
 */
@NullMarked
package org.polygraph.storage.testkit;

import org.jspecify.annotations.NullMarked;
