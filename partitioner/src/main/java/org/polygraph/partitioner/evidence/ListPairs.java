package org.polygraph.partitioner.evidence;

import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.EdgeKind;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.ListVersions;

/** The transactions of which lists or versions show that the one commits before the other, with their writes. */
final class ListPairs {
    private final HistoryTable table;
    private final @Nullable ListVersions lists;
    /** By the two transactions: their appends. */
    private final Long2LongOpenHashMap shown = new Long2LongOpenHashMap();

    ListPairs(HistoryTable table) {
        this.table = table;
        this.lists = table.listVersions();
        ListVersions versions = lists;
        if (versions != null) {
            versions.pairs((first, second, isShown) -> shown.putIfAbsent(
                    pair(versions.transaction(first), versions.transaction(second)), pair(first, second)));
        }
    }

    private static long pair(int first, int second) {
        return (long) first << Integer.SIZE | second;
    }

    /** The edge between two transactions whose appends lists show in this order; null if none does. */
    @Nullable
    Dependency between(int from, int to) {
        ListVersions versions = lists;
        long appends = shown.getOrDefault(pair(from, to), ListVersions.NONE);
        return versions == null || appends == ListVersions.NONE
                ? null
                : of(versions, (int) (appends >> Integer.SIZE), (int) appends);
    }

    /** @param second a recorded append that comes after the first one in the order of versions */
    private Dependency of(ListVersions versions, int first, int second) {
        HistoryTable recorded = versions.recorded();
        int key = recorded.key(first);
        if (versions.isGiven(first)) {
            return new Dependency(
                    versions.transaction(first),
                    versions.transaction(second),
                    EdgeKind.WW,
                    key,
                    recorded.value(first),
                    "observed: the database gave its write a later version");
        }
        String reader = table.name(versions.transaction(versions.longestRead(key)));
        String before = table.values().label(recorded.value(first));
        String after = table.values().label(recorded.value(second));
        int from = versions.transaction(first);
        return new Dependency(
                from,
                versions.transaction(second),
                EdgeKind.WW,
                key,
                table.value(table.lastWrite(from, key)),
                versions.place(second) != ListVersions.NONE
                        ? "observed: a list that " + reader + " read has " + after + " behind " + before
                        : "observed: a list that " + reader + " read has " + before + " and not " + after);
    }
}
