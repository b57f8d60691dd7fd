/**
 * The words every history is made of: transaction outcomes, value codes, located input errors.
 *
 * <p>Promise: no representation, no I/O; constants and exceptions only. May import: the JDK.
 */
@NullMarked
package org.polygraph.storage.model;

import org.jspecify.annotations.NullMarked;
