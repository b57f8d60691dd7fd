package org.polygraph.storage.table;

/**
 * The sessions of a history in ascending order of their labels.
 *
 * @param labels by session: its number in the file
 * @param starts by session: its first transaction; and the number of transactions
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Sessions(long[] labels, int[] starts) {}
