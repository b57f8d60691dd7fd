package org.polygraph.storage.lists;

import org.polygraph.storage.dictionary.ValueDictionary;

/**
 * Value codes that stand for operations on lists while a history is read. Reads and writes of values replace them when
 * all lists are known. The codes lie outside those of {@link ValueDictionary}.
 */
public final class ListCodes {
    /**
     * Stands for the read of the version that an append follows. The next operation is the append: a write of the
     * appended element.
     */
    public static final long BEFORE_APPEND = Long.MIN_VALUE + (1L << 44);

    private static final long FIRST_READ = Long.MIN_VALUE + (1L << 43);

    private ListCodes() {}

    /** Stands for a read of a list, given its number in a {@link ListTree}. */
    public static long read(int list) {
        return FIRST_READ + list;
    }

    /** Whether a code stands for a read of a list. */
    public static boolean isRead(long code) {
        return code >= FIRST_READ && code < BEFORE_APPEND;
    }

    /** The number of the list that a code of {@link #read} stands for. */
    public static int list(long code) {
        return (int) (code - FIRST_READ);
    }

    /** Whether a code stands for an operation on a list. */
    public static boolean isStandIn(long code) {
        return code >= FIRST_READ && code <= BEFORE_APPEND;
    }
}
