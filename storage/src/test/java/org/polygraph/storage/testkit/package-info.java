/**
 * What tests and benchmarks need to make histories and to know the truth about them.
 *
 * <p>Promise: everything here is independent of the code it tests: histories are built through the public builder and
 * judged from their raw operations, and a seed names a history for good. May import: {@code model}, {@code table},
 * fastutil, Jackson's streaming parser; no test framework, so that benchmarks can use it; sat4j in the oracles that ask it.
 */
@NullMarked
package org.polygraph.storage.testkit;

import org.jspecify.annotations.NullMarked;
