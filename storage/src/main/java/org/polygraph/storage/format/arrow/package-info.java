/**
 * Histories as Arrow IPC, which other programs write from memory: a row is a transaction, and its columns have the names
 * of the fields of JSON Lines.
 */
@NullMarked
package org.polygraph.storage.format.arrow;

import org.jspecify.annotations.NullMarked;
