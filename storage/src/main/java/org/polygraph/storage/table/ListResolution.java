package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2IntOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.lists.ListCodes;
import org.polygraph.storage.lists.ListTree;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;

/**
 * Expresses lists as reads and writes of single values. An append writes a version of its key whose value is the
 * appended element. A read of a list reads the version that its last element made. Each element must be appended only
 * once (Elle, Kingsbury and Alvaro, VLDB 2020, section 4.3: recoverable), and the lists of a key must be prefixes of the
 * longest one; the tables here mean nothing if they are not.
 *
 * <p>SER and SI, with real time or without: the transaction that appended an element has read the one before it in the
 * longest list, because an append always follows the latest version. An append that no list shows is a write without a
 * read. This is exact: under SI two appends to one list never overlap, so the version that an append follows is in the
 * snapshot of its transaction.
 *
 * <p>RC, RA and CC, {@link #ofCommits}: an append reads nothing. A read of a list reads each element from the
 * transaction that appended it: an element that is not the last one has a key of its own. The order of the appends is
 * that of {@link ListVersions#pairs}.
 *
 * <p>Operations that no transaction did are {@link Operations#IMPLIED}. Time: linear in the operations; at RC, RA and CC
 * in the elements of all reads of lists.
 */
final class ListResolution {
    private static final long MOST_ELEMENTS = 1 << 28;

    private static final byte LIST = 1;
    private static final byte PLAIN = 2;

    private final HistoryTable table;
    private final ListVersions versions;
    /** By code of an element: the code of the version that it makes. */
    private final Long2LongOpenHashMap codes = new Long2LongOpenHashMap();

    private final IntArrayList newKeys;
    private final LongArrayList newCodes;
    private final ByteList newKinds;

    private ListResolution(ListVersions versions) {
        this.table = versions.recorded();
        this.versions = versions;
        codes.defaultReturnValue(ValueDictionary.NULL);
        newKeys = new IntArrayList(table.operations());
        newCodes = new LongArrayList(table.operations());
        newKinds = new ByteList(table.operations());
    }

    /**
     * The table with reads and writes in place of the codes that stood for them.
     *
     * @param lists the lists that the codes name
     * @throws HistoryException if an element is appended twice to one list, or a key has lists and other values
     */
    static HistoryTable of(HistoryTable table, ListTree lists) throws HistoryException {
        refuseRows(table);
        HistoryTable recorded = table.reading(lists);
        ListVersions versions = ListVersions.of(recorded, lists);
        checkAppends(versions);
        checkUnknown(versions);
        return new ListResolution(versions).resolved(lists);
    }

    /** The table for RC, RA and CC, of lists that were resolved before. */
    static HistoryTable ofCommits(ListVersions versions, ListTree lists) {
        return new ListResolution(versions).ofCommits(lists);
    }

    private HistoryTable resolved(ListTree lists) {
        long[][] orders = new long[table.keys().size()][];
        int[] starts = new int[table.transactions() + 1];
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                int key = table.key(o);
                int place = versions.place(o);
                if (place != ListVersions.NONE) {
                    orders[key] = orders[key] == null ? versions.order(key) : orders[key];
                    imply(
                            Operations.pack(key, false),
                            place == 0 ? table.initialValue() : code(orders[key][place - 1]));
                }
                resolve(o);
            }
            starts[t + 1] = newKeys.size();
        }
        return table.with(
                table.keys(), operations(starts), new ListOperations(table.allOperations(), lists, versions, false));
    }

    private HistoryTable ofCommits(ListTree lists) {
        KeyDictionary keys = new KeyDictionary();
        keys.addAll(table.keys().labels());
        Int2IntOpenHashMap elementKeys = elementKeys(keys);
        int[] starts = new int[table.transactions() + 1];
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (versions.isRead(o)) {
                    readElements(o, elementKeys);
                }
                resolve(o);
                int ofElement = versions.isAppend(o) ? elementKeys.get(o) : ListVersions.NONE;
                if (ofElement != ListVersions.NONE) {
                    imply(Operations.pack(ofElement, true), code(table.value(o)));
                }
            }
            starts[t + 1] = newKeys.size();
        }
        return table.with(keys, operations(starts), new ListOperations(table.allOperations(), lists, versions, true));
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
        if (newKeys.size() + (long) versions.length(o) > MOST_ELEMENTS) {
            throw new BudgetException("the lists that were read have more than " + MOST_ELEMENTS
                    + " elements in all; rc, ra and cc read each of them; check si, which implies these levels");
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

    private Operations operations(int[] starts) {
        return new Operations(starts, newKeys.toIntArray(), newCodes.toLongArray(), newKinds.toByteArray());
    }

    /** Writes a recorded operation. */
    private void resolve(int o) {
        long code = table.value(o);
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
        put(table.operationKeys()[o], code, kind);
    }

    private void imply(int keyAndKind, long code) {
        put(keyAndKind, code, Operations.IMPLIED);
    }

    private void put(int keyAndKind, long code, byte kind) {
        newKeys.add(keyAndKind);
        newCodes.add(code);
        newKinds.add(kind);
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

    private static void refuseRows(HistoryTable table) throws HistoryException {
        for (int t = 0; table.operationKinds() != null && t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (table.isInsert(o) || table.isDelete(o) || table.isRepeatedRow(o)) {
                    throw new HistoryException(
                            table.whereIs(t),
                            (table.isRepeatedRow(o) ? "two rows with one key" : "an insert or a delete")
                                    + " in a history that also has lists",
                            "rows or lists",
                            "check the keys of lists and the keys of rows as two histories");
                }
            }
        }
    }

    /** Checks that each element is appended once, and that no key has both lists and plain values. */
    private static void checkAppends(ListVersions versions) throws HistoryException {
        HistoryTable table = versions.recorded();
        byte[] kinds = new byte[table.keys().size()];
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                int key = table.key(o);
                boolean isOurs = versions.isRead(o) || versions.isAppend(o);
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
                int first = versions.isAppend(o) ? versions.firstAppend(o) : o;
                if (first != o) {
                    throw new HistoryException(
                            table.whereIs(t),
                            table.values().label(table.value(o)) + " appended a second time to key "
                                    + table.keys().label(key) + " (first at "
                                    + table.whereIs(versions.transaction(first)) + ")",
                            "each element of a list to be appended once",
                            "append values that are different");
                }
            }
        }
        for (byte kind : kinds) {
            if (kind == LIST) {
                // No key has lists if the only lists are in invocations whose completions have other values.
                table.values().markLists();
                break;
            }
        }
    }

    /**
     * Rejects an indeterminate transaction that reads lists and writes plain values. A read of these values could show
     * that it committed, and then its reads of lists would count.
     */
    private static void checkUnknown(ListVersions versions) throws HistoryException {
        HistoryTable table = versions.recorded();
        for (int t = 0; t < table.transactions(); t++) {
            boolean reads = false;
            boolean writes = false;
            boolean isUnknown = table.status(t) == TransactionStatus.INDETERMINATE && !versions.isCounted(t);
            for (int o = table.firstOperation(t); isUnknown && o < table.operationsEnd(t); o++) {
                reads |= ListCodes.isRead(table.value(o));
                writes |= table.isWrite(o) && !versions.isAppend(o);
            }
            if (reads && writes) {
                throw new HistoryException(
                        table.whereIs(t),
                        "an indeterminate transaction that reads lists and writes plain values",
                        "lists or plain values in such a transaction",
                        "leave out its reads of lists: what it read is known to count only if it committed");
            }
        }
    }
}
