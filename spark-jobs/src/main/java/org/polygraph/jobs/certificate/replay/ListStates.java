package org.polygraph.jobs.certificate.replay;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * The states of recorded lists under an order of commits, which is an order of versions of each list: the appends of a
 * transaction to a list stand beside each other. A list that a transaction read is a state of it: the elements of the
 * first few transactions of the order, without its own ones; or, after own appends, those before its own ones and then
 * these appends.
 *
 * <p>This class reads the operations that were recorded, and shares no code with the decision. Memory: some 100 bytes an
 * append. Time: linear in the elements of all lists that were read.
 */
public final class ListStates {
    private static final int NONE = -1;
    private static final long[] EMPTY = {};

    private final HistoryTable read;
    private final boolean[] counted;
    /** By key: the elements of its versions in their order, and their number. */
    private final long[][] orders;

    private final int[] sizes;
    /** By key: by transaction in the order of its versions, the place of its first element. */
    private final List<Map<Integer, Integer>> firsts = new ArrayList<>();
    /** By key: the places of the first elements of transactions. */
    private final BitSet[] starts;
    /** By key: the last transaction whose appends the longest list has. */
    private final int[] lastShown;
    /** By key: the number of versions up to the last one of this transaction. */
    private final int[] shown;
    /** How the versions that the database gave contradict the order of commits; null if they do not. */
    private @Nullable String disorder;

    private ListStates(HistoryTable read, boolean[] counted) {
        this.read = read;
        this.counted = counted;
        orders = new long[read.keys().size()][];
        Arrays.fill(orders, EMPTY);
        sizes = new int[orders.length];
        starts = new BitSet[orders.length];
        for (int key = 0; key < orders.length; key++) {
            firsts.add(new LinkedHashMap<>());
            starts[key] = new BitSet();
        }
        lastShown = new int[orders.length];
        Arrays.fill(lastShown, NONE);
        shown = new int[orders.length];
    }

    /** Receives transactions of which the first commits before the second. */
    public interface Pairs {
        void next(int first, int second);
    }

    /**
     * Orders the versions of each list by an order of commits.
     *
     * @param commits transactions that count, in the order of their commits
     * @return null if no lists were recorded
     */
    static @Nullable ListStates of(HistoryTable table, boolean[] counted, int[] commits) {
        HistoryTable read = table.withRecordedLists();
        if (!read.hasLists()) {
            return null;
        }
        ListStates states = new ListStates(GivenOrder.named(read), counted);
        states.disorder = GivenOrder.discrepancy(read, commits);
        for (int t : commits) {
            for (int o = read.firstOperation(t); o < read.operationsEnd(t); o++) {
                if (read.isAppend(o)) {
                    states.append(t, read.key(o), false);
                }
            }
        }
        return states;
    }

    /**
     * Orders the versions of each list by the longest list that was read; the appends that it lacks come after it.
     *
     * @param maybe whether a transaction of unknown outcome counts if a list shows an element that it appended
     * @return null if no lists were recorded
     */
    public static @Nullable ListStates ofReads(HistoryTable table, boolean maybe) {
        HistoryTable read = table.withRecordedLists();
        if (!read.hasLists()) {
            return null;
        }
        ListStates states = new ListStates(GivenOrder.named(read), new boolean[read.transactions()]);
        List<Map<Long, Integer>> appenders = states.appenders();
        states.count(appenders, maybe);
        states.order(appenders, maybe);
        return states;
    }

    /** By key, by element: the transaction that appended it. */
    private List<Map<Long, Integer>> appenders() {
        List<Map<Long, Integer>> appenders = new ArrayList<>();
        for (int key = 0; key < orders.length; key++) {
            appenders.add(new HashMap<>());
        }
        for (int t = 0; t < read.transactions(); t++) {
            for (int o = read.firstOperation(t); o < read.operationsEnd(t); o++) {
                if (read.isAppend(o)) {
                    appenders.get(read.key(o)).put(read.value(o), t);
                }
            }
        }
        return appenders;
    }

    private void count(List<Map<Long, Integer>> appenders, boolean maybe) {
        for (boolean more = true; more; ) {
            more = false;
            for (int t = 0; t < counted.length; t++) {
                if (read.status(t) == TransactionStatus.COMMITTED) {
                    counted[t] = true;
                }
                for (int o = read.firstOperation(t); counted[t] && o < read.operationsEnd(t); o++) {
                    for (long element : list(o)) {
                        int appender = appenders.get(read.key(o)).getOrDefault(element, NONE);
                        if (maybe
                                && appender != NONE
                                && !counted[appender]
                                && read.status(appender) == TransactionStatus.INDETERMINATE) {
                            counted[appender] = true;
                            more = true;
                        }
                    }
                }
            }
        }
    }

    private void order(List<Map<Long, Integer>> appenders, boolean maybe) {
        long[][] longest = new long[orders.length][];
        Arrays.fill(longest, EMPTY);
        for (int t = 0; t < counted.length; t++) {
            for (int o = read.firstOperation(t); counted[t] && o < read.operationsEnd(t); o++) {
                long[] list = list(o);
                longest[read.key(o)] = list.length > longest[read.key(o)].length ? list : longest[read.key(o)];
            }
        }
        for (int key = 0; key < orders.length; key++) {
            for (long element : longest[key]) {
                int appender = appenders.get(key).getOrDefault(element, NONE);
                if (appender != NONE && counted[appender]) {
                    append(appender, key, true);
                }
            }
        }
        for (int t = 0; t < counted.length; t++) {
            boolean mayCount = counted[t] || (maybe && read.status(t) == TransactionStatus.INDETERMINATE);
            for (int o = read.firstOperation(t); mayCount && o < read.operationsEnd(t); o++) {
                if (read.isAppend(o)) {
                    append(t, read.key(o), false);
                }
            }
        }
    }

    /** Adds the appends of a transaction to a list, once. */
    private void append(int t, int key, boolean isShown) {
        if (firsts.get(key).putIfAbsent(t, sizes[key]) != null) {
            return;
        }
        starts[key].set(sizes[key]);
        for (int o = read.firstOperation(t); o < read.operationsEnd(t); o++) {
            if (read.key(o) == key && read.isAppend(o)) {
                if (sizes[key] == orders[key].length) {
                    orders[key] = Arrays.copyOf(orders[key], 2 * sizes[key] + 4);
                }
                orders[key][sizes[key]++] = read.value(o);
            }
        }
        if (isShown) {
            lastShown[key] = t;
            shown[key] = sizes[key];
        }
    }

    /** The elements of the list that an operation read; none if it read no list. */
    private long[] list(int o) {
        long[] elements = read.isWrite(o) ? null : read.elements(o);
        return elements == null ? EMPTY : elements;
    }

    /** The first list that is no state, or version out of order, one sentence; null if all are right. */
    public @Nullable String discrepancy() {
        if (disorder != null) {
            return disorder;
        }
        for (int t = 0; t < counted.length; t++) {
            for (int o = read.firstOperation(t); counted[t] && o < read.operationsEnd(t); o++) {
                boolean isRead = !read.isWrite(o) && sizes[read.key(o)] > 0;
                long[] list = list(o);
                if ((isRead || list.length > 0) && !isState(t, o, list)) {
                    return Names.transaction(read, t) + " read a list of key " + Names.key(read, read.key(o))
                            + " that the order of its appends leaves at no place";
                }
            }
        }
        return null;
    }

    private boolean isState(int t, int o, long[] list) {
        int key = read.key(o);
        if (list.length > sizes[key] || !Arrays.equals(list, 0, list.length, orders[key], 0, list.length)) {
            return false;
        }
        int own = 0;
        for (int before = read.firstOperation(t); before < o; before++) {
            own += read.key(before) == key && read.isAppend(before) ? 1 : 0;
        }
        int start = firsts.get(key).getOrDefault(t, NONE);
        if (own > 0) {
            return start + own == list.length;
        }
        boolean isBetween = list.length == sizes[key] || starts[key].get(list.length);
        return isBetween && (start == NONE || start >= list.length);
    }

    /**
     * Returns the history with reads and writes in place of operations on lists, if all lists are states. An append
     * writes the version that it makes. A read of a list reads the version that has as many elements.
     *
     * @param eachElement whether each element but the last one of a list is read too, from a key of its own, because at
     *     RC, RA and CC a transaction reads from all transactions that appended what it read
     * @param follows whether an append that a list shows reads the version before it, so that no other order of the
     *     appends explains the history
     */
    public HistoryTable versions(boolean eachElement, boolean follows) {
        return new ListVersionsTable(read, this, eachElement, follows).table();
    }

    /** The elements of a list in the order of its versions, and further ones behind {@link #size}. */
    long[] order(int key) {
        return orders[key];
    }

    int size(int key) {
        return sizes[key];
    }

    /** The place of the first append of a transaction to a list; negative if it has none. */
    int first(int t, int key) {
        return firsts.get(key).getOrDefault(t, NONE);
    }

    /** Whether the reads show the version at a place in every order. */
    boolean isShown(int key, int place) {
        return place < shown[key];
    }

    /**
     * Gives the order of the transactions that wrote a key with versions or appended to a list, where it is the same in every order of versions. The
     * second one may be a transaction of unknown outcome whose appends no list has; then the pair holds if it counts.
     */
    public void pairs(Pairs to) {
        GivenOrder.pairs(read, to);
        listPairs(to);
    }

    /** As {@link #pairs}, of lists alone. The first one counts, because a list has its appends. */
    public void listPairs(Pairs to) {
        for (int key = 0; key < sizes.length; key++) {
            int previous = NONE;
            for (int t : lastShown[key] == NONE
                    ? List.<Integer>of()
                    : firsts.get(key).keySet()) {
                if (previous != NONE) {
                    to.next(previous, t);
                }
                previous = previous == lastShown[key] ? previous : t;
            }
        }
    }
}
