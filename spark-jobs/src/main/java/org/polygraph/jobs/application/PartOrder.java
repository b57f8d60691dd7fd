package org.polygraph.jobs.application;

import it.unimi.dsi.fastutil.longs.Long2LongMap;
import it.unimi.dsi.fastutil.longs.Long2LongMaps;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/** Finds out whether a part of a chain is missing, or may have been given in the wrong order. */
final class PartOrder {
    private PartOrder() {}

    /**
     * Requires that no part is missing between two others, as far as the indexes of sessions show.
     *
     * @param table all parts
     */
    static void requireNoGap(HistoryTable table) throws HistoryException {
        int missing = missing(table, Long2LongMaps.EMPTY_MAP);
        if (missing >= 0) {
            throw new HistoryException(
                    table.whereIs(missing),
                    "session " + table.sessionLabel(table.sessionOf(missing)) + " continuing with index "
                            + table.index(missing) + " after index " + table.index(missing - 1) + " of "
                            + table.whereIs(missing - 1),
                    "the next index, as within the parts",
                    "a part is missing: check it first, or give --after the run of what came directly before");
        }
    }

    /**
     * Returns the first transaction before which others of its session are missing; -1 if there is none. If the indexes
     * of sessions have no gap within a part, one between two parts shows that a part is missing. A part has a gap within
     * even if a later part fills it, as a late transaction does.
     *
     * @param ends by session: the last index before the history. Transactions up to it do not count.
     */
    static int missing(HistoryTable table, Long2LongMap ends) {
        int missing = -1;
        int[] lastOfFile = new int[table.source().files().size()];
        Arrays.fill(lastOfFile, -1);
        for (int s = 0; s < table.sessions(); s++) {
            long session = table.sessionLabel(s);
            boolean hasLast = ends.containsKey(session);
            long last = ends.get(session);
            int first = table.firstTransaction(s);
            while (hasLast && first < table.transactionsEnd(s) && table.index(first) <= last) {
                first++;
            }
            for (int t = first; t < table.transactionsEnd(s); t++) {
                int file = table.fileOf(t);
                int within = lastOfFile[file];
                lastOfFile[file] = t;
                if (within >= first && table.index(t) != table.index(within) + 1) {
                    return -1;
                }
                boolean isNext =
                        t == first ? !hasLast || table.index(t) == last + 1 : table.index(t) == table.index(t - 1) + 1;
                missing = isNext || missing >= 0 ? missing : t;
            }
        }
        return missing;
    }

    /**
     * States that the verdict on a PATH is of earlier parts too, and if they may be in the wrong order.
     *
     * @param count of earlier parts
     * @param table of all parts that were read; null if there is none
     */
    static void state(OnePath path, int count, @Nullable HistoryTable table) {
        path.listener()
                .notice(path.name() + ": the verdict covers the " + count + " earlier "
                        + (count == 1 ? "part" : "parts") + " too");
        String late = table == null ? null : late(table, path.name());
        if (late != null) {
            path.listener().notice(late);
        }
    }

    /**
     * Describes the first transaction of the last part that precedes one of an earlier part in its session, or else one
     * of an earlier part that started after all of the last part had ended. Null if there is none. The verdict is of
     * all of them, but the parts may have been given in the wrong order.
     */
    private static @Nullable String late(HistoryTable table, String last) {
        boolean[] isOfLast = OpenReads.filesOf(table, last);
        for (int t = 1; t < table.transactions(); t++) {
            if (table.sessionOf(t) == table.sessionOf(t - 1)
                    && isOfLast[table.fileOf(t - 1)]
                    && !isOfLast[table.fileOf(t)]) {
                return table.whereIs(t - 1) + " precedes " + table.whereIs(t) + " of an earlier part in session "
                        + table.sessionLabel(table.sessionOf(t))
                        + "; the verdict is of the sessions in order, but check"
                        + " whether the parts were given in theirs";
            }
        }
        int later = startedAfter(table, isOfLast);
        return later < 0
                ? null
                : last + ": all its transactions ended before " + Names.transaction(table, later)
                        + " of an earlier part started; the verdict is of both parts, but check whether they were given"
                        + " in their order";
    }

    /**
     * Returns the transaction of an earlier part that started last, if all of the last part had ended before; else -1.
     */
    private static int startedAfter(HistoryTable table, boolean[] isOfLast) {
        long[] starts = table.starts();
        long[] ends = table.ends();
        if (starts == null || ends == null) {
            return -1;
        }
        int found = -1;
        long end = Long.MIN_VALUE;
        for (int t = 0; t < table.transactions(); t++) {
            if (isOfLast[table.fileOf(t)]) {
                end = Math.max(end, ends[t] == HistoryTable.NO_TIME ? Long.MAX_VALUE : ends[t]);
            } else if (starts[t] != HistoryTable.NO_TIME && (found < 0 || starts[t] > starts[found])) {
                found = t;
            }
        }
        return found >= 0 && end < starts[found] ? found : -1;
    }
}
