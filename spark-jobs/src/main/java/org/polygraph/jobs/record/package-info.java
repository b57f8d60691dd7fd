/**
 * Recording of histories: what the clients of a database observe, written as a history that can be checked.
 *
 * <p>Guarantee: a transaction is recorded as a whole or not at all; prints nothing. May import: the packages
 * above it in the README of the module.
 */
@NullMarked
package org.polygraph.jobs.record;

import org.jspecify.annotations.NullMarked;
