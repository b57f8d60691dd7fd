package org.polygraph.storage.columnar;

/** Numbers 0, 1, 2... for texts in order of first appearance, and the texts by number, as far as there is room. */
sealed interface TextStore permits TextTable, PersistedTexts {
    /** There is no room for a text that is new; from then on there is none for any. */
    int NO_ROOM = -1;

    /**
     * The number of a text, {@link #size} if it is new: then it has been added.
     *
     * @param hash {@link TextTable#hash} of text and mark
     * @param marked part of what it is: a marked text is another than the same text unmarked
     * @return {@link #NO_ROOM} if it is not there and cannot be added
     */
    int id(long hash, String text, boolean marked);

    /** A text by its number. */
    String text(int id);

    /** Whether a text is marked. */
    boolean isMarked(int id);

    /** Texts. */
    int size();

    /** Bytes of heap held. */
    long bytes();
}
