package org.polygraph.jobs.application;

import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryWithout;

/**
 * Reads that a history is judged without, because violations that are known need them: of some transactions all reads
 * of some keys and all queries with some conditions. If a violation needs none, as two inserts of one row, that its
 * inserts and deletes find a row or none; and if it needs no row either, the versions that the database gave to its
 * writes. Every write stays, so a violation of the rest is one of the history.
 */
final class LeftOut {
    static final LeftOut NOTHING = new LeftOut();

    /** By session and index of a transaction. */
    private final Long2ObjectOpenHashMap<Map<Long, Set<HistoryWithout.Read>>> reads = new Long2ObjectOpenHashMap<>();

    private int transactions;

    private LeftOut() {}

    private LeftOut(LeftOut other) {
        other.reads.forEach(
                (session, byIndex) -> byIndex.forEach((index, all) -> all.forEach(read -> add(session, index, read))));
    }

    private void add(long session, long index, HistoryWithout.Read read) {
        Map<Long, Set<HistoryWithout.Read>> byIndex = reads.computeIfAbsent(session, s -> new HashMap<>());
        Set<HistoryWithout.Read> all = byIndex.get(index);
        if (all == null) {
            all = new HashSet<>();
            byIndex.put(index, all);
            transactions++;
        }
        all.add(read);
    }

    /** These and all reads of a history. */
    LeftOut and(HistoryTable sub) {
        return and(sub, IntStream.range(0, sub.operations()).toArray());
    }

    /** What is left out of an operation; null for nothing. */
    private interface Part {
        HistoryWithout.@Nullable Read of(HistoryTable table, int operation);
    }

    /**
     * These and what some operations read. If they read nothing else, that is what their inserts and deletes find, and
     * if that is nothing else either, the versions of their writes.
     */
    LeftOut and(HistoryTable table, int[] operations) {
        LeftOut all = with(table, operations, HistoryWithout.Read::of);
        all = all.isSameAs(this) ? with(table, operations, HistoryWithout.Read::ofRow) : all;
        return all.isSameAs(this) ? with(table, operations, HistoryWithout.Read::ofVersion) : all;
    }

    private LeftOut with(HistoryTable table, int[] operations, Part part) {
        LeftOut all = new LeftOut(this);
        for (int o : operations) {
            HistoryWithout.Read read = part.of(table, o);
            if (read != null) {
                int t = HistorySelection.transactionOf(table, o);
                all.add(table.sessionLabel(table.sessionOf(t)), table.index(t), read);
            }
        }
        return all;
    }

    /** Whether these are the same reads. */
    boolean isSameAs(LeftOut other) {
        return reads.equals(other.reads);
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
    HistoryWithout of(HistoryTable whole) {
        return isEmpty()
                ? null
                : HistoryWithout.of(
                        whole, IntStream.range(0, whole.transactions()).toArray(), t -> {
                            Map<Long, Set<HistoryWithout.Read>> byIndex =
                                    reads.get(whole.sessionLabel(whole.sessionOf(t)));
                            return byIndex == null ? null : byIndex.get(whole.index(t));
                        });
    }

    /** Returns a history without these reads. */
    HistoryTable applied(HistoryTable whole) {
        HistoryWithout rest = of(whole);
        return rest == null ? whole : rest.table();
    }
}
