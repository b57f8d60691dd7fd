package org.polygraph.storage.lists;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongArrays;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.BudgetException;

/**
 * The lists that were read of each key, as a tree: a list is its last element and the list without it. Lists of a key
 * that only grows share their prefixes, however many were read. A list that does not extend or begin the longest list
 * of its key shares the common prefix with it; the rest is stored separately.
 *
 * <p>Memory: 12 bytes a list and 12 an element of the longest list of each key. If the lists of a key agree, this is at
 * most 48 bytes for each element that was read, because arrays double. Time: adding a list compares it with the longest
 * one.
 */
public final class ListTree {
    /** The number of the empty list, of any key. */
    public static final int EMPTY = 0;

    private static final int BYTES_PER_ELEMENT = Long.BYTES + Integer.BYTES;
    private static final int BYTES_PER_PATH = 64;
    private static final int MOST = 1 << 30;

    /** By list: its last element. */
    private long[] elements = new long[64];
    /** By list: the list without its last element; {@code ~key} for the empty list. */
    private int[] before = new int[64];

    private int size = 1;

    /** By key: its longest list, the first one if several are as long; null if none was read. */
    private @Nullable Path[] longest = new Path[16];

    private long pathBytes;

    /** A list and all its prefixes. */
    private static final class Path {
        long[] elements = new long[8];
        int[] lists = new int[8];
        int size;

        /** Whether it begins with a list of the given length. */
        boolean begins(int list, int length) {
            return length == 0 || (length <= size && lists[length - 1] == list);
        }
    }

    /** The number of a list. @param list codes of its elements */
    public int of(int key, LongArrayList list) {
        int n = list.size();
        if (n == 0) {
            return EMPTY;
        }
        Path path = path(key);
        int mismatch = Arrays.mismatch(list.elements(), 0, n, path.elements, 0, path.size);
        int length = mismatch < 0 ? n : mismatch;
        int number = length == 0 ? EMPTY : path.lists[length - 1];
        while (length < n) {
            number = longer(key, path, number, length, list.getLong(length));
            length++;
        }
        return number;
    }

    private Path path(int key) {
        if (key >= longest.length) {
            longest = Arrays.copyOf(longest, Math.max(key + 1, longest.length + (longest.length >> 1)));
        }
        Path path = longest[key];
        if (path == null) {
            path = new Path();
            longest[key] = path;
            pathBytes += BYTES_PER_PATH + (long) BYTES_PER_ELEMENT * path.lists.length;
        }
        return path;
    }

    /** The number of the list that extends a list of the given length by an element. */
    private int longer(int key, Path path, int list, int length, long element) {
        boolean isOnPath = path.begins(list, length);
        if (isOnPath && length < path.size && path.elements[length] == element) {
            return path.lists[length];
        }
        int longer = add(element, list == EMPTY ? ~key : list);
        if (length == path.size) {
            if (!isOnPath) {
                replace(path, list);
            }
            put(path, element, longer);
        }
        return longer;
    }

    private int add(long element, int without) {
        if (size == MOST) {
            throw new BudgetException("more than " + MOST + " different lists do not fit one table; split the history");
        }
        if (size == before.length) {
            elements = Arrays.copyOf(elements, 2 * size);
            before = Arrays.copyOf(before, 2 * size);
        }
        elements[size] = element;
        before[size] = without;
        return size++;
    }

    private void put(Path path, long element, int list) {
        if (path.size == path.lists.length) {
            if (path.size == MOST) {
                throw new BudgetException("a list of more than " + MOST + " elements does not fit a table");
            }
            pathBytes += (long) BYTES_PER_ELEMENT * path.size;
            path.elements = Arrays.copyOf(path.elements, 2 * path.size);
            path.lists = Arrays.copyOf(path.lists, 2 * path.size);
        }
        path.elements[path.size] = element;
        path.lists[path.size++] = list;
    }

    /** Replaces a path by another list of the same length. */
    private void replace(Path path, int list) {
        int each = list;
        for (int i = path.size - 1; i >= 0 && path.lists[i] != each; i--) {
            path.lists[i] = each;
            path.elements[i] = elements[each];
            each = before[each];
        }
    }

    /** The last element of a list that is not empty. */
    public long last(int list) {
        return elements[list];
    }

    /** A list that is not empty, without its last element. */
    public int withoutLast(int list) {
        return Math.max(EMPTY, before[list]);
    }

    /** The elements of a list, from the first. */
    public long[] elements(int list) {
        LongArrayList elements = new LongArrayList();
        for (int each = list; each != EMPTY; each = withoutLast(each)) {
            elements.add(last(each));
        }
        return LongArrays.reverse(elements.toLongArray());
    }

    /** The number of lists, including the empty one. */
    public int size() {
        return size;
    }

    /** Bytes of heap held. */
    public long bytes() {
        return (long) BYTES_PER_ELEMENT * elements.length + 4L * longest.length + pathBytes;
    }

    /** A copy of all lists. */
    public ListReads reads() {
        return new ListReads(Arrays.copyOf(elements, size), Arrays.copyOf(before, size));
    }
}
