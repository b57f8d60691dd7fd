package org.polygraph.jobs.application;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;

/**
 * Reads that a history is judged without, because violations that are known need them: of some transactions all reads
 * of some keys. Every write stays, so a violation of the rest is one of the history.
 */
final class LeftOut {
    static final LeftOut NOTHING = new LeftOut();

    /** By session and index of a transaction: the labels of the keys. */
    private final Long2ObjectOpenHashMap<Map<Long, Set<String>>> keys = new Long2ObjectOpenHashMap<>();

    private int transactions;

    private LeftOut() {}

    private LeftOut(LeftOut other) {
        addAll(other);
    }

    private void addAll(LeftOut other) {
        other.keys.forEach((session, byIndex) ->
                byIndex.forEach((index, labels) -> labels.forEach(label -> add(session, index, label))));
    }

    private void add(long session, long index, String key) {
        Map<Long, Set<String>> byIndex = keys.computeIfAbsent(session, s -> new HashMap<>());
        Set<String> labels = byIndex.get(index);
        if (labels == null) {
            labels = new HashSet<>();
            byIndex.put(index, labels);
            transactions++;
        }
        labels.add(key);
    }

    /** These and others. */
    LeftOut and(LeftOut other) {
        if (other.isEmpty() || isEmpty()) {
            return isEmpty() ? other : this;
        }
        LeftOut all = new LeftOut(this);
        all.addAll(other);
        return all;
    }

    /** These and all reads of a history. */
    LeftOut and(HistoryTable reads) {
        return and(reads, IntStream.range(0, reads.operations()).toArray());
    }

    /** These and those of some operations that are reads. */
    LeftOut and(HistoryTable table, int[] operations) {
        LeftOut all = new LeftOut(this);
        for (int o : operations) {
            if (!table.isWrite(o) && !table.isImplied(o)) {
                int t = HistorySelection.transactionOf(table, o);
                all.add(
                        table.sessionLabel(table.sessionOf(t)),
                        table.index(t),
                        table.keys().label(table.key(o)));
            }
        }
        return all;
    }

    /** Whether these are the same reads. */
    boolean isSameAs(LeftOut other) {
        return keys.equals(other.keys);
    }

    boolean isEmpty() {
        return transactions == 0;
    }

    /** The number of transactions. */
    int transactions() {
        return transactions;
    }

    /** Returns a history without these reads; null if it has none of them. */
    @Nullable
    HistorySelection of(HistoryTable whole) {
        IntArrayList kept = new IntArrayList(isEmpty() ? 0 : whole.operations());
        for (int s = 0; s < whole.sessions() && !isEmpty(); s++) {
            Map<Long, Set<String>> byIndex = keys.get(whole.sessionLabel(s));
            for (int t = whole.firstTransaction(s); t < whole.transactionsEnd(s); t++) {
                Set<String> labels = byIndex == null ? null : byIndex.get(whole.index(t));
                for (int o = whole.firstOperation(t); o < whole.operationsEnd(t); o++) {
                    if (labels == null
                            || whole.isWrite(o)
                            || !labels.contains(whole.keys().label(whole.key(o)))) {
                        kept.add(o);
                    }
                }
            }
        }
        return isEmpty() || kept.size() == whole.operations()
                ? null
                : HistorySelection.of(
                        whole, IntStream.range(0, whole.transactions()).toArray(), kept.toIntArray());
    }

    /** Returns a history without these reads. */
    HistoryTable applied(HistoryTable whole) {
        HistorySelection rest = of(whole);
        return rest == null ? whole : rest.table();
    }
}
