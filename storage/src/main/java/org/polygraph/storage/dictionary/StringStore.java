package org.polygraph.storage.dictionary;

/** Numbers 0, 1, 2... for strings in order of first appearance, and the strings by number, as far as there is room. */
sealed interface StringStore permits StringTable, PersistedStrings {
    /** There is no room for a string that is new; from then on there is none for any. */
    int NO_ROOM = -1;

    /**
     * The number of a string, {@link #size} if it is new: then it has been added.
     *
     * @param hash {@link StringTable#hash} of string and mark
     * @param marked part of what it is: a marked string is another than the same string unmarked
     * @return {@link #NO_ROOM} if it is not there and cannot be added
     */
    int id(long hash, String string, boolean marked);

    /** A string by its number. */
    String string(int id);

    /** Whether a string is marked. */
    boolean isMarked(int id);

    /** Strings. */
    int size();

    /** Bytes of heap held. */
    long bytes();
}
