package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.Arrays;
import java.util.BitSet;
import org.polygraph.storage.lists.ListCodes;
import org.polygraph.storage.lists.ListTree;

/**
 * Some operations of a history with lists, as a history with lists: its lists are without the elements whose appends are
 * not selected. Elements that no transaction appended stay. If an order explains the whole history at some level, the
 * same order of the selected transactions explains the selection, because each list is what is left of a state.
 */
final class ListSelection {
    private final ListVersions versions;
    private final HistoryTable recorded;
    private final BitSet selected = new BitSet();
    private final ListTree lists = new ListTree();

    private ListSelection(ListVersions versions) {
        this.versions = versions;
        this.recorded = versions.recorded();
    }

    /** The operations that no other ones imply. */
    static int[] explicit(HistoryTable whole, int[] operations) {
        int[] explicit = new int[operations.length];
        int n = 0;
        for (int o : operations) {
            if (!whole.isImplied(o)) {
                explicit[n++] = o;
            }
        }
        return Arrays.copyOf(explicit, n);
    }

    /**
     * Makes the history, with the operations of the whole: those on lists, or those that stand for them.
     *
     * @param kept transactions, ascending
     * @param keys the keys of the operations, in the order of their ids in the result
     * @param operations explicit ones of the kept transactions, ascending
     */
    static HistoryTable of(HistoryTable whole, int[] kept, int[] keys, int[] operations) {
        ListReduced reduced = whole.reduced();
        if (reduced == null) {
            return new ListSelection(whole.recordedVersions()).of(kept, keys, operations);
        }
        int[] origins = new int[operations.length];
        Arrays.setAll(origins, i -> reduced.origin()[operations[i]]);
        return reduced.of(new ListSelection(reduced.versions()).of(kept, keys, origins));
    }

    private HistoryTable of(int[] kept, int[] keys, int[] origins) {
        for (int o : origins) {
            selected.set(o);
        }
        Int2IntOpenHashMap ids = new Int2IntOpenHashMap();
        for (int key : keys) {
            ids.put(key, ids.size());
        }
        int[] starts = new int[kept.length + 1];
        OperationList operations = new OperationList(origins.length);
        int next = 0;
        for (int i = 0; i < kept.length; i++) {
            for (; next < origins.length && origins[next] < recorded.operationsEnd(kept[i]); next++) {
                int o = origins[next];
                int key = ids.get(recorded.key(o));
                operations.add(
                        Operations.pack(key, recorded.isWrite(o)),
                        versions.isRead(o) ? list(key, o) : recorded.value(o),
                        recorded.kind(o));
            }
            starts[i + 1] = operations.size();
        }
        return HistorySelection.table(recorded, keys, kept, operations.build(starts))
                .with(lists);
    }

    /** The code of the elements of a list that are kept. */
    private long list(int key, int read) {
        LongArrayList elements = new LongArrayList();
        for (long element : versions.elements(read)) {
            int append = versions.append(recorded.key(read), element);
            if (append == ListVersions.NONE || selected.get(append)) {
                elements.add(element);
            }
        }
        return ListCodes.read(lists.of(key, elements));
    }
}
