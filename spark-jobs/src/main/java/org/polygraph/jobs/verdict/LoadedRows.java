package org.polygraph.jobs.verdict;

import java.util.ArrayList;
import java.util.List;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * The transactions that load the initial rows. They count as a part of the initial transaction.
 *
 * @param first the first of them, such as {@code s0#3}, at most {@value #NAMED}
 * @param effect how a VIOLATION depends on them
 */
public record LoadedRows(InitialChoice choice, int count, List<String> first, Effect effect) {
    /** The most transactions that {@link #first} names. */
    public static final int NAMED = 10;

    /** The effect of taking loaders as ordinary transactions on a VIOLATION. */
    public enum Effect {
        /** The VIOLATION remains, or there are no loaders, or the verdict is not a VIOLATION. */
        NONE,
        /** The history keeps the level. */
        DECISIVE,
        /** A budget ended before this was decided. */
        OPEN
    }

    public LoadedRows {
        first = List.copyOf(first);
    }

    /** Returns the value for no loaders. */
    public static LoadedRows none(InitialChoice choice) {
        return new LoadedRows(choice, 0, List.of(), Effect.NONE);
    }

    /** Returns the loaders of a history in which they have the status {@link TransactionStatus#INITIAL}. */
    public static LoadedRows of(HistoryTable table, InitialChoice choice) {
        byte[] statuses = table.statuses();
        List<String> names = new ArrayList<>();
        int count = 0;
        for (int t = 0; t < statuses.length; t++) {
            if (statuses[t] == TransactionStatus.INITIAL.code() && count++ < NAMED) {
                names.add(table.name(t));
            }
        }
        return new LoadedRows(choice, count, names, Effect.NONE);
    }

    /** Returns the same with another effect. */
    public LoadedRows with(Effect other) {
        return new LoadedRows(choice, count, first, other);
    }

    /** {@code s0#0, s1#0 and 3 others}. */
    public String names() {
        String names = String.join(", ", first);
        int others = count - first.size();
        return others == 0 ? names : names + " and " + others + (others == 1 ? " other" : " others");
    }
}
