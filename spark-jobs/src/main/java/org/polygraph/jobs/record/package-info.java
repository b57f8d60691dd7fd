/**
 * Recording of histories: what the clients of a database observe, written as a history that can be checked.
 *
 * <p>Guarantee: a transaction is recorded as a whole or not at all; prints nothing. May import: everything to its left.
 */
@NullMarked
package org.polygraph.jobs.record;

import org.jspecify.annotations.NullMarked;
