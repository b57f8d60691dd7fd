/**
 * Decides a history that no process holds: small tasks over blocks of bytes in a folder of scratch files, which any
 * {@link org.polygraph.jobs.windows.Workers} run.
 *
 * <p>Events have places in one total order. {@link org.polygraph.jobs.windows.Cell Cells} hold the events of
 * neighbouring places, slices hold the operations of some keys in the order of places. A round deals the cells that
 * have changed to slices, finds the reads that do not return the last write before them and the writers of a key that
 * overlap, and repairs windows (ranges of places) around them. At RC, RA and CC it looks for an order that explains SI
 * without first committer wins, at LIN for one that explains SSER without sessions.
 *
 * <p>Guarantee: a PASS has an order in which independent code replayed the operations of every key, which are the
 * operations of the input ({@link org.polygraph.jobs.certificate.replay.Tally}). A VIOLATION is one of a sub-history,
 * without the reads that the rest may explain; the embedded engine judges it. Results are a function of the
 * input, the size of a window and the pieces in which the input is read, not of the number of workers. May import:
 * storage, partitioner, certificate, decision.
 */
@NullMarked
package org.polygraph.jobs.windows;

import org.jspecify.annotations.NullMarked;
