package org.polygraph.storage.analysis;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntArrays;
import java.util.BitSet;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.RecordedSelection;

/**
 * The transactions that load the initial rows. They write the initial value and nothing else (in a history with rows, a
 * write of null leaves a row, where there is none at first), so a read of that value
 * may have read from them or from the implicit initial transaction. As ordinary transactions they could be ordered
 * late, which hides lost updates and long forks; so they are made part of the initial transaction, before all others.
 *
 * <p>Recognized are committed transactions that only write, write nothing but the initial value, and have no other
 * transactions before them in their session: a session may load each row in a transaction of its own. With times, they
 * end before every other transaction starts. Without times, they are all transactions of their session or they form the
 * beginning of the input; then, as positions prove little, no other transaction that may count writes an initial value,
 * and no two of them write the same key. Together they write every key whose initial value is read.
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
            case NAMED -> new Loaders(table, named(table, choice));
            case AUTO -> recognized(table, usesTimes, clockSkewNanos);
        };
    }

    /** The loaders that {@link InitialChoice#AUTO} finds. */
    public static Loaders recognized(HistoryTable table, boolean usesTimes, long clockSkewNanos) {
        if (RecordedSelection.isPart(table)) {
            return new Loaders(table, IntArrays.EMPTY_ARRAY);
        }
        boolean byTime = usesTimes && table.starts() != null && table.ends() != null;
        int[] all = candidates(table, TransactionStatus.COMMITTED);
        if (all.length == 0) {
            return ofUnknownOutcome(table);
        }
        int[] first = byTime ? earliest(table, all, clockSkewNanos) : foremost(table, all);
        Uses uses = new Uses(table, first);
        if (first.length == all.length || uses.isRead()) {
            String doubt = uses.doubt(!byTime);
            return doubt.isEmpty()
                    ? uses.isRead() ? new Loaders(table, first) : ofUnknownOutcome(table)
                    : new Loaders(table, IntArrays.EMPTY_ARRAY, first[0], doubt);
        }
        return new Uses(table, all).isRead()
                ? new Loaders(
                        table,
                        IntArrays.EMPTY_ARRAY,
                        all[0],
                        onlyInitial(table, all)
                                + (byTime
                                        ? "other transactions start before its end"
                                        : "its session has other transactions, and others come before it in the input"))
                : ofUnknownOutcome(table);
    }

    /** Returns the result without loaders. Transactions of unknown outcome cannot be loaders, so a doubt names them. */
    private static Loaders ofUnknownOutcome(HistoryTable table) {
        int[] unknown = candidates(table, TransactionStatus.INDETERMINATE);
        return unknown.length > 0 && new Uses(table, unknown).isRead()
                ? new Loaders(
                        table,
                        IntArrays.EMPTY_ARRAY,
                        unknown[0],
                        onlyInitial(table, unknown)
                                + (unknown.length == 1 ? "its outcome is unknown" : "their outcomes are unknown"))
                : new Loaders(table, IntArrays.EMPTY_ARRAY);
    }

    /**
     * Returns, ascending, the transactions at the beginning of each session that have this outcome and only write
     * initial values.
     */
    private static int[] candidates(HistoryTable table, TransactionStatus outcome) {
        IntArrayList candidates = new IntArrayList();
        for (int s = 0; s < table.sessions(); s++) {
            for (int t = table.firstTransaction(s);
                    t < table.transactionsEnd(s) && table.status(t) == outcome && notInitial(table, t) == null;
                    t++) {
                candidates.add(t);
            }
        }
        return candidates.toIntArray();
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
        return statement(table.name(transactions[0]), transactions.length);
    }

    /** The same of the first of some transactions by its name, such as {@code s0#3}. */
    public static String statement(String name, int count) {
        int mark = name.indexOf('#');
        return "session " + name.substring(1, mark) + ", index " + name.substring(mark + 1) + " (" + name + ")"
                + others(count) + (count == 1 ? " loads" : " load") + " the initial rows";
    }

    private static String others(int count) {
        return count == 1 ? "" : " and " + (count - 1) + (count == 2 ? " other" : " others");
    }

    private static String onlyInitial(HistoryTable table, int[] of) {
        return names(table, of) + (of.length == 1 ? " writes" : " write") + " only initial values, but ";
    }

    private static String names(HistoryTable table, int[] of) {
        return name(table, of[0]) + others(of.length);
    }

    private static String name(HistoryTable table, int t) {
        long session = table.sessionLabel(table.sessionOf(t));
        return "session " + session + ", index " + table.index(t) + " (" + table.name(t) + ")";
    }

    /** Returns the named transaction, and those before it in its session if all of them only write initial values. */
    private static int[] named(HistoryTable table, InitialChoice choice) throws HistoryException {
        String expected = "a transaction that is not aborted and writes nothing but the initial value "
                + table.values().label(table.initialValue());
        for (int s = 0; s < table.sessions(); s++) {
            if (table.sessionLabel(s) != choice.session()) {
                continue;
            }
            for (int t = table.firstTransaction(s); t < table.transactionsEnd(s); t++) {
                if (table.index(t) != choice.index()) {
                    continue;
                }
                String other = table.status(t) == TransactionStatus.ABORTED
                        ? "an outcome that is " + table.status(t).label()
                        : notInitial(table, t);
                if (other != null) {
                    throw new HistoryException(
                            table.whereIs(t),
                            other + " in the transaction that --initial " + choice.label() + " names",
                            expected,
                            "state the initial value in the header of the history, or name another transaction");
                }
                int from = t;
                while (from > table.firstTransaction(s) && mayLoad(table, from - 1)) {
                    from--;
                }
                IntArrayList found = new IntArrayList();
                for (int each = from == table.firstTransaction(s) ? from : t; each <= t; each++) {
                    found.add(each);
                }
                return found.toIntArray();
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
        boolean hasRows = table.hasRows() || table.values().hasPredicates() || table.unknownRows() != null;
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            // At first there is no row where the initial value of the key is null, and a write leaves one, also of
            // null.
            boolean changesRow = table.isDelete(o) || (hasRows && !table.existsAtFirst(table.key(o)));
            boolean isOther =
                    table.isAppend(o) || table.isAddition(o) || table.value(o) != table.initialValue(table.key(o));
            if (!table.isWrite(o) || isOther || changesRow) {
                return "a " + (table.isWrite(o) ? "write" : "read") + " of key "
                        + table.keys().label(table.key(o)) + " with value "
                        + table.label(table.key(o), table.value(o));
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
        // NO_TIME is the least number: a transaction without a start may have been first.
        return preceding(
                table,
                candidates,
                t -> ends[t],
                t -> starts[t],
                (end, start) -> end != HistoryTable.NO_TIME
                        && end < start
                        && Long.compareUnsigned(start - end, clockSkewNanos) > 0);
    }

    /** Returns the candidates that are all transactions of their session, or come before all others in the input. */
    private static int[] foremost(HistoryTable table, int[] candidates) {
        IntArrayList whole = new IntArrayList();
        IntArrayList others = new IntArrayList();
        for (int i = 0; i < candidates.length; ) {
            int session = table.sessionOf(candidates[i]);
            int from = i;
            while (i < candidates.length && table.sessionOf(candidates[i]) == session) {
                i++;
            }
            boolean isWhole = i - from == table.transactionsEnd(session) - table.firstTransaction(session);
            IntArrayList to = isWhole ? whole : others;
            to.addElements(to.size(), candidates, from, i - from);
        }
        BitSet isWhole = new BitSet();
        whole.forEach(isWhole::set);
        int[] first = preceding(
                table,
                others.toIntArray(),
                table::sourceOf,
                t -> isWhole.get(t) ? Long.MAX_VALUE : table.sourceOf(t),
                (position, other) -> position < other);
        whole.addElements(whole.size(), first);
        int[] found = whole.toIntArray();
        IntArrays.unstableSort(found);
        return found;
    }

    /**
     * Whether the end of a candidate precedes the start of every other transaction. Ends and starts are times or
     * positions.
     */
    @FunctionalInterface
    private interface Precedes {
        boolean holds(long last, long first);
    }

    /**
     * Drops candidates, and those that follow them in their session, until all that are left precede all other
     * transactions.
     *
     * @param candidates ascending; with each, all before it in its session
     * @return ascending
     */
    private static int[] preceding(
            HistoryTable table, int[] candidates, IntToLongFunction last, IntToLongFunction first, Precedes precedes) {
        BitSet left = new BitSet();
        for (int t : candidates) {
            left.set(t);
        }
        long bound = Long.MAX_VALUE;
        for (int t = left.nextClearBit(0); t < table.transactions(); t = left.nextClearBit(t + 1)) {
            bound = Math.min(bound, first.applyAsLong(t));
        }
        for (int t : candidates) {
            if (left.get(t) && !precedes.holds(last.applyAsLong(t), Long.MAX_VALUE)) {
                bound = Math.min(bound, drop(table, left, t, first));
            }
        }
        int[] byLast = candidates.clone();
        IntArrays.mergeSort(byLast, (a, b) -> Long.compare(last.applyAsLong(b), last.applyAsLong(a)));
        for (int t : byLast) {
            if (left.get(t)) {
                if (precedes.holds(last.applyAsLong(t), bound)) {
                    break;
                }
                bound = Math.min(bound, drop(table, left, t, first));
            }
        }
        IntArrayList kept = new IntArrayList(left.cardinality());
        for (int t = left.nextSetBit(0); t >= 0; t = left.nextSetBit(t + 1)) {
            kept.add(t);
        }
        return kept.toIntArray();
    }

    /** Drops a candidate and those that follow it in its session. @return the least start of these */
    private static long drop(HistoryTable table, BitSet left, int t, IntToLongFunction first) {
        long bound = Long.MAX_VALUE;
        for (int later = t; later < table.transactionsEnd(table.sessionOf(t)) && left.get(later); later++) {
            left.clear(later);
            bound = Math.min(bound, first.applyAsLong(later));
        }
        return bound;
    }

    /** The operations of other transactions on the keys of loaders. */
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
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (table.value(o) != table.initialValue(table.key(o))) {
                    continue;
                }
                int key = table.key(o);
                if (table.isWrite(o)) {
                    writer = t;
                } else if (keys.get(key)) {
                    isRead = true;
                } else if (missing < 0 && table.lastWrite(t, key, o) < 0) {
                    reader = t;
                    missing = key;
                }
            }
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
