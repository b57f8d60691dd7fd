package org.polygraph.storage.dictionary;

import org.polygraph.storage.model.BudgetException;

/** Numbers 0, 1, 2... for strings in order of first appearance, and the strings by number, until the store is full. */
sealed interface StringStore permits StringTable, PersistedStrings {
    /** The string is new and the store is full; it stays full. */
    int NO_ROOM = -1;
    /** The bytes before the characters of a string, which hold its length and two flags. */
    int HEADER = Integer.BYTES;

    int WIDE = 1;
    int MARKED = 2;
    int FLAG_BITS = 2;
    int MOST_CHARACTERS = 1 << 28;

    /** The header of a string. @param wide whether characters take two bytes */
    static int header(int length, boolean marked, boolean wide) {
        if (length > MOST_CHARACTERS) {
            throw new BudgetException("a string of " + length + " characters does not fit a table");
        }
        return length << FLAG_BITS | (marked ? MARKED : 0) | (wide ? WIDE : 0);
    }

    /**
     * The number of a string, which is added if it is new.
     *
     * @param hash {@link StringTable#hash} of string and mark
     * @param marked a marked string differs from the same string unmarked
     * @return {@link #NO_ROOM} if it is absent and cannot be added
     */
    int id(long hash, String string, boolean marked);

    /** A string by its number. */
    String string(int id);

    /** Whether a string is marked. */
    boolean isMarked(int id);

    /** The number of strings. */
    int size();

    /** Bytes of heap held. */
    long bytes();
}
