package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2LongMap;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.lists.ListReads;

/**
 * The transactions of one piece of a history in the order of the input, not yet sorted or compared with other pieces.
 * Ids of sessions, keys and values are the piece's own, in order of first appearance. No method writes to the arrays.
 *
 * <p>Memory: 12 bytes an operation, twice that with savepoints, 25 a transaction, 41 with times, 12 an element of a list that was read, and labels.
 *
 * @param sessionLabels by session of the piece
 * @param sessionOf by transaction
 * @param transactions their sources are positions in the file; lines count from 1 at the start of the piece
 * @param operations with the piece's ids of keys and codes of values
 * @param initialValue the piece's code of the initial value; null if its header has none
 * @param initialState by key: the piece's codes of other initial values; null if its header has none
 * @param lists the lists that some value codes stand for; null if the piece has neither appends nor reads of lists
 * @param undone the operations with savepoints and what was undone; null if there are none
 * @param lines how many lines the piece has; 0 where positions are not lines
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record HistoryRows(
        long[] sessionLabels,
        int[] sessionOf,
        Transactions transactions,
        Operations operations,
        KeyDictionary keys,
        ValueDictionary values,
        @Nullable Long initialValue,
        @Nullable Int2LongMap initialState,
        @Nullable ListReads lists,
        @Nullable Operations undone,
        long lines) {}
