package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2IntOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.lists.ListCodes;
import org.polygraph.storage.model.BudgetException;

/**
 * Expresses lists as reads and writes of single values. An append writes a version of its key whose value is the
 * appended element. A read of a list reads the version that its last element made. Each element must be appended only
 * once (Elle, Kingsbury and Alvaro, VLDB 2020, section 4.3: recoverable), and the lists of a key must be prefixes of the
 * longest one; the tables here mean nothing if they are not.
 *
 * <p>SER and SI, with real time or without: the transaction that appended an element has read the one before it in the
 * longest list, because an append always follows the latest version. An append that no list shows is a write without a
 * read. This is exact: under SI two appends to one list never overlap, so the version that an append follows is in the
 * snapshot of its transaction. A read of element e has the append of e as the last write of the key before it, this
 * append read the element before e, and so on, so the state that was read is the list up to e.
 *
 * <p>PC, CC, RA, RC and PL2, {@link #ofCommits}: an append reads nothing. A read of a list reads each element from the
 * transaction that appended it: an element that is not the last one has a key of its own. The order of the appends is
 * that of {@link ListVersions#pairs}.
 *
 * <p>A key to whose writes the database gave versions is such a list without reads of earlier elements: at SER and SI a
 * write reads the version before it. If other transactions may write the key too, their place is not known, and the
 * writes with versions read and write a key of their own, which stands for the order. A read has the code of the write
 * that its version names.
 *
 * <p>Operations that no transaction did are {@link Operations#IMPLIED}. Time: linear in the operations; at PC, CC, RA,
 * RC and PL2 in the elements of all reads of lists.
 */
public final class ListReduction {
    private static final long MOST_ELEMENTS = 1 << 28;

    private final HistoryTable table;
    private final ListVersions versions;
    /** By code of an element: the code of the version that it makes. */
    private final Long2LongOpenHashMap codes = new Long2LongOpenHashMap();

    private final OperationList operations;
    private final IntArrayList origin;

    private ListReduction(ListVersions versions) {
        this.table = versions.recorded();
        this.versions = versions;
        codes.defaultReturnValue(ValueDictionary.NULL);
        int expected = table.operations() + table.writes();
        operations = new OperationList(expected);
        origin = new IntArrayList(expected);
    }

    /** Returns the form of SER and SI, or the same table if it has no lists that were recorded. */
    public static HistoryTable of(HistoryTable table) {
        return table.hasLists() ? new ListReduction(table.recordedVersions()).ofSnapshots() : table;
    }

    /** Returns the form of PC, CC, RA, RC and PL2, or the same table if it has no lists or has this form. */
    public static HistoryTable ofCommits(HistoryTable table) {
        ListReduced reduced = table.reduced();
        return reduced == null && table.hasLists()
                ? new ListReduction(table.recordedVersions()).ofCommits()
                : reduced == null || reduced.isOfCommits() ? table : new ListReduction(reduced.versions()).ofCommits();
    }

    private HistoryTable ofSnapshots() {
        long[][] orders = new long[table.keys().size()][];
        KeyDictionary keys = table.keys();
        GivenVersions given = versions.given();
        boolean[] whole = given.whole();
        Int2IntOpenHashMap orderKeys = new Int2IntOpenHashMap();
        int[] starts = new int[table.transactions() + 1];
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                int key = table.key(o);
                int ofGiven = table.isWrite(o) ? given.place(o) : ListVersions.NONE;
                int ordered = key;
                if (ofGiven != ListVersions.NONE && !whole[key]) {
                    if (orderKeys.isEmpty()) {
                        keys = new KeyDictionary();
                        keys.addAll(table.keys());
                    }
                    if (!orderKeys.containsKey(key)) {
                        orderKeys.put(
                                key, keys.newId("versions of " + table.keys().label(key)));
                    }
                    ordered = orderKeys.get(key);
                }
                Long before = ofGiven == ListVersions.NONE ? null : given.before(ofGiven, ordered == key);
                if (before != null) {
                    imply(Operations.pack(ordered, false), before);
                }
                int place = versions.place(o);
                if (place != ListVersions.NONE) {
                    orders[key] = orders[key] == null ? versions.order(key) : orders[key];
                    imply(
                            Operations.pack(key, false),
                            place == 0 ? table.initialValue() : code(orders[key][place - 1]));
                }
                resolve(t, o);
                if (ordered != key) {
                    imply(Operations.pack(ordered, true), given.code(ofGiven));
                }
                made(o);
            }
            starts[t + 1] = operations.size();
        }
        return reduced(keys, starts, false);
    }

    private HistoryTable ofCommits() {
        KeyDictionary keys = new KeyDictionary();
        keys.addAll(table.keys());
        Int2IntOpenHashMap elementKeys = elementKeys(keys);
        int[] starts = new int[table.transactions() + 1];
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (versions.isRead(o)) {
                    readElements(o, elementKeys);
                }
                resolve(t, o);
                int ofElement = versions.isAppend(o) ? elementKeys.get(o) : ListVersions.NONE;
                if (ofElement != ListVersions.NONE) {
                    imply(Operations.pack(ofElement, true), code(table.value(o)));
                }
                made(o);
            }
            starts[t + 1] = operations.size();
        }
        return reduced(keys, starts, true);
    }

    /** By append: the key of its element, if the longest list has it and further ones. */
    private Int2IntOpenHashMap elementKeys(KeyDictionary keys) {
        Int2IntOpenHashMap elementKeys = new Int2IntOpenHashMap();
        elementKeys.defaultReturnValue(ListVersions.NONE);
        for (int key = 0; key < table.keys().size(); key++) {
            long[] order = versions.order(key);
            for (int i = 0; i + 1 < order.length; i++) {
                int append = versions.append(key, order[i]);
                if (append != ListVersions.NONE) {
                    String label = table.values().label(order[i]) + " in list "
                            + table.keys().label(key);
                    elementKeys.put(append, keys.newId(label));
                }
            }
        }
        return elementKeys;
    }

    /** Reads the elements before the last one, from the first. */
    private void readElements(int o, Int2IntOpenHashMap elementKeys) {
        if (operations.size() + (long) versions.length(o) > MOST_ELEMENTS) {
            throw new BudgetException(
                    "the lists that were read have more than " + MOST_ELEMENTS
                            + " elements in all; pc, cc, ra, rc and pl2 read each of them; check si, which implies these levels");
        }
        long[] elements = versions.elements(o);
        for (int i = 0; i + 1 < elements.length; i++) {
            int append = versions.append(table.key(o), elements[i]);
            int key = append == ListVersions.NONE ? ListVersions.NONE : elementKeys.get(append);
            if (key != ListVersions.NONE) {
                imply(Operations.pack(key, false), code(elements[i]));
            }
        }
    }

    private HistoryTable reduced(KeyDictionary keys, int[] starts, boolean isOfCommits) {
        return table.with(keys, operations.build(starts), new ListReduced(versions, origin.toIntArray(), isOfCommits));
    }

    /** Writes a recorded operation. */
    private void resolve(int t, int o) {
        long code = versions.given().name(t, o);
        byte kind = 0;
        if (ListCodes.isRead(code)) {
            code = versions.length(o) == 0 ? table.initialValue() : code(versions.last(versions.list(o)));
        } else if (versions.isAppend(o)) {
            code = code(code);
            kind = Operations.APPEND;
        } else if (versions.isList(table.key(o))) {
            // A read of null reads the empty list.
            code = table.initialValue();
        }
        operations.add(table.operationKeys()[o], code, kind);
    }

    /** States that the operations since the last call stand for a recorded one. */
    private void made(int o) {
        while (origin.size() < operations.size()) {
            origin.add(o);
        }
    }

    private void imply(int keyAndKind, long code) {
        operations.add(keyAndKind, code, Operations.IMPLIED);
    }

    /** The version that an element makes, which is labelled as a list that ends with it. */
    private long code(long element) {
        long code = codes.get(element);
        if (code == ValueDictionary.NULL) {
            code = table.values().opaque("[.. " + table.values().label(element) + "]");
            codes.put(element, code);
        }
        return code;
    }
}
