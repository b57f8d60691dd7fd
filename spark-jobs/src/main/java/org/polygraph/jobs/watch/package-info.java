/**
 * Verdicts while a history grows: lines of the sources become parts of a chain, and each part is checked after those
 * before it. Guarantee: a line is in exactly one part, whenever the process is killed, and each verdict is that of all
 * parts up to it as one history.
 */
@NullMarked
package org.polygraph.jobs.watch;

import org.jspecify.annotations.NullMarked;
