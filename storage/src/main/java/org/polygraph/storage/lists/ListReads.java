package org.polygraph.storage.lists;

import java.io.Serializable;

/**
 * The lists that the transactions of a piece of a history read, by number from 1; the first element of each array is
 * unused.
 *
 * @param elements by list: the code of its last element
 * @param before by list: the list without its last element, which has a smaller number; {@code ~key} for the empty list
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record ListReads(long[] elements, int[] before) implements Serializable {}
