package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongArrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.lists.ListCodes;
import org.polygraph.storage.lists.ListTree;

/**
 * The operations of a history as it was read, with appends and reads of lists.
 *
 * @param tree the lists that the values of some operations stand for, see {@link ListCodes}
 * @param versions the order of the versions of lists; null in the table of the history as it was read
 * @param isOfCommits whether the table has them in the form of RC, RA and CC, see {@link ListResolution#ofCommits}
 */
record ListOperations(
        Operations operations, ListTree tree, @Nullable ListVersions versions, boolean isOfCommits) {
    /** The codes of the elements of the list that a value stands for; null if it stands for none. */
    long @Nullable [] elements(long value) {
        if (!ListCodes.isRead(value)) {
            return null;
        }
        LongArrayList elements = new LongArrayList();
        for (int list = ListCodes.list(value); list != ListTree.EMPTY; list = tree.withoutLast(list)) {
            elements.add(tree.last(list));
        }
        return LongArrays.reverse(elements.toLongArray());
    }
}
