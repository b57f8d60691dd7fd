/**
 * Judges evidence: small histories by trying every execution, sub-histories by whether their violation is one of the
 * whole history, and a stored run by both and by the replay of its certificate.
 *
 * <p>Guarantee: uses raw operations only, and no index, graph, rule or solver. An answer is right or it is "too large".
 * May import: certificate.replay, certificate.format, storage.
 */
@NullMarked
package org.polygraph.jobs.certificate.judge;

import org.jspecify.annotations.NullMarked;
