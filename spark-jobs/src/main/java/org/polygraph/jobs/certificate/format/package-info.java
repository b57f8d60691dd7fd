/**
 * The evidence in a run, and the data that identify its history: the order of events with its file ({@link
 * org.polygraph.jobs.certificate.format.RankFile}), the guarantee it is evidence for, the fingerprint of the history,
 * and the fields of verdict.json that evidence has to confirm.
 *
 * <p>Guarantee: every file is untrusted input, and each way in which it can be wrong has its own message. May import:
 * storage, Jackson.
 *
 * <p>A process that has the order in memory writes it with {@link
 * org.polygraph.jobs.certificate.format.RankFile#write}. Processes that each have a range of transactions, by (session,
 * index), write the certificate without the others:
 *
 * <ol>
 *   <li>Each makes a {@link org.polygraph.jobs.certificate.format.RankWriter} of the run's folder. For each transaction
 *       of its range, of any status, ascending by (session, index), it calls {@code hash} with the {@link
 *       org.polygraph.jobs.certificate.format.TransactionHash}, which may have been computed elsewhere, and for each
 *       transaction that counts it calls {@code row} with the places of its events.
 *   <li>It returns the {@link org.polygraph.jobs.certificate.format.RankRange} of {@code end}, which is small and
 *       serializable. Attempts that are lost or repeated do no harm, because parts are named after their content.
 *   <li>One process calls {@link org.polygraph.jobs.certificate.format.RankFile#finish} with the ranges in ascending
 *       order. It joins the content hashes and writes the header. Without the header there is no certificate.
 * </ol>
 *
 * <p>Places are any distinct 64-bit integers from 0. A range may be any set of consecutive transactions; neither ranks
 * nor the sizes of other ranges are needed.
 */
@NullMarked
package org.polygraph.jobs.certificate.format;

import org.jspecify.annotations.NullMarked;
