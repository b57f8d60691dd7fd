package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.ints.IntArrays;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.polygraph.storage.format.pieces.ReadPlan;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;

/** Some transactions of the history as one of their own, for the embedded engine. */
final class SmallHistory {
    private final ReadPlan plan;
    private final WindowStore store;

    SmallHistory(ReadPlan plan, WindowStore store) {
        this.plan = plan;
        this.store = store;
    }

    /** Which operations of a transaction are part of it. */
    @FunctionalInterface
    interface Operations {
        boolean has(int operation);
    }

    /**
     * U(M) of a window: its transactions that count or may count, with their visible operations, without the reads that some transaction
     * outside may explain.
     *
     * @param outside items of key and value that these reads return
     */
    HistoryTable window(WindowStore.Range window, List<byte[]> outside) throws IOException {
        Cell all = new Cell();
        Cells cells = store.cells(window);
        for (int c = cells.from(); c < cells.to(); c++) {
            cells.read(c, all);
        }
        long first = cells.first(cells.from());
        KeyValues open = new KeyValues();
        for (byte[] items : outside) {
            for (BlockReader in = new BlockReader(items); in.hasMore(); ) {
                open.add(in.key(all.keys()), in.value(all.values()));
            }
        }
        VisibleOperations visible = new VisibleOperations(all);
        int[] members = new int[all.size()];
        int count = 0;
        for (int t = 0; t < all.size(); t++) {
            if (window.has(first + t) && (all.isCounted(t) || all.isOptional(t))) {
                members[count++] = t;
            }
        }
        return table(
                all,
                Arrays.copyOf(members, count),
                o -> visible.isVisible(o) && (all.isWrite(o) || open.find(all.key(o), all.code(o)) < 0));
    }

    /** The operations of some transactions on the key of a read. @param places of the transactions */
    HistoryTable ofKey(TreeSet<Long> places, CheckTask.Read read) throws IOException {
        Cell all = new Cell();
        int[] chosen = new int[places.size()];
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
            chosen[count++] = before + (int) (place - store.firsts()[c]);
        }
        int key = new BlockReader(read.item()).key(all.keys());
        return table(all, chosen, o -> all.key(o) == key);
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
            if (cell.key(o) == key && !cell.isWrite(o)) {
                byte[] item = new BlockWriter()
                        .key(cell.keys(), key)
                        .value(cell.values(), cell.code(o))
                        .toBytes();
                reads.add(new CheckTask.Read(read.place(), item));
            }
        }
        TreeSet<Long> places = new TreeSet<>(List.of(read.place()));
        for (byte[] found : store.perSlice(
                "find writers",
                slice -> new SourceTask(slice, reads, store.layout().initialValue()))) {
            for (SourceTask.Sources sources : SourceTask.Sources.of(found, reads)) {
                places.addAll(sources.possible());
                places.addAll(sources.others());
            }
        }
        return ofKey(places, read);
    }

    private HistoryTable table(Cell all, int[] transactions, Operations operations) throws IOException {
        int[] byInput = transactions.clone();
        IntArrays.mergeSort(byInput, (a, b) -> {
            int byFile = Integer.compare(all.file(a), all.file(b));
            return byFile != 0 ? byFile : Long.compare(all.position(a), all.position(b));
        });
        HistoryTableBuilder builder = new HistoryTableBuilder(plan.format().positions());
        int[] keys = builder.keys().addAll(all.keys().labels());
        long[] labels = store.layout().labels();
        long initial = new BlockReader(store.layout().initialValue()).value(builder.values());
        if (!builder.values().isNull(initial)) {
            builder.initialValue(initial);
        }
        int file = -1;
        for (int t : byInput) {
            if (all.file(t) != file) {
                file = all.file(t);
                builder.file(plan.files().get(file));
            }
            builder.begin(labels[all.session(t)], all.index(t), all.status(t), all.position(t));
            if (all.start(t) != HistoryTable.NO_TIME || all.end(t) != HistoryTable.NO_TIME) {
                builder.times(all.start(t), all.end(t));
            }
            for (int o = all.firstOperation(t); o < all.operationsEnd(t); o++) {
                if (operations.has(o)) {
                    byte[] label =
                            new BlockWriter().value(all.values(), all.code(o)).toBytes();
                    long code = new BlockReader(label).value(builder.values());
                    if (all.isWrite(o)) {
                        builder.write(keys[all.key(o)], code);
                    } else {
                        builder.read(keys[all.key(o)], code);
                    }
                }
            }
            builder.end();
        }
        try {
            return builder.build();
        } catch (HistoryException e) {
            throw new IllegalStateException("transactions of a history that are none", e);
        }
    }
}
