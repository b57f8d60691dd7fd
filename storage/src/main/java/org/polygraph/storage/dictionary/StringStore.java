package org.polygraph.storage.dictionary;

/** Numbers 0, 1, 2... for strings in order of first appearance, and the strings by number, until the store is full. */
sealed interface StringStore permits StringTable, PersistedStrings {
    /** The string is new and the store is full; it stays full. */
    int NO_ROOM = -1;

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
