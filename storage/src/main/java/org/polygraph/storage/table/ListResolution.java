package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.Arrays;
import java.util.BitSet;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.lists.ListCodes;
import org.polygraph.storage.lists.ListTree;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;

/**
 * Expresses lists as reads and writes of single values. An append writes a version of its key whose value is the
 * appended element. A read of a list reads the version that its last element made. The list also shows the predecessor
 * of each of its elements; the transaction that appended an element has read the predecessor, because an append always
 * follows the latest version. An append that no transaction read is a write without a read.
 *
 * <p>This is exact for SER and SI, with real time or without: under SI two appends to one list never overlap, so the
 * version that an append follows is in the snapshot of its transaction. Weaker levels do not require that: {@link
 * #observed}. If two lists contradict each other, an element has two predecessors, and no order lets its transaction
 * read both. Each element must be appended only once (Elle, Kingsbury and Alvaro, VLDB 2020, section 4.3: recoverable).
 *
 * <p>Reads of a transaction count only if it committed. An indeterminate transaction committed if a counted read
 * contains an element that it appended. Time: linear in the elements of all lists.
 */
final class ListResolution {
    static final int EMPTY = -1;
    private static final int UNKNOWN = -2;
    private static final String PREFIX = "[.. ";
    /** The most elements that are compared to name contradictions, in less than a second. */
    private static final long MOST_COMPARED = 100_000_000;

    private static final byte LIST = 1;
    private static final byte PLAIN = 2;

    private final HistoryTable table;
    private final ListTree lists;
    /** By key: LIST, PLAIN or both. */
    private final byte[] kinds;
    /** By list: whether its elements are known. So the elements that several lists share are processed once. */
    private final BitSet done = new BitSet();

    private final IntArrayList open = new IntArrayList();
    /** The number of an element by its code, and the code of the version that it made by its number. */
    private final Long2IntOpenHashMap numbers = new Long2IntOpenHashMap();

    private final LongArrayList versions = new LongArrayList();
    /** By key and element: the element before it, EMPTY or, so far, UNKNOWN. */
    private final Long2IntOpenHashMap before = new Long2IntOpenHashMap();
    /** By key and element: a second predecessor, which contradicts the first. */
    private final Long2IntOpenHashMap contradicting = new Long2IntOpenHashMap();

    private long compared;
    private int n;
    private int[] newKeys;
    private long[] newCodes;
    private byte[] newKinds;

    private ListResolution(HistoryTable table, ListTree lists) {
        this.lists = lists;
        this.table = table;
        this.kinds = new byte[table.keys().size()];
        numbers.defaultReturnValue(-1);
        before.defaultReturnValue(UNKNOWN);
        contradicting.defaultReturnValue(UNKNOWN);
        newKeys = new int[table.operations()];
        newCodes = new long[table.operations()];
        newKinds = new byte[table.operations()];
    }

    /**
     * The table with reads and writes in place of the codes that stood for them.
     *
     * @param lists the lists that the codes name
     * @throws HistoryException if an element is appended twice to one list, or a key has lists and other values
     */
    static HistoryTable of(HistoryTable table, ListTree lists) throws HistoryException {
        return new ListResolution(table, lists).resolved();
    }

    /**
     * The table for RC, RA and CC, where an append reads nothing: a read of a list reads each element from the
     * transaction that appended it, and the commit order has the appends that a list shows in the order of the list. A
     * place key for each two elements that follow each other in a list expresses this: both transactions write it, and
     * a read of the list reads it from the second one after it has read from the first one. So each of these levels
     * orders the first before the second.
     *
     * <p>Time and memory: linear in the elements of all reads of lists.
     */
    static HistoryTable observed(HistoryTable table, ListTree lists) {
        ListResolution resolution = new ListResolution(table, lists);
        try {
            resolution.checkAppends();
            resolution.readLists();
        } catch (HistoryException e) {
            throw new IllegalStateException("lists that were resolved before", e);
        }
        return new ListPlaces(table, lists, resolution).observed();
    }

    private HistoryTable resolved() throws HistoryException {
        refuseRows();
        checkAppends();
        for (byte kind : kinds) {
            if (kind == LIST) {
                // No key has lists if the only lists are in invocations whose completions have other values.
                table.values().markLists();
                break;
            }
        }
        readLists();
        int[] starts = new int[table.transactions() + 1];
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                resolve(o);
            }
            starts[t + 1] = n;
        }
        return table.with(
                new Operations(
                        starts, Arrays.copyOf(newKeys, n), Arrays.copyOf(newCodes, n), Arrays.copyOf(newKinds, n)),
                lists);
    }

    private void refuseRows() throws HistoryException {
        for (int t = 0; table.hasRows() && t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (table.isInsert(o) || table.isDelete(o)) {
                    throw new HistoryException(
                            table.whereIs(t),
                            "an insert or a delete in a history that also has lists",
                            "rows or lists",
                            "check the keys of lists and the keys of rows as two histories");
                }
            }
        }
    }

    /** Checks that each element is appended once, and that no key has both lists and plain values. */
    private void checkAppends() throws HistoryException {
        Long2IntOpenHashMap writers = new Long2IntOpenHashMap();
        writers.defaultReturnValue(-1);
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                int key = table.key(o);
                boolean isOurs = ListCodes.isStandIn(table.value(o)) || isAppend(o);
                // A read of null reads the empty list.
                boolean isNull = table.value(o) == ValueDictionary.NULL && !table.isWrite(o);
                kinds[key] |= isOurs ? LIST : isNull ? 0 : PLAIN;
                if (kinds[key] == (LIST | PLAIN)) {
                    throw new HistoryException(
                            table.whereIs(t),
                            "key " + table.keys().label(key) + " with lists and with other values",
                            "lists or other values",
                            "give lists keys of their own");
                }
                if (isAppend(o)) {
                    long element = table.value(o);
                    int first = writers.put(version(key, number(element)), t);
                    if (first >= 0) {
                        throw new HistoryException(
                                table.whereIs(t),
                                table.values().label(element) + " appended a second time to key "
                                        + table.keys().label(key) + " (first at " + table.whereIs(first) + ")",
                                "each element of a list to be appended once",
                                "append values that are different");
                    }
                }
            }
        }
    }

    private void readLists() throws HistoryException {
        boolean[] done = new boolean[table.transactions()];
        boolean more = false;
        for (int t = 0; t < done.length; t++) {
            done[t] = table.status(t) != TransactionStatus.INDETERMINATE;
            more |= !done[t];
            if (table.status(t) == TransactionStatus.COMMITTED) {
                readLists(t);
            }
        }
        while (more) {
            more = false;
            for (int t = 0; t < done.length; t++) {
                if (!done[t] && isObserved(t)) {
                    done[t] = true;
                    more = true;
                    readLists(t);
                }
            }
        }
        for (int t = 0; t < done.length; t++) {
            if (!done[t]) {
                requireNoDoubt(t);
            }
        }
    }

    private boolean isObserved(int t) {
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            if (isAppend(o) && before.get(appendedVersion(o)) != UNKNOWN) {
                return true;
            }
        }
        return false;
    }

    /**
     * Rejects an indeterminate transaction that reads lists and writes plain values. A read of these values could show
     * that it committed, and then its reads of lists would count.
     */
    private void requireNoDoubt(int t) throws HistoryException {
        boolean reads = false;
        boolean writes = false;
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            reads |= ListCodes.isRead(table.value(o));
            writes |= table.isWrite(o) && !isAppend(o);
        }
        if (reads && writes) {
            throw new HistoryException(
                    table.whereIs(t),
                    "an indeterminate transaction that reads lists and writes plain values",
                    "lists or plain values in such a transaction",
                    "leave out its reads of lists: what it read is known to count only if it committed");
        }
    }

    private void readLists(int t) {
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            if (ListCodes.isRead(table.value(o))) {
                readList(table.key(o), ListCodes.list(table.value(o)));
            }
        }
    }

    private void readList(int key, int list) {
        for (int each = list; each != ListTree.EMPTY && !done.get(each); each = lists.withoutLast(each)) {
            done.set(each);
            open.add(each);
        }
        while (!open.isEmpty()) {
            int each = open.popInt();
            int without = lists.withoutLast(each);
            int previous = without == ListTree.EMPTY ? EMPTY : number(lists.last(without));
            long version = version(key, number(lists.last(each)));
            int first = before.putIfAbsent(version, previous);
            if (first != UNKNOWN && first != previous) {
                if (has(without, lists.last(each))) {
                    // An element behind itself shows that one list has it twice.
                    contradicting.put(version, number(lists.last(each)));
                } else {
                    contradicting.putIfAbsent(version, previous);
                }
            }
        }
    }

    private boolean has(int list, long element) {
        int each = list;
        while (each != ListTree.EMPTY && lists.last(each) != element && compared < MOST_COMPARED) {
            compared++;
            each = lists.withoutLast(each);
        }
        return each != ListTree.EMPTY && lists.last(each) == element;
    }

    private void resolve(int o) {
        int key = table.key(o);
        long code = table.value(o);
        if (ListCodes.isRead(code)) {
            int list = ListCodes.list(code);
            put(o, code(list == ListTree.EMPTY ? EMPTY : number(lists.last(list))), (byte) 0);
        } else if (isAppend(o)) {
            put(o, code(number(code)), Operations.APPEND);
        } else if (code == ListCodes.BEFORE_APPEND) {
            int first = before.get(appendedVersion(o + 1));
            long[] places = contradiction(o + 1);
            if (places.length == 0 && first != UNKNOWN) {
                put(o, code(first), Operations.IMPLIED);
            }
            for (long place : places) {
                put(o, place, Operations.IMPLIED);
            }
        } else {
            put(o, plain(o), (byte) 0);
        }
    }

    /**
     * If lists show two versions directly before an append, returns both, and the first one once more; else none.
     */
    long[] contradiction(int append) {
        long version = appendedVersion(append);
        int second = contradicting.get(version);
        // The first version comes again so that an element with two places is recognized: no other reads before a write
        // look like this.
        return second == UNKNOWN
                ? new long[0]
                : new long[] {code(before.get(version)), code(second), code(before.get(version))};
    }

    /** Returns an operation's value if the operation is neither a read of a list nor an append. */
    long plain(int o) {
        return kinds[table.key(o)] == LIST ? table.initialValue() : table.value(o);
    }

    /** Returns the version that an element makes. */
    long code(int number) {
        return number == EMPTY ? table.initialValue() : versions.getLong(number);
    }

    /** Returns an element as it is shown. */
    String element(int number) {
        String version = table.values().text(versions.getLong(number));
        return version.substring(PREFIX.length(), version.length() - 1);
    }

    private void put(int operation, long code, byte kind) {
        if (n == newKeys.length) {
            newKeys = Arrays.copyOf(newKeys, n + (n >> 1) + 16);
            newCodes = Arrays.copyOf(newCodes, newKeys.length);
            newKinds = Arrays.copyOf(newKinds, newKeys.length);
        }
        newKeys[n] = table.operationKeys()[operation];
        newKinds[n] = kind;
        newCodes[n++] = code;
    }

    boolean isAppend(int o) {
        return o > 0 && table.value(o - 1) == ListCodes.BEFORE_APPEND;
    }

    private long appendedVersion(int o) {
        return version(table.key(o), number(table.value(o)));
    }

    static long version(int key, int number) {
        return (long) key << 32 | number;
    }

    /** Returns the number of an element. The version that it makes is labelled as a list that ends with it. */
    int number(long element) {
        int number = numbers.get(element);
        if (number < 0) {
            number = versions.size();
            numbers.put(element, number);
            versions.add(table.values().opaque(PREFIX + table.values().label(element) + "]"));
        }
        return number;
    }
}
