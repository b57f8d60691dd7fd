/**
 * What all formats share: budgets of a read, compression, bytes with their offset, the wording of content in messages.
 *
 * <p>Guarantee: a damaged compressed stream is a {@link org.polygraph.storage.format.io.CorruptStreamException}, never
 * a shorter content; the deadline is checked at least every 64 KiB of input. May import: {@code model}, {@code table},
 * {@code artifact}, zstd-jni.
 */
@NullMarked
package org.polygraph.storage.format.io;

import org.jspecify.annotations.NullMarked;
