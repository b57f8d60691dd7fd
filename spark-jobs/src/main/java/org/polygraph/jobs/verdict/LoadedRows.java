package org.polygraph.jobs.verdict;

import java.util.ArrayList;
import java.util.List;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * The transactions that load the initial rows: they are taken for a part of the initial transaction.
 *
 * @param first the first of them, such as {@code s0#3}, at most {@value #NAMED}
 * @param effect what a VIOLATION owes to them
 */
public record LoadedRows(InitialChoice choice, int count, List<String> first, Effect effect) {
    private static final int NAMED = 10;

    /** What becomes of a VIOLATION if loaders are ordinary transactions. */
    public enum Effect {
        /** It stays, or there are no loaders, or the verdict is none. */
        NONE,
        /** The history keeps the level. */
        DECISIVE,
        /** A budget ended before that was decided. */
        OPEN
    }

    public LoadedRows {
        first = List.copyOf(first);
    }

    /** No loaders. */
    public static LoadedRows none(InitialChoice choice) {
        return new LoadedRows(choice, 0, List.of(), Effect.NONE);
    }

    /** Those of a history in which they have the status {@link TransactionStatus#INITIAL}. */
    public static LoadedRows of(HistoryTable table, InitialChoice choice) {
        byte[] statuses = table.statuses();
        List<String> names = new ArrayList<>();
        int count = 0;
        for (int t = 0; t < statuses.length; t++) {
            if (statuses[t] == TransactionStatus.INITIAL.code() && count++ < NAMED) {
                names.add("s" + table.sessionLabel(table.sessionOf(t)) + "#" + table.index(t));
            }
        }
        return new LoadedRows(choice, count, names, Effect.NONE);
    }

    /** The same with another effect. */
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
