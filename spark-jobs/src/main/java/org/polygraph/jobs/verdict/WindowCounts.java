package org.polygraph.jobs.verdict;

/**
 * The counts of a check by windows.
 *
 * @param size transactions of a window
 * @param decided windows that contained violated reads and were decided
 * @param grown sets of transactions that grew beyond windows
 * @param largest transactions in the largest of these sets; 0 if there was none
 * @param whole why the whole history was decided at once; empty if windows decided
 */
public record WindowCounts(int size, long decided, long grown, long largest, String whole) {}
