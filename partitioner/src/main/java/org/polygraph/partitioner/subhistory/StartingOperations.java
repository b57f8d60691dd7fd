package org.polygraph.partitioner.subhistory;

import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.objects.Object2IntOpenHashMap;
import java.util.List;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.ReasonTree;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.ListVersions;

/**
 * The operations with which shrinking begins: those that a violation and its reasons name. If these do not violate the
 * level, operations around them are added step by step.
 */
final class StartingOperations {
    private final ReadSources sources;
    private final HistoryTable table;
    private final IntOpenHashSet operations = new IntOpenHashSet();

    /** @param more edges that the violation uses besides its own */
    StartingOperations(ReadSources sources, Violation violation, List<Dependency> more) {
        this.sources = sources;
        this.table = sources.table();
        add(ReasonTree.of(violation.cycle(), violation.cases()).edges());
        add(ReasonTree.of(more, List.of()).edges());
        if (violation.cycle().isEmpty()) {
            for (int t : violation.transactions()) {
                for (int key : violation.keys()) {
                    add(t, key);
                }
            }
            violation.keys().forEach(this::addLongest);
        }
    }

    /** The operations so far and those that they require, ascending. */
    int[] closed() {
        return sources.closed(operations);
    }

    private void add(List<Dependency> dependencies) {
        for (Dependency d : dependencies) {
            add(d.from(), d.key());
            add(d.to(), d.key());
            addLongest(d.key());
        }
    }

    /** Adds a read of the longest list of a key, which shows the order of its versions. */
    private void addLongest(int key) {
        ListVersions lists = key == Dependency.NO_KEY ? null : table.listVersions();
        int read = lists == null ? ListVersions.NONE : lists.longestRead(key);
        if (lists != null && read != ListVersions.NONE) {
            add(lists.transaction(read), key);
        }
    }

    private void add(int transaction, int key) {
        if (transaction != Dependency.INITIAL && key != Dependency.NO_KEY) {
            for (int o = table.firstOperation(transaction); o < table.operationsEnd(transaction); o++) {
                if (table.key(o) == key) {
                    operations.add(o);
                }
            }
        }
    }

    /** Adds the other operations of all transactions so far. */
    void addWholeTransactions() {
        addTransactions(closed(), false);
    }

    /**
     * Adds the operations that decide whether indeterminate transactions count: all of their own, because a transaction
     * with an impossible read cannot have committed, and a reader of each of their writes, because they do not count
     * without a reader.
     *
     * @return whether there is an indeterminate transaction
     */
    boolean addOutcomes() {
        boolean any = false;
        for (int size = -1; operations.size() > size; ) {
            size = operations.size();
            int[] closed = closed();
            if (!addTransactions(closed, true)) {
                return any;
            }
            any = true;
            addReaders();
        }
        return any;
    }

    private boolean addTransactions(int[] closed, boolean indeterminate) {
        boolean any = false;
        int end = -1;
        for (int o : closed) {
            if (o >= end) {
                int t = HistorySelection.transactionOf(table, o);
                end = table.operationsEnd(t);
                if (!indeterminate || sources.isIndeterminate(t)) {
                    any = true;
                    for (int i = table.firstOperation(t); i < end; i++) {
                        operations.add(i);
                    }
                }
            }
        }
        return any;
    }

    /** For each write of an indeterminate transaction, the first committed read of its value; without one, any read. */
    private void addReaders() {
        Object2IntOpenHashMap<KeyValue> wanted = new Object2IntOpenHashMap<>();
        for (int o : operations) {
            if (table.isWrite(o) && sources.isIndeterminate(HistorySelection.transactionOf(table, o))) {
                wanted.put(new KeyValue(table.key(o), table.value(o)), -1);
            }
        }
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); sources.mayCount(t) && o < table.operationsEnd(t); o++) {
                if (!table.isWrite(o)) {
                    KeyValue read = new KeyValue(table.key(o), table.value(o));
                    int known = wanted.getOrDefault(read, Integer.MAX_VALUE);
                    if (known < 0
                            || (known != Integer.MAX_VALUE
                                    && sources.isIndeterminate(HistorySelection.transactionOf(table, known))
                                    && !sources.isIndeterminate(t))) {
                        wanted.put(read, o);
                    }
                }
            }
        }
        for (int o : wanted.values()) {
            if (o >= 0) {
                operations.add(o);
            }
        }
    }

    private record KeyValue(int key, long value) {}

    /** Adds the whole history. */
    void addAll() {
        for (int o = 0; o < table.operations(); o++) {
            operations.add(o);
        }
    }
}
