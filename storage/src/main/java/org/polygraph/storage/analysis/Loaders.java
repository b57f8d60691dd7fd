package org.polygraph.storage.analysis;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntArrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * The transactions that load the initial rows. They write the initial value and nothing else, so a read of that value
 * may have read from them or from the implicit initial transaction. As ordinary transactions they could be ordered
 * late, which hides lost updates and long forks; so they are made part of the initial transaction, before all others.
 *
 * <p>Recognized are committed transactions that only write, write nothing but the initial value, and are the first of
 * their session. With times, they end before every other transaction starts. Without times, each is the only one of its
 * session or they form the beginning of the input; then, as positions prove little, no other transaction that may count
 * writes an initial value, and no two of them write the same key. Together they write every key whose initial value is
 * read.
 *
 * <p>Time: linear in the sessions if no transaction has this form, else linear in the history.
 */
public final class Loaders {
    private final HistoryTable table;
    private final int[] transactions;
    private final int doubtful;
    private final String doubt;

    private Loaders(HistoryTable table, int[] transactions) {
        this(table, transactions, -1, "");
    }

    private Loaders(HistoryTable table, int[] transactions, int doubtful, String doubt) {
        this.table = table;
        this.transactions = transactions;
        this.doubtful = doubtful;
        this.doubt = doubt;
    }

    /**
     * Finds the loaders of a history.
     *
     * @param usesTimes whether timestamps may be used
     * @param clockSkewNanos bound on the difference between any two clocks
     * @throws HistoryException if the transaction that the choice names cannot be a loader
     */
    public static Loaders of(HistoryTable table, InitialChoice choice, boolean usesTimes, long clockSkewNanos)
            throws HistoryException {
        return switch (choice.kind()) {
            case IMPLICIT -> new Loaders(table, IntArrays.EMPTY_ARRAY);
            case NAMED -> new Loaders(table, new int[] {named(table, choice)});
            case AUTO -> recognized(table, usesTimes, clockSkewNanos);
        };
    }

    /** The loaders that {@link InitialChoice#AUTO} finds. */
    public static Loaders recognized(HistoryTable table, boolean usesTimes, long clockSkewNanos) {
        boolean byTime = usesTimes && table.starts() != null && table.ends() != null;
        IntArrayList candidates = new IntArrayList();
        for (int s = 0; s < table.sessions(); s++) {
            int t = table.firstTransaction(s);
            if (mayLoad(table, t)) {
                candidates.add(t);
            }
        }
        if (candidates.isEmpty()) {
            return new Loaders(table, IntArrays.EMPTY_ARRAY);
        }
        int[] all = candidates.toIntArray();
        int[] first = byTime ? earliest(table, all, clockSkewNanos) : foremost(table, all);
        Uses uses = new Uses(table, first);
        if (first.length == all.length || uses.isRead()) {
            String doubt = uses.doubt(!byTime);
            return doubt.isEmpty()
                    ? new Loaders(table, uses.isRead() ? first : IntArrays.EMPTY_ARRAY)
                    : new Loaders(table, IntArrays.EMPTY_ARRAY, first[0], doubt);
        }
        return new Uses(table, all).isRead()
                ? new Loaders(
                        table,
                        IntArrays.EMPTY_ARRAY,
                        all[0],
                        onlyInitial(table, all)
                                + (byTime
                                        ? "other transactions start before that ends"
                                        : "that is neither alone in its session nor at the beginning of the input"))
                : new Loaders(table, IntArrays.EMPTY_ARRAY);
    }

    /** The numbers of the loaders, ascending. */
    public int[] transactions() {
        return transactions;
    }

    /** Returns the first transaction that {@link #doubt} is about; -1 if there is none. */
    public int doubtful() {
        return doubtful;
    }

    /**
     * Returns one line with the reason why transactions that write only initial values are not loaders; empty if there
     * are no such transactions.
     */
    public String doubt() {
        return doubt;
    }

    /** The history with the loaders as a part of the initial transaction; the same table if there are none. */
    public HistoryTable applied() {
        return transactions.length == 0 ? table : table.withStatus(transactions, TransactionStatus.INITIAL);
    }

    /** Describes the loaders: {@code session 0, index 3 (s0#3) and 2 others load the initial rows}. */
    public String statement() {
        return names(table, transactions) + (transactions.length == 1 ? " loads" : " load") + " the initial rows";
    }

    private static String onlyInitial(HistoryTable table, int[] of) {
        return names(table, of) + (of.length == 1 ? " writes" : " write") + " only initial values, but ";
    }

    private static String names(HistoryTable table, int[] of) {
        return name(table, of[0])
                + (of.length == 1 ? "" : " and " + (of.length - 1) + (of.length == 2 ? " other" : " others"));
    }

    private static String name(HistoryTable table, int t) {
        long session = table.sessionLabel(table.sessionOf(t));
        return "session " + session + ", index " + table.index(t) + " (s" + session + "#" + table.index(t) + ")";
    }

    private static int named(HistoryTable table, InitialChoice choice) throws HistoryException {
        String expected = "a committed transaction that writes nothing but the initial value "
                + table.values().label(table.initialValue());
        for (int s = 0; s < table.sessions(); s++) {
            if (table.sessionLabel(s) != choice.session()) {
                continue;
            }
            for (int t = table.firstTransaction(s); t < table.transactionsEnd(s); t++) {
                if (table.index(t) != choice.index()) {
                    continue;
                }
                String other = table.status(t) == TransactionStatus.COMMITTED
                        ? notInitial(table, t)
                        : "an outcome that is " + table.status(t).label();
                if (other != null) {
                    throw new HistoryException(
                            table.whereIs(t),
                            other + " in the transaction that --initial " + choice.label() + " names",
                            expected,
                            "state the initial value in the header of the history, or name another transaction");
                }
                return t;
            }
        }
        throw new HistoryException(
                table.source().files().isEmpty()
                        ? "history"
                        : table.source().files().get(0),
                "no transaction with the session and the index that --initial " + choice.label() + " names",
                expected,
                "give SESSION#INDEX as the history has them");
    }

    /** Whether a transaction is committed and only writes initial values. */
    public static boolean mayLoad(HistoryTable table, int t) {
        return table.status(t) == TransactionStatus.COMMITTED && notInitial(table, t) == null;
    }

    /** Describes an operation that no loader has; null if there is none. */
    private static @Nullable String notInitial(HistoryTable table, int t) {
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            // At first there is no row where the initial value of the key is null.
            boolean changesRow = table.isDelete(o) || (table.isInsert(o) && !table.existsAtFirst(table.key(o)));
            if (!table.isWrite(o) || table.value(o) != table.initialValue(table.key(o)) || changesRow) {
                return "a " + (table.isWrite(o) ? "write" : "read") + " of key "
                        + table.keys().label(table.key(o)) + " with value "
                        + table.values().label(table.value(o));
            }
        }
        return table.firstOperation(t) == table.operationsEnd(t) ? "a transaction without operations" : null;
    }

    /** Returns the candidates that end before all other transactions start. */
    private static int[] earliest(HistoryTable table, int[] candidates, long clockSkewNanos) {
        long[] starts = table.starts();
        long[] ends = table.ends();
        if (starts == null || ends == null) {
            return IntArrays.EMPTY_ARRAY;
        }
        IntArrayList ended = new IntArrayList();
        long start = Long.MAX_VALUE;
        for (int t = 0, next = 0; t < starts.length; t++) {
            boolean isCandidate = next < candidates.length && candidates[next] == t;
            next += isCandidate ? 1 : 0;
            if (isCandidate && ends[t] != HistoryTable.NO_TIME) {
                ended.add(t);
            } else {
                // NO_TIME is the least number: a transaction without a start may have been first.
                start = Math.min(start, starts[t]);
            }
        }
        int[] byEnd = ended.toIntArray();
        IntArrays.unstableSort(byEnd, (a, b) -> Long.compare(ends[a], ends[b]));
        int kept = byEnd.length;
        while (kept > 0 && !precedes(ends[byEnd[kept - 1]], start, clockSkewNanos)) {
            kept--;
            start = Math.min(start, starts[byEnd[kept]]);
        }
        int[] found = IntArrays.copy(byEnd, 0, kept);
        IntArrays.unstableSort(found);
        return found;
    }

    private static boolean precedes(long end, long start, long clockSkewNanos) {
        return end < start && Long.compareUnsigned(start - end, clockSkewNanos) > 0;
    }

    /**
     * Returns the candidates that are the only one of their session, or come before all other transactions in the
     * input.
     */
    private static int[] foremost(HistoryTable table, int[] candidates) {
        long position = Long.MAX_VALUE;
        for (int t = 0, next = 0; t < table.transactions(); t++) {
            if (next < candidates.length && candidates[next] == t) {
                next++;
            } else {
                position = Math.min(position, table.sourceOf(t));
            }
        }
        int[] byPosition = candidates.clone();
        IntArrays.unstableSort(byPosition, (a, b) -> Long.compare(table.sourceOf(b), table.sourceOf(a)));
        IntArrayList found = new IntArrayList();
        for (int t : byPosition) {
            int session = table.sessionOf(t);
            if (table.transactionsEnd(session) - table.firstTransaction(session) == 1 || table.sourceOf(t) < position) {
                found.add(t);
            } else {
                position = Math.min(position, table.sourceOf(t));
            }
        }
        int[] ascending = found.toIntArray();
        IntArrays.unstableSort(ascending);
        return ascending;
    }

    /** What other transactions do with the keys of loaders. */
    private static final class Uses {
        private final HistoryTable table;
        private final int[] loaders;
        private boolean isRead;
        private int reader = -1;
        private int missing = -1;
        private int writer = -1;
        private int twice = -1;

        Uses(HistoryTable table, int[] loaders) {
            this.table = table;
            this.loaders = loaders;
            BitSet keys = new BitSet(table.keys().size());
            for (int loader : loaders) {
                BitSet own = new BitSet();
                for (int o = table.firstOperation(loader); o < table.operationsEnd(loader); o++) {
                    own.set(table.key(o));
                }
                if (keys.intersects(own)) {
                    twice = loader;
                }
                keys.or(own);
            }
            for (int t = 0, next = 0; t < table.transactions(); t++) {
                if (next < loaders.length && loaders[next] == t) {
                    next++;
                } else if (table.status(t) != TransactionStatus.ABORTED) {
                    use(t, keys);
                }
            }
        }

        private void use(int t, BitSet keys) {
            int from = table.firstOperation(t);
            for (int o = from; o < table.operationsEnd(t); o++) {
                if (table.value(o) != table.initialValue(table.key(o))) {
                    continue;
                }
                int key = table.key(o);
                if (table.isWrite(o)) {
                    writer = t;
                } else if (keys.get(key)) {
                    isRead = true;
                } else if (missing < 0 && !isOwn(from, o)) {
                    reader = t;
                    missing = key;
                }
            }
        }

        /** Whether the transaction of a read has written its key before. */
        private boolean isOwn(int from, int read) {
            for (int o = read - 1; o >= from; o--) {
                if (table.isWriteOf(o, table.key(read))) {
                    return true;
                }
            }
            return false;
        }

        /** Whether a transaction reads an initial value that loaders write. */
        boolean isRead() {
            return isRead;
        }

        /** Returns the reason why the candidates are not loaders; empty if they are, or if it makes no difference. */
        String doubt(boolean isOnce) {
            if (!isRead) {
                return "";
            }
            String names = onlyInitial(table, loaders);
            if (missing >= 0) {
                return names + "not key " + table.keys().label(missing) + ", whose initial value " + name(table, reader)
                        + " reads";
            }
            if (isOnce && writer >= 0) {
                return names + name(table, writer) + " writes an initial value too";
            }
            return isOnce && twice >= 0 ? names + name(table, twice) + " writes a key of another of them" : "";
        }
    }
}
