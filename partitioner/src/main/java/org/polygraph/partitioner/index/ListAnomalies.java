package org.polygraph.partitioner.index;

import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.ListVersions;

/**
 * Finds what no order of versions explains, at any level: an element that no counted transaction appended before the
 * read, an element that a list has twice, lists of a key of which neither begins with the other, and the appends of one
 * transaction to one key that do not stand beside each other in their order.
 *
 * <p>Names a violation once for a key and its transactions. Time: linear in the operations and in the lists, apart from those that
 * are named.
 */
public final class ListAnomalies {
    private static final int NONE = ListVersions.NONE;

    private final HistoryTable table;
    private final ListVersions versions;
    private final HistoryTable recorded;
    private final boolean maybe;
    /** By key: the elements of its longest list. */
    private final long[][] orders;
    /** Keys of which a list has an element that no counted transaction appended. */
    private final BitSet unfounded = new BitSet();

    /** Lists whose elements were looked at. */
    private final BitSet done = new BitSet();

    private final Set<String> named = new HashSet<>();
    private final List<Violation> violations = new ArrayList<>();

    private ListAnomalies(HistoryTable table, ListVersions versions, IndexedHistory.Indeterminate indeterminate) {
        this.table = table;
        this.versions = versions;
        this.recorded = versions.recorded();
        this.maybe = indeterminate == IndexedHistory.Indeterminate.MAYBE;
        orders = new long[recorded.keys().size()][];
        Arrays.setAll(orders, versions::order);
    }

    /** The violations of a history; empty if it has no lists. */
    public static List<Violation> of(HistoryTable table, IndexedHistory.Indeterminate indeterminate) {
        ListVersions versions = table.listVersions();
        return versions == null ? List.of() : new ListAnomalies(table, versions, indeterminate).find();
    }

    /**
     * The violations of a history in which each transaction is one operation, at one time: those of any level, or else
     * each append of a transaction that had read another list than the one that its append follows.
     */
    public static List<Violation> ofSingle(HistoryTable table, IndexedHistory.Indeterminate indeterminate) {
        ListVersions versions = table.listVersions();
        if (versions == null) {
            return List.of();
        }
        ListAnomalies anomalies = new ListAnomalies(table, versions, indeterminate);
        if (anomalies.find().isEmpty()) {
            for (int t = 0; t < table.transactions(); t++) {
                for (int o = table.firstOperation(t) + 1; o < table.operationsEnd(t); o++) {
                    Violation lost = table.isImplied(o) && anomalies.isCounted(t) ? lostUpdate(table, t, o) : null;
                    if (lost != null && table.value(o) != table.value(o - 1)) {
                        anomalies.violations.add(lost);
                    }
                }
            }
        }
        return anomalies.violations;
    }

    private List<Violation> find() {
        eachRead(this::elements);
        if (!maybe && !violations.isEmpty()) {
            // Transactions of unknown outcome that committed ones read from may have read the longest lists.
            return violations;
        }
        eachRead(this::prefix);
        for (int key = 0; key < orders.length; key++) {
            if (!unfounded.get(key)) {
                neighbours(key);
            }
        }
        return violations;
    }

    private interface Reads {
        void next(int t, int read, int key);
    }

    private void eachRead(Reads to) {
        for (int t = 0; t < recorded.transactions(); t++) {
            for (int o = recorded.firstOperation(t); isCounted(t) && o < recorded.operationsEnd(t); o++) {
                if (versions.isRead(o) && violations.size() < IndexedHistory.MOST_VIOLATIONS) {
                    to.next(t, o, recorded.key(o));
                }
            }
        }
    }

    private boolean isCounted(int t) {
        return table.status(t) == TransactionStatus.COMMITTED || (maybe && versions.isCounted(t));
    }

    /** Names elements that have no counted append before the read. */
    private void elements(int t, int read, int key) {
        int list = versions.list(read);
        for (int each = list; each != ListVersions.EMPTY && !done.get(each); each = versions.withoutLast(each)) {
            done.set(each);
            int append = versions.append(key, versions.last(each));
            int appender = append == NONE ? NONE : versions.transaction(append);
            if (appender != NONE && isCounted(appender)) {
                continue;
            }
            boolean isFirst = !unfounded.get(key);
            unfounded.set(key);
            String what = read(key, versions.last(each), each == list);
            int undone = appender == NONE && isFirst ? recorded.undoneWriter(key, versions.last(each)) : NONE;
            if (undone != NONE) {
                add(Anomaly.ABORTED_READ, key, what + ", " + ReadAnomalies.undone(table, t, undone), t);
            } else if (appender == NONE) {
                add(
                        Anomaly.THIN_AIR_READ,
                        key,
                        what + ", which no transaction wrote" + otherType(key, versions.last(each)),
                        t);
            } else {
                add(
                        Anomaly.ABORTED_READ,
                        key,
                        what + ", which was written only by a transaction that is "
                                + table.status(appender).label() + " and cannot have committed",
                        t,
                        appender);
            }
        }
        for (int own = nextAppend(t, read, key); own != NONE; own = versions.nextOwn(own, 1)) {
            int place = versions.place(own);
            boolean isInside = place == NONE || !versions.isPrefix(read)
                    ? indexOf(versions.elements(read), recorded.value(own)) >= 0
                    : place < versions.length(read);
            if (isInside) {
                boolean isLast = versions.last(list) == recorded.value(own);
                add(
                        Anomaly.FUTURE_READ,
                        key,
                        read(key, recorded.value(own), isLast) + ", which it wrote itself only later",
                        t);
            }
        }
    }

    private int nextAppend(int t, int read, int key) {
        for (int o = read + 1; o < recorded.operationsEnd(t); o++) {
            if (recorded.isWriteOf(o, key)) {
                return o;
            }
        }
        return NONE;
    }

    private static int indexOf(long[] elements, long element) {
        int i = elements.length - 1;
        while (i >= 0 && elements[i] != element) {
            i--;
        }
        return i;
    }

    private void prefix(int t, int read, int key) {
        boolean isLongest = versions.isLongest(read);
        if (unfounded.get(key) || (versions.isPrefix(read) && !isLongest)) {
            return;
        }
        long[] elements = versions.elements(read);
        LongOpenHashSet seen = new LongOpenHashSet();
        for (int i = 0; i < elements.length; i++) {
            if (!seen.add(elements[i])) {
                add(
                        Anomaly.DUPLICATE_ELEMENT,
                        key,
                        "a list of key " + key(key) + " has " + element(elements[i]) + " twice",
                        t,
                        versions.transaction(versions.append(key, elements[i])));
                return;
            }
        }
        int longest = isLongest || versions.isPrefix(read) ? NONE : versions.longestRead(key);
        if (longest != NONE) {
            int i = Arrays.mismatch(elements, orders[key]);
            add(
                    Anomaly.INCOMPATIBLE_ORDER,
                    key,
                    "read a list of key " + key(key) + " that has " + differing(elements, orders[key], i) + ", and "
                            + table.name(versions.transaction(longest)) + " read one that has "
                            + differing(orders[key], elements, i),
                    t,
                    versions.transaction(longest));
        }
    }

    /** Names a transaction whose appends to a key do not stand beside each other in their order. */
    private void neighbours(int key) {
        long[] order = orders[key];
        for (int i = 0; i < order.length; i++) {
            int append = versions.append(key, order[i]);
            int before = versions.nextOwn(append, -1);
            int next = versions.nextOwn(append, 1);
            boolean isApart = before != NONE && (i == 0 || versions.place(before) != i - 1);
            boolean isCut = next != NONE
                    && versions.place(next) == NONE
                    && i + 1 < order.length
                    && versions.transaction(versions.append(key, order[i + 1])) != versions.transaction(append);
            if (isApart || isCut) {
                apart(key, append, isApart ? before : append, isApart ? append : next);
                return;
            }
        }
    }

    /**
     * @param shown an append that a list has
     * @param first an append of the same transaction
     * @param second the next append of this transaction to the key, which is not directly behind the first one
     */
    private void apart(int key, int shown, int first, int second) {
        long[] order = orders[key];
        int t = versions.transaction(first);
        int a = place(first, order);
        int b = place(second, order);
        for (int i = Math.min(a, b) + 1; i < Math.min(order.length, Math.max(a, b)); i++) {
            int other = versions.transaction(versions.append(key, order[i]));
            if (other != t) {
                boolean isInOrder = a < b;
                add(
                        Anomaly.DIRTY_WRITE,
                        key,
                        "appended " + appended(first) + " and then " + appended(second) + " to key " + key(key)
                                + ", but "
                                + (Math.max(a, b) == order.length
                                        ? "a list has " + appended(isInOrder ? first : second) + " and behind it "
                                                + element(order[i]) + ", which another transaction appended, and not "
                                                + appended(isInOrder ? second : first)
                                        : "in a list " + element(order[i])
                                                + ", which another transaction appended, is between them"),
                        t,
                        other);
                return;
            }
        }
        int read = versions.longestRead(key);
        int missing = shown == first ? second : first;
        add(
                Anomaly.INCOMPATIBLE_ORDER,
                key,
                "read a list of key " + key(key) + " that has " + appended(shown)
                        + (versions.place(missing) == NONE ? " and not " : " before ") + appended(missing) + ", but "
                        + table.name(t) + " had appended " + appended(first) + " and then " + appended(second),
                versions.transaction(read),
                t);
    }

    private int place(int append, long[] order) {
        return versions.place(append) == NONE ? order.length : versions.place(append);
    }

    /**
     * The violation if a transaction read a list, and its append is not directly behind this list; null if an implied
     * read is no such case.
     */
    static @Nullable Violation lostUpdate(HistoryTable table, int transaction, int read) {
        int key = table.key(read);
        int earlier = table.isImplied(read) ? table.firstRead(transaction, key) : read;
        boolean isBeforeAppend = read + 1 < table.operationsEnd(transaction) && table.isAppend(read + 1);
        if (earlier == read || !isBeforeAppend || table.lastWrite(transaction, key, read) >= 0) {
            return null;
        }
        int other = NONE;
        for (int t = 0; t < table.transactions() && other == NONE; t++) {
            int last = t == transaction ? NONE : table.lastWrite(t, key);
            other = last >= 0 && table.value(last) == table.value(read) ? t : NONE;
        }
        String label = table.label(key, table.value(earlier));
        return other == NONE
                ? null
                : new Violation(
                        Anomaly.LOST_UPDATE,
                        List.of(transaction, other),
                        List.of(key),
                        List.of(),
                        "read " + label + " from key " + table.keys().label(key) + ", but its append of "
                                + table.label(key, table.value(read + 1)) + " is behind "
                                + table.label(key, table.value(read))
                                + ", which another transaction appended after that");
    }

    private void add(Anomaly anomaly, int key, String detail, int... transactions) {
        List<Integer> all = new ArrayList<>();
        for (int t : transactions) {
            if (!all.contains(t)) {
                all.add(t);
            }
        }
        if (named.add(anomaly + " " + key + " " + all)) {
            violations.add(new Violation(anomaly, all, List.of(key), List.of(), detail));
        }
    }

    private String otherType(int key, long element) {
        String label = table.values().label(element);
        String other = table.values().isInteger(element) ? '"' + label + '"' : label.replace("\"", "");
        for (int o = 0; o < recorded.operations(); o++) {
            if (versions.isAppend(o)
                    && recorded.key(o) == key
                    && table.values().label(recorded.value(o)).equals(other)) {
                return table.values().isInteger(element)
                        ? "; a transaction wrote the string " + other + ", which is another value than the integer"
                        : "; a transaction wrote the integer " + other + ", which is another value than the string";
            }
        }
        return "";
    }

    private String read(int key, long element, boolean isLast) {
        return "read [.. " + element(element) + (isLast ? "]" : " ..]") + " from key " + key(key);
    }

    /** How a list differs from another one at a place. This is so without some of the elements too. */
    private String differing(long[] list, long[] other, int i) {
        return element(list[i]) + (indexOf(list, other[i]) < 0 ? " and not " : " before ") + element(other[i]);
    }

    private String appended(int append) {
        return element(recorded.value(append));
    }

    private String element(long code) {
        return table.values().label(code);
    }

    private String key(int key) {
        return recorded.keys().label(key);
    }
}
