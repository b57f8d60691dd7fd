package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntArrays;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.Operations;

/** Makes a history of some transactions, which the embedded engine judges alone. */
final class SmallHistory {
    private final WindowStore store;
    /** Operations of the history that is made. */
    private int added;

    SmallHistory(WindowStore store) {
        this.store = store;
    }

    /**
     * U(M) of a set: its transactions that count or may count, with their visible operations, without the reads that some transaction
     * outside may explain.
     *
     * @param outside items of key and value that these reads return
     */
    HistoryTable set(PlaceSet set, List<byte[]> outside) throws IOException {
        Cell all = new Cell();
        IntArrayList chosen = new IntArrayList();
        int cell = 0;
        for (int r = 0; r < set.ranges(); r++) {
            int end = store.cellOf(set.to()[r] - 1) + 1;
            for (cell = Math.max(cell, store.cellOf(set.from()[r])); cell < end; cell++) {
                int before = all.size();
                store.cells(cell, cell + 1).read(cell, all);
                for (int t = before; t < all.size(); t++) {
                    if (set.has(store.firsts()[cell] + t - before) && (all.isCounted(t) || all.isOptional(t))) {
                        chosen.add(t);
                    }
                }
            }
        }
        KeyValues open = new KeyValues();
        for (byte[] items : outside) {
            for (BlockReader in = new BlockReader(items); in.hasMore(); ) {
                open.add(in.key(all.keys()), in.value(all.values()));
            }
        }
        VisibleOperations visible = new VisibleOperations(all);
        int[] members = chosen.toIntArray();
        return table(
                all,
                store.events() == 2 ? withoutLone(all, members, open) : members,
                o -> visible.isVisible(o) && (all.isWrite(o) || open.find(all.key(o), all.code(o)) < 0));
    }

    /**
     * Returns the events without those of transactions whose other event is elsewhere. What these write is written
     * outside of the set, so it is added to the open items.
     */
    private static int[] withoutLone(Cell all, int[] events, KeyValues open) {
        IntArrayList left = new IntArrayList();
        IntArrays.mergeSort(events, all::compareTransactions);
        for (int i = 0; i < events.length; i++) {
            if (i + 1 < events.length && all.isSameTransaction(events[i], events[i + 1])) {
                left.add(events[i++]);
                left.add(events[i]);
                continue;
            }
            for (int o = all.firstOperation(events[i]); o < all.operationsEnd(events[i]); o++) {
                if (all.isWrite(o)) {
                    open.add(all.key(o), all.code(o));
                }
            }
        }
        return left.toIntArray();
    }

    /** The writes of some transactions on the key of a read, and the reads of its transaction. @param places of the transactions */
    HistoryTable ofKey(TreeSet<Long> places, CheckTask.Read read) throws IOException {
        Cell all = new Cell();
        int[] chosen = new int[places.size()];
        int reader = -1;
        int count = 0;
        int cell = -1;
        int before = 0;
        for (long place : places) {
            int c = store.cellOf(place);
            if (c != cell) {
                cell = c;
                before = all.size();
                store.cells(c, c + 1).read(c, all);
            }
            chosen[count] = before + (int) (place - store.firsts()[c]);
            reader = place == read.place() ? chosen[count] : reader;
            count++;
        }
        int key = new BlockReader(read.item()).key(all.keys());
        int from = reader < 0 ? 0 : all.firstOperation(reader);
        int to = reader < 0 ? 0 : all.operationsEnd(reader);
        return table(all, chosen, o -> all.key(o) == key && (all.isWrite(o) || (o >= from && o < to)));
    }

    /**
     * A transaction that contradicts itself on a key, and the transactions that wrote the values which it read, so that each read is
     * explained but for the contradiction.
     *
     * @param read one of its reads of the key
     */
    HistoryTable ofContradiction(CheckTask.Read read) throws IOException {
        int c = store.cellOf(read.place());
        Cell cell = store.cells(c, c + 1).read(c);
        int t = (int) (read.place() - store.firsts()[c]);
        int key = new BlockReader(read.item()).key(cell.keys());
        List<CheckTask.Read> reads = new ArrayList<>();
        for (int o = cell.firstOperation(t); o < cell.operationsEnd(t); o++) {
            if (cell.key(o) == key && cell.kind(o) == Cell.READ) {
                reads.add(CheckTask.Read.of(read.place(), cell.keys(), key, cell.values(), cell.code(o)));
            }
        }
        TreeSet<Long> places = new TreeSet<>(List.of(read.place()));
        for (SourceTask.Sources[] found : store.perSlice("find writers", slice -> new SourceTask(slice, reads))) {
            for (SourceTask.Sources sources : found) {
                places.addAll(sources.possible());
                places.addAll(sources.others());
            }
        }
        return ofKey(places, read);
    }

    /**
     * Makes the table.
     *
     * @param events the snapshot of a transaction comes before its commit
     * @param selection whether the table has an operation
     */
    private HistoryTable table(Cell all, int[] events, IntPredicate selection) throws IOException {
        int[] byInput = events.clone();
        IntArrays.mergeSort(byInput, (a, b) -> {
            int byFile = Integer.compare(all.file(a), all.file(b));
            return byFile != 0 ? byFile : Long.compare(all.position(a), all.position(b));
        });
        HistoryTableBuilder builder =
                new HistoryTableBuilder(store.plan().format().positions());
        if (store.layout().hasLists()) {
            builder.values().markLists();
        }
        added = 0;
        int[] keys = builder.keys().addAll(all.keys());
        long[] labels = store.layout().labels();
        long initial = new BlockReader(store.layout().initialValue()).value(builder.values());
        if (!builder.values().isNull(initial)) {
            builder.initialValue(initial);
        }
        for (byte[] found : store.initialValues(all.keys())) {
            for (BlockReader in = new BlockReader(found); in.hasMore(); ) {
                builder.initialValue(in.key(builder.keys()), in.value(builder.values()));
            }
        }
        int file = -1;
        for (int i = 0; i < byInput.length; i++) {
            int t = byInput[i];
            if (all.file(t) != file) {
                file = all.file(t);
                builder.file(store.plan().files().get(file));
            }
            builder.begin(labels[all.session(t)], all.index(t), all.status(t), all.position(t));
            if (all.start(t) != HistoryTable.NO_TIME || all.end(t) != HistoryTable.NO_TIME) {
                builder.times(all.start(t), all.end(t));
            }
            boolean isPair = i + 1 < byInput.length && all.isSameTransaction(t, byInput[i + 1]);
            int o = all.firstOperation(t);
            if (isPair) {
                int commit = byInput[++i];
                for (int p = all.firstOperation(commit); p < all.operationsEnd(commit); p++) {
                    for (; o < all.firstOperation(t) + all.readsBefore(p); o++) {
                        add(builder, keys, all, o, selection);
                    }
                    add(builder, keys, all, p, selection);
                }
            }
            for (; o < all.operationsEnd(t); o++) {
                add(builder, keys, all, o, selection);
            }
            builder.end();
        }
        try {
            return builder.build();
        } catch (HistoryException e) {
            throw new IllegalStateException("some transactions of a history do not form one", e);
        }
    }

    private void add(HistoryTableBuilder builder, int[] keys, Cell all, int operation, IntPredicate selection) {
        if (all.kind(operation) == Cell.INTENT || !selection.test(operation)) {
            return;
        }
        long code = builder.values().code(all.values(), all.code(operation));
        if (all.isWrite(operation)) {
            builder.write(keys[all.key(operation)], code);
        } else {
            builder.read(keys[all.key(operation)], code);
        }
        if (all.mark(operation) != 0) {
            builder.kind(added, all.mark(operation));
        } else if (all.isWrite(operation) && builder.values().isOpaque(code)) {
            builder.kind(added, Operations.APPEND);
        }
        added++;
    }
}
