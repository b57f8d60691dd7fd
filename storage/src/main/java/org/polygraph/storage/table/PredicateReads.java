package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongSet;
import it.unimi.dsi.fastutil.longs.LongSets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.HistoryException;

/**
 * The predicates of a history. Single pairs of a condition and a row become reads, see {@link PredicateResolution}. A
 * history with only some of these reads requires less than the predicates do: if no order explains it, none explains
 * the history. An order that explains it explains the history if {@link #wrong} finds nothing.
 */
public final class PredicateReads {
    /** The names of keys that express a condition on a row begin with it; then come the label of the row and a space. */
    public static final String ROW = "row ";

    /** Between the label of a pair and that of a value that a version has to have besides. */
    static final String WITH_VALUE = " with value ";

    /** The value of a pair's key where the row matches. */
    static final String YES = "yes";
    /** Up to this many operations all pairs become reads at once. */
    private static final long MOST_AT_ONCE = 1 << 21;

    /** The history as it was recorded. */
    private final HistoryTable raw;

    private final Predicates predicates;
    private final RowVersions versions;
    private final PairKeys keys;
    private final boolean areAllRead;
    /** Whether conditions that the same versions of a row match have one key. */
    private final boolean isShared;

    private @Nullable ReplayedRows rows;

    private PredicateReads(
            HistoryTable raw,
            Predicates predicates,
            RowVersions versions,
            PairKeys keys,
            boolean areAllRead,
            boolean isShared) {
        this.raw = raw;
        this.predicates = predicates;
        this.versions = versions;
        this.keys = keys;
        this.areAllRead = areAllRead;
        this.isShared = isShared;
    }

    /**
     * The table with reads and writes in place of the codes that stand for predicates, and without those of columns.
     */
    static HistoryTable of(HistoryTable table, Predicates predicates) throws HistoryException {
        Recorded recorded = new Recorded(table.keys(), table.keys().size(), table.allOperations(), predicates);
        if (predicates.hasUnknown()) {
            return UnknownRows.of(table, predicates).with(recorded);
        }
        HistoryTable plain =
                table.with(table.allOperations().without(Predicates::isStandIn)).with(recorded);
        if (predicates.size() == 0) {
            return plain;
        }
        plain.values().markPredicates();
        RowVersions versions = new RowVersions(table, predicates);
        boolean areFew = areFew(predicates, versions);
        PairKeys keys = new PairKeys(table.keys(), predicates);
        PredicateReads reads = new PredicateReads(table, predicates, versions, keys, areFew, areFew);
        return areFew ? reads.resolved(plain, null) : plain.with(reads);
    }

    private static boolean areFew(Predicates predicates, RowVersions versions) {
        int[] uses = new int[predicates.conditions()];
        long least = 0;
        for (int p = 0; p < predicates.size() && least <= MOST_AT_ONCE; p++) {
            int c = predicates.conditionOf(p);
            // The rows of a result match some version, so they are among those that are counted below.
            least += predicates.keysEnd(p) - predicates.firstKey(p);
            for (int at = predicates.firstKey(p); at < predicates.keysEnd(p) && uses[c] == 0; at++) {
                least += versions.writes(predicates.keyAt(at));
            }
            uses[c]++;
        }
        if (least > MOST_AT_ONCE) {
            return false;
        }
        long operations = 0;
        for (int c = 0; c < uses.length && operations <= MOST_AT_ONCE; c++) {
            for (int row : versions.candidates(predicates.condition(c))) {
                operations += uses[c] + versions.writes(row);
            }
        }
        return operations <= MOST_AT_ONCE;
    }

    /** Whether all pairs that may matter became reads when the history was read. */
    public boolean areAllRead() {
        return areAllRead;
    }

    /** Returns the key of the row if a key is that of a pair; else -1. */
    public int rowOf(int key) {
        return (int) keys.pairOf(key);
    }

    /**
     * Whether a key of a history states if a row matches a condition, also in a part in which conditions are written as such
     * keys.
     */
    public static boolean isPair(HistoryTable history, int key) {
        PredicateReads reads = history.predicates();
        return reads == null
                ? RecordedSelection.isPart(history)
                        && history.keys().isString(key)
                        && history.keys().string(key).startsWith(ROW)
                : reads.rowOf(key) >= 0;
    }

    /** Whether a key of a history states if this row matches a condition, see {@link #isPair}. */
    public static boolean isPairOf(HistoryTable history, int key, int row) {
        PredicateReads reads = history.predicates();
        return isPair(history, key)
                && (reads == null
                        ? history.keys()
                                .string(key)
                                .startsWith(ROW + history.keys().label(row) + " ")
                        : reads.rowOf(key) == row);
    }

    /** Returns the label of the condition if a key is that of a pair; else null. One of them if several share it. */
    @Nullable
    String condition(int key) {
        long pair = keys.pairOf(key);
        return pair < 0 ? null : predicates.condition((int) (pair >>> 32)).label();
    }

    /**
     * Whether a transaction read a row by conditions alone, and another transaction left a version of it that does not
     * match one of them, or deleted it.
     */
    public boolean isRemoved(int reader, int writer, int row) {
        int written = raw.lastWrite(writer, row);
        int others = 0;
        boolean isRemoved = false;
        for (int o = raw.firstOperation(reader); written >= 0 && o < raw.operationsEnd(reader); o++) {
            others += raw.key(o) == row && Predicates.isReadOfRow(raw, o) ? 1 : 0;
            int p = Predicates.isOne(raw.value(o)) ? Predicates.number(raw.value(o)) : -1;
            for (int at = p < 0 ? 0 : predicates.firstKey(p); p >= 0 && at < predicates.keysEnd(p); at++) {
                if (predicates.keyAt(at) == row) {
                    others -= predicates.isRead(p) ? 1 : 0;
                    isRemoved |= !matches(predicates.condition(predicates.conditionOf(p)), written);
                }
            }
        }
        return isRemoved && others == 0;
    }

    /** Whether a transaction leaves a version of a row that matches a condition. */
    public boolean leavesMatch(int writer, int row, Condition condition) {
        int written = raw.lastWrite(writer, row);
        return written >= 0 && matches(condition, written);
    }

    private boolean matches(Condition condition, int written) {
        return !raw.isDelete(written)
                && condition.matches(
                        raw.values(), predicates.rows(), raw.value(written), Predicates.columnsOf(raw, written));
    }

    /** Whether the value of a pair's key states that the row matches. */
    public boolean isMatch(long code) {
        return isMatch(raw.values().label(code));
    }

    /** Whether the label of the value of a pair's key states that the row matches. */
    public static boolean isMatch(String label) {
        return label.equals(YES);
    }

    /** A pair of a condition and a row. */
    static long pair(int condition, int row) {
        return (long) condition << 32 | row;
    }

    /** Returns a history in which no pair is a read yet, as in a large history after it was read. */
    public HistoryTable unread(HistoryTable history) {
        return new PredicateReads(raw, predicates, versions, keys, false, false).resolved(history, LongSets.emptySet());
    }

    /**
     * Returns a history with reads for some pairs.
     *
     * @param history that of these predicates, perhaps with other statuses of transactions
     * @param pairs null for all that may matter, of which some share keys
     */
    public HistoryTable resolved(HistoryTable history, @Nullable LongSet pairs) {
        HistoryTable resolved = new PredicateResolution(raw, predicates, versions, keys, pairs).resolved();
        HistoryTable same = history.with(resolved.allOperations());
        var state = resolved.initialState();
        PredicateReads reads = isShared && pairs != null
                ? new PredicateReads(raw, predicates, versions, keys, areAllRead, false)
                : this;
        return (state == null ? same : same.withInitialState(state)).with(reads);
    }

    /**
     * Returns an empty sample of the reads of a history.
     *
     * @param history that of these predicates, perhaps with other statuses of transactions
     * @param starts by transaction: the earliest time at which it takes effect in an order that the sample has to find
     * @param ends by transaction: the latest such time
     * @param skew the most by which two clocks differ
     */
    public ReadSample sample(HistoryTable history, long[] starts, long[] ends, long skew) {
        HistoryTable same = history.with(raw.allOperations());
        ReplayedRows rows = new ReplayedRows(raw, predicates, versions.rows());
        return new ReadSample(same, predicates, rows, versions.rows(), starts, ends, skew);
    }

    /**
     * Returns the pairs that an order of events does not explain.
     *
     * @param counted by transaction: whether it counts as committed
     * @param position by event, one or two a transaction: its place
     */
    public synchronized LongSet wrong(boolean[] counted, int[] position) {
        ReplayedRows before = rows;
        // Made when an order is replayed, because most small histories need none.
        ReplayedRows all = before == null ? new ReplayedRows(raw, predicates, versions.rows()) : before;
        rows = all;
        return PredicateReplay.wrong(raw, predicates, all, counted, position);
    }

    /** Returns a history with reads for all pairs, which have keys of their own. */
    public HistoryTable resolved(HistoryTable history) {
        return resolved(history, allPairs());
    }

    /**
     * By operation of a history with reads for these predicates: the number of its statement in its transaction, by which
     * operations ascend. The reads that express one result have the same number, because its rows have no order.
     */
    int[] statements(HistoryTable history) {
        int[] statements = origins(history);
        int[] results = results();
        for (int o = 0; o < statements.length; o++) {
            int result = raw.isWrite(statements[o]) ? -1 : results[statements[o]];
            statements[o] = result < 0 ? statements[o] : result;
        }
        for (int t = 0; t < history.transactions(); t++) {
            for (int o = history.firstOperation(t); o < history.operationsEnd(t); o++) {
                statements[o] -= raw.firstOperation(t);
            }
        }
        return statements;
    }

    /**
     * By operation of a history with reads for these predicates: the recorded one that it stands for. That of a pair's
     * read is a predicate. Of those directly after each other it is the first one that states the pair, or the next one
     * where the pair is read again.
     */
    int[] origins(HistoryTable history) {
        int[] origins = new int[history.operations()];
        IntOpenHashSet read = new IntOpenHashSet();
        for (int t = 0; t < history.transactions(); t++) {
            int at = raw.firstOperation(t) - 1;
            int predicate = at;
            for (int o = history.firstOperation(t); o < history.operationsEnd(t); o++) {
                int key = history.key(o);
                boolean isOfPair = rowOf(key) >= 0;
                if (!isOfPair) {
                    do {
                        at++;
                    } while (Predicates.isStandIn(raw.value(at)) || isRefused(at, history.value(o)));
                }
                origins[o] = at;
                if (isOfPair && !history.isWrite(o)) {
                    if (predicate <= at) {
                        read.clear();
                        for (predicate = at + 1; !Predicates.isOne(raw.value(predicate)); ) {
                            predicate++;
                        }
                    }
                    int next = predicate;
                    while (next < raw.operationsEnd(t)
                            && Predicates.isOne(raw.value(next))
                            && !(states(next, key, history.value(o)) && (next > predicate || !read.contains(key)))) {
                        next++;
                    }
                    if (next > predicate && next < raw.operationsEnd(t) && Predicates.isOne(raw.value(next))) {
                        read.clear();
                        predicate = next;
                    }
                    read.add(key);
                    origins[o] = predicate;
                }
            }
        }
        return origins;
    }

    /** Whether a predicate is expressed by a read of a pair's key with this value. */
    private boolean states(int operation, int key, long value) {
        int p = Predicates.number(raw.value(operation));
        int c = predicates.conditionOf(p);
        long pair = keys.pairOf(key);
        int row = (int) pair;
        boolean isFound = false;
        for (int i = predicates.firstKey(p); i < predicates.keysEnd(p); i++) {
            isFound |= predicates.keyAt(i) == row;
        }
        boolean isOfPair = pair == pair(c, row);
        if (isShared && !isOfPair && keys.is(key, pair)) {
            int other = (int) (pair >>> 32);
            isOfPair = versions.matched(predicates.condition(c), c, row)
                    == versions.matched(predicates.condition(other), other, row);
        }
        return isOfPair && isFound == isMatch(value);
    }

    /** Whether a recorded operation is a refused compare-and-set, which a history may lack, and not a certain read. */
    private boolean isRefused(int recorded, long value) {
        return raw.values().isOther(raw.value(recorded)) && raw.value(recorded) != value;
    }

    /** By recorded operation: the operation of the predicate that it is a row of; -1 for none. */
    int[] results() {
        int[] results = new int[raw.operations()];
        Arrays.fill(results, -1);
        for (int o = 0; o < results.length; o++) {
            if (Predicates.isOne(raw.value(o))) {
                int p = Predicates.number(raw.value(o));
                boolean isRead = predicates.isRead(p);
                int left = predicates.keysEnd(p) - predicates.firstKey(p);
                for (int at = isRead ? o - left : o + 1; left > 0; at++) {
                    if (!Predicates.isRow(raw.value(at))) {
                        results[at] = o;
                        left--;
                    }
                }
            }
        }
        return results;
    }

    /** Returns a history in which each pair has a key of its own. */
    public static HistoryTable apart(HistoryTable history) {
        PredicateReads reads = history.predicates();
        return reads == null ? history : reads.resolved(history);
    }

    /** Returns a history in which each pair that is a read has a key of its own. */
    public static HistoryTable readApart(HistoryTable history) {
        PredicateReads reads = history.predicates();
        return reads == null || !reads.areAllRead ? history : reads.resolved(history);
    }

    private LongSet allPairs() {
        LongSet all = new LongOpenHashSet();
        for (int c = 0; c < predicates.conditions(); c++) {
            for (int row : versions.candidates(predicates.condition(c))) {
                all.add(pair(c, row));
            }
        }
        for (int p = 0; p < predicates.size(); p++) {
            for (int at = predicates.firstKey(p); at < predicates.keysEnd(p); at++) {
                all.add(pair(predicates.conditionOf(p), predicates.keyAt(at)));
            }
        }
        return all;
    }

    /** Returns the pairs whose keys a sub-history has. */
    private LongSet named(HistoryTable subHistory) {
        LongSet named = new LongOpenHashSet();
        for (int k = 0; k < subHistory.keys().size(); k++) {
            String label = subHistory.keys().isString(k) ? subHistory.keys().string(k) : "";
            if (label.startsWith(ROW)) {
                addPairs(label.replaceFirst("'+\\z", ""), named);
                addPairs(label.replaceFirst("(?s)(.*)" + WITH_VALUE + ".*", "$1"), named);
            }
        }
        return named;
    }

    private void addPairs(String label, LongSet named) {
        for (int c = 0; c < predicates.conditions(); c++) {
            int to = label.length() - predicates.condition(c).label().length() - 1;
            boolean isOf = to > ROW.length()
                    && label.endsWith(" " + predicates.condition(c).label());
            int row = isOf ? row(label.substring(ROW.length(), to)) : -1;
            if (row >= 0) {
                named.add(pair(c, row));
            }
        }
    }

    private int row(String label) {
        for (int k = 0; k < versions.rows(); k++) {
            if (raw.keys().label(k).equals(label)) {
                return k;
            }
        }
        return -1;
    }

    /** Returns a history with reads for all pairs that a sub-history of it names, see {@link #apart}. */
    public static HistoryTable withPairsOf(HistoryTable subHistory, HistoryTable whole) {
        PredicateReads open = whole.predicates();
        return open == null ? whole : open.resolved(whole, open.named(subHistory));
    }
}
