package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.objects.ObjectArrayList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;

/**
 * Finds the order of the elements of each key of a slice, and what precedes each appended element in it. Result: why the lists cannot be
 * decided by windows, or an empty text; then the section with a block for each piece, which {@link ListOrders} reads: for the keys of
 * {@link ListDealTask} in their order, for each append {@link #NOT_READ}, {@link #FIRST}, or {@link #BEHIND} and an element; then for each list
 * that a transaction of unknown outcome read whether it is a prefix of the longest one.
 *
 * @param pieces by piece: the section with its keys
 * @param initial the initial value as a block
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record ListOrderTask(ArrayList<Section> pieces, int slice, byte[] initial, Section.Files files)
        implements Task<ListOrders.Part> {
    /** No list has the element. */
    static final int NOT_READ = 0;
    /** It is the first element. */
    static final int FIRST = 1;
    /** It follows another one. */
    static final int BEHIND = 2;

    private static final int NONE = -1;
    /** Bytes of memory for a byte of a block: an element of 4 bytes is held with its key in two tables. */
    private static final int HELD_PER_BYTE = 30;

    @Override
    public ListOrders.Part run(Budget budget) throws IOException {
        long bytes = 0;
        for (Section piece : pieces) {
            bytes += piece.bytes(slice, 1);
        }
        Orders orders = new Orders();
        if (!budget.fits(0, HELD_PER_BYTE * bytes)) {
            orders.problem = "the lists of some keys exceed the memory of a worker";
        }
        for (int p = 0; p < pieces.size() && orders.problem.isEmpty(); p++) {
            budget.require();
            orders.read(new BlockReader(pieces.get(p).block(slice)));
        }
        orders.number();
        if (!orders.problem.isEmpty()) {
            return new ListOrders.Part(orders.problem, null);
        }
        Section.Output out = new Section.Output(0, pieces.size());
        for (int p = 0; p < pieces.size(); p++) {
            budget.require();
            orders.answer(new BlockReader(pieces.get(p).block(slice)), out.block(p));
        }
        return new ListOrders.Part("", out.write(files, slice));
    }

    /** The lists of the slice. */
    private final class Orders {
        private final KeyDictionary keys = KeyDictionary.sparse();
        private final ValueDictionary values = new ValueDictionary();
        private final boolean isInitialNull = values.isNull(new BlockReader(initial).value(values));
        /** By key: how it is used, and the longest list that counts. */
        private final IntArrayList uses = new IntArrayList();

        private final ObjectArrayList<long[]> longest = new ObjectArrayList<>();
        private final KeyValues appended = new KeyValues();
        private final KeyValues ordered = new KeyValues();
        /** By number in {@link #ordered}: the number of the element before it, or {@link ListOrderTask#NONE}. */
        private final IntArrayList before = new IntArrayList();

        private String problem = "";

        void read(BlockReader in) {
            while (in.hasMore()) {
                int key = in.key(keys);
                if (key == uses.size()) {
                    uses.add(0);
                    longest.add(new long[0]);
                }
                uses.set(key, uses.getInt(key) | in.count());
                for (int left = in.count(); left > 0; left--) {
                    int size = appended.size();
                    if (appended.add(key, in.value(values)) != size) {
                        // An element that is appended twice: the reader of the whole names both places.
                        problem = Survey.UNREADABLE;
                    }
                }
                long[] list = list(in);
                long[] known = longest.get(key);
                if (list.length > known.length) {
                    longest.set(key, list);
                }
                if (!begins(list, longest.get(key)) || !begins(known, longest.get(key))) {
                    problem = ListOrders.CONTRADICTION;
                }
                for (int left = in.count(); left > 0; left--) {
                    skipList(in);
                }
            }
        }

        private long[] list(BlockReader in) {
            long[] list = new long[in.count()];
            for (int i = 0; i < list.length; i++) {
                list[i] = in.value(values);
            }
            return list;
        }

        private static boolean begins(long[] list, long[] longer) {
            return list.length <= longer.length && Arrays.equals(list, 0, list.length, longer, 0, list.length);
        }

        /** Numbers the elements of all lists. */
        void number() {
            for (int key = 0; key < uses.size() && problem.isEmpty(); key++) {
                int use = uses.getInt(key);
                if ((use & ListDealTask.LIST) != 0 && (use & ListDealTask.PLAIN) != 0) {
                    problem = Survey.UNREADABLE;
                } else if ((use & ListDealTask.LIST) != 0 && (use & ListDealTask.ABSENT) != 0 && !isInitialNull) {
                    problem = "a list was read as null, and the initial value is another one";
                }
                int last = NONE;
                for (long element : longest.get(key)) {
                    int number = ordered.add(key, element);
                    if (number < before.size()) {
                        problem = ListOrders.CONTRADICTION;
                        break;
                    }
                    before.add(last);
                    last = number;
                }
            }
        }

        /** Writes what precedes each append of a piece, and which lists are prefixes of the longest one. */
        void answer(BlockReader in, BlockWriter out) {
            while (in.hasMore()) {
                int key = in.key(keys);
                in.count();
                for (int left = in.count(); left > 0; left--) {
                    int number = ordered.find(key, in.value(values));
                    int previous = number < 0 ? NONE : before.getInt(number);
                    out.unsigned(number < 0 ? NOT_READ : previous == NONE ? FIRST : BEHIND);
                    if (previous != NONE) {
                        out.value(values, ordered.value(previous));
                    }
                }
                skipList(in);
                for (int left = in.count(); left > 0; left--) {
                    out.unsigned(begins(list(in), longest.get(key)) ? 1 : 0);
                }
            }
        }

        private static void skipList(BlockReader in) {
            for (int left = in.count(); left > 0; left--) {
                in.skipValue();
            }
        }
    }
}
