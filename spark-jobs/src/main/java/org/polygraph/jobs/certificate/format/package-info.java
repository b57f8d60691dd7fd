/**
 * What a run leaves as evidence, and what identifies it: the order of events with its file ({@link
 * org.polygraph.jobs.certificate.format.RankFile}), the guarantee it is evidence for, the fingerprint of the history, and the
 * fields of verdict.json that evidence has to confirm.
 *
 * <p>Guarantee: every file is untrusted input, and each way in which it can be wrong has its own message. May import:
 * storage, Jackson.
 */
@NullMarked
package org.polygraph.jobs.certificate.format;

import org.jspecify.annotations.NullMarked;
