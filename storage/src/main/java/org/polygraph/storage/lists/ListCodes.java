package org.polygraph.storage.lists;

import org.polygraph.storage.dictionary.ValueDictionary;

/** Value codes that stand for the lists that operations read. They lie outside those of {@link ValueDictionary}. */
public final class ListCodes {
    private static final long FIRST_READ = Long.MIN_VALUE + (1L << 43);
    private static final long END = Long.MIN_VALUE + (1L << 44);

    private ListCodes() {}

    /** Stands for a read of a list, given its number in a {@link ListTree}. */
    public static long read(int list) {
        return FIRST_READ + list;
    }

    /** Whether a code stands for a read of a list. */
    public static boolean isRead(long code) {
        return code >= FIRST_READ && code < END;
    }

    /** The number of the list that a code of {@link #read} stands for. */
    public static int list(long code) {
        return (int) (code - FIRST_READ);
    }
}
