package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.format.pieces.Piece;
import org.polygraph.storage.format.pieces.ReadPlan;
import org.polygraph.storage.lists.ListCodes;
import org.polygraph.storage.lists.ListReads;
import org.polygraph.storage.model.WholeHistoryException;
import org.polygraph.storage.table.HistoryRows;
import org.polygraph.storage.table.Operations;

/**
 * The order of the elements of each list of a history, found by tasks: {@link ListDealTask}, then {@link ListOrderTask}. With it lists
 * become single values, piece by piece, as {@code ListReduction} does it for a whole history: a list is its last element, and an append of an
 * element that was read is a read of the element before it and a write.
 *
 * @param problem why windows do not decide the history; empty if they may
 * @param sections by slice of keys: what precedes each append, by piece; empty if the history has no lists
 * @param initial the initial value, which stands for an empty list, as a block
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record ListOrders(String problem, ArrayList<Section> sections, byte[] initial) implements Serializable {
    static final ListOrders NONE = new ListOrders("", new ArrayList<>(), new byte[0]);
    /** The problem of lists of a key that are not prefixes of one list. */
    static final String CONTRADICTION = "lists of a key contradict each other, or one has an element twice";

    /** A task of a slice reads a block of each piece, so more slices make these blocks too short. */
    private static final int MOST_SLICES = 512;

    /** What a history has that windows do not support. */
    static final String UNKNOWN_READ =
            "a transaction of unknown outcome that counts and read what no committed one read";

    private static final long UNKNOWN = Long.MAX_VALUE;

    /** Finds the order of all lists. */
    static ListOrders of(WindowStore store, ReadPlan plan) throws IOException {
        List<Piece> all = plan.pieces();
        int slices = Math.min(MOST_SLICES, Math.min(store.mostSlices(), all.size()));
        Section.Files dealt = store.next("lists");
        List<Task<Part>> tasks = new ArrayList<>();
        for (Piece piece : all) {
            tasks.add(new ListDealTask(piece, tasks.size(), slices, dealt));
        }
        byte[] initial = store.layout().initialValue();
        ListOrders pieces = of(store.workers().run("deal lists to keys", tasks), initial);
        if (!pieces.problem.isEmpty()) {
            return pieces;
        }
        Section.Files files = store.next("orders");
        tasks.clear();
        for (int s = 0; s < slices; s++) {
            tasks.add(new ListOrderTask(pieces.sections, s, initial, files));
        }
        ListOrders orders = of(store.workers().run("find the order of lists", tasks), initial);
        Section.delete(pieces.sections);
        return orders;
    }

    /**
     * What a task made.
     *
     * @param problem why windows do not decide the history; empty if they may, and then there is a section
     */
    record Part(String problem, @Nullable Section section) implements Serializable {}

    private static ListOrders of(List<Part> parts, byte[] initial) {
        ArrayList<Section> sections = new ArrayList<>();
        for (Part part : parts) {
            if (part.section == null) {
                return new ListOrders(part.problem, new ArrayList<>(), initial);
            }
            sections.add(part.section);
        }
        return new ListOrders("", sections, initial);
    }

    /**
     * The rows of a piece with reads and writes of single values in place of the operations on lists; the same rows if they have none.
     *
     * @throws WholeHistoryException if a transaction of unknown outcome counts and read a list that shows more than those of committed ones
     */
    HistoryRows resolved(HistoryRows rows, int piece) throws IOException {
        ListReads lists = rows.lists();
        return lists == null || sections.isEmpty() ? rows : new Resolution(rows, lists).of(piece);
    }

    private final class Resolution {
        private final HistoryRows rows;
        private final ListReads lists;
        private final ValueDictionary values;
        private final long empty;
        /** By code of an element: the code of the version that it made. */
        private final Long2LongOpenHashMap versions = new Long2LongOpenHashMap();

        /** By append: the version before it; {@link #UNKNOWN} if no list shows it. */
        private final long[] before;
        /** Lists of {@link ListDealTask#openReads} that are no prefixes of the longest one. */
        private final LongOpenHashSet uncovered = new LongOpenHashSet();

        private int n;
        private int[] keys;
        private long[] newValues;
        private byte[] kinds;

        Resolution(HistoryRows rows, ListReads lists) {
            this.rows = rows;
            this.lists = lists;
            values = rows.values();
            empty = new BlockReader(initial).value(values);
            versions.defaultReturnValue(UNKNOWN);
            int size = rows.operations().size();
            before = new long[size];
            int most = size;
            for (int o = 0; o < size; o++) {
                most += rows.operations().isAppend(o) ? 1 : 0;
            }
            keys = new int[most];
            newValues = new long[most];
            kinds = new byte[most];
        }

        HistoryRows of(int piece) throws IOException {
            readPlaces(piece);
            int[] starts = rows.operations().starts();
            int[] newStarts = new int[starts.length];
            long[] old = rows.operations().values();
            for (int t = 0; t + 1 < starts.length; t++) {
                if (ListDealTask.isOpen(rows, t) && isRead(t) && shows(t)) {
                    throw new WholeHistoryException(UNKNOWN_READ);
                }
                for (int o = starts[t]; o < starts[t + 1]; o++) {
                    int keyAndKind = rows.operations().keys()[o];
                    if (ListCodes.isRead(old[o])) {
                        int list = ListCodes.list(old[o]);
                        put(keyAndKind, list == 0 ? empty : version(lists.elements()[list]), (byte) 0);
                    } else if (rows.operations().isAppend(o)) {
                        if (before[o] != UNKNOWN) {
                            put(Operations.pack(Operations.key(keyAndKind), false), before[o], Operations.IMPLIED);
                        }
                        put(keyAndKind, version(old[o]), Operations.APPEND);
                    } else {
                        put(keyAndKind, old[o], (byte) 0);
                    }
                }
                newStarts[t + 1] = n;
            }
            return new HistoryRows(
                    rows.sessionLabels(),
                    rows.sessionOf(),
                    rows.transactions(),
                    new Operations(
                            newStarts, Arrays.copyOf(keys, n), Arrays.copyOf(newValues, n), Arrays.copyOf(kinds, n)),
                    rows.keys(),
                    values,
                    rows.initialValue(),
                    null,
                    null,
                    null,
                    rows.lines());
        }

        /** Whether a list shows an append of a transaction, so that it committed. */
        private boolean isRead(int t) {
            int[] starts = rows.operations().starts();
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                if (rows.operations().isAppend(o) && before[o] != UNKNOWN) {
                    return true;
                }
            }
            return false;
        }

        /** Whether a transaction read a list that may show more than those of committed transactions. */
        private boolean shows(int t) {
            int[] starts = rows.operations().starts();
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                if (uncovered.contains(ListDealTask.openRead(rows, o))) {
                    return true;
                }
            }
            return false;
        }

        private void readPlaces(int piece) throws IOException {
            KeyDictionary all = rows.keys();
            BlockReader[] blocks = new BlockReader[sections.size()];
            for (int s = 0; s < blocks.length; s++) {
                blocks[s] = new BlockReader(sections.get(s).block(piece));
            }
            ListDealTask.Appends appends = new ListDealTask.Appends(rows);
            long[] open = ListDealTask.openReads(rows);
            int nextOpen = 0;
            for (int key = 0; key < all.size(); key++) {
                BlockReader in = blocks[DealTask.slice(all, key, blocks.length)];
                for (int i = 0; i < appends.count(key); i++) {
                    int place = in.count();
                    before[appends.operation(key, i)] = place == ListOrderTask.NOT_READ
                            ? UNKNOWN
                            : place == ListOrderTask.FIRST ? empty : version(in.value(values));
                }
                for (; nextOpen < open.length && open[nextOpen] >>> Integer.SIZE == key; nextOpen++) {
                    if (in.unsigned() == 0) {
                        uncovered.add(open[nextOpen]);
                    }
                }
            }
        }

        /** The version that an element makes, as {@code ListReduction} names it. */
        private long version(long element) {
            long known = versions.get(element);
            if (known == UNKNOWN) {
                known = values.opaque("[.. " + values.label(element) + "]");
                versions.put(element, known);
            }
            return known;
        }

        private void put(int keyAndKind, long value, byte kind) {
            keys[n] = keyAndKind;
            kinds[n] = kind;
            newValues[n++] = value;
        }
    }
}
