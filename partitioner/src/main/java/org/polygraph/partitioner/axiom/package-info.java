/**
 * RC, RA and CC as axioms over the commit order: what each demands of it, as edges.
 *
 * <p>Promise: adds just the edges that the axiom demands where it is known who read from whom. May import: {@code
 * closure}, {@code graph}, {@code index}, {@code isolation}, {@code order}.
 */
@NullMarked
package org.polygraph.partitioner.axiom;

import org.jspecify.annotations.NullMarked;
