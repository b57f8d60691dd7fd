package org.polygraph.storage.table;

import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.lists.ListCodes;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;

/** Checks that the lists of a recorded history have a meaning. Linear in the operations. */
final class ListCheck {
    private static final byte LIST = 1;
    private static final byte PLAIN = 2;

    private ListCheck() {}

    /**
     * Checks a history, and marks its dictionary of values if some key has lists.
     *
     * @throws HistoryException if an element is appended twice to one list, or a key has lists and other values, or versions
     *     contradict each other
     */
    static void check(HistoryTable table) throws HistoryException {
        refuseRows(table);
        ListVersions versions = table.recordedVersions();
        checkAppends(versions);
        checkUnknown(versions);
        if (!"true".equals(table.metadata().get("part"))) {
            // A part lacks writes, so what a version means is known from the whole.
            versions.given().check();
        }
    }

    private static void refuseRows(HistoryTable table) throws HistoryException {
        boolean isGiven = table.values().hasGiven();
        for (int t = 0; table.operationKinds() != null && t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (table.isInsert(o) || table.isDelete(o) || table.isRepeatedRow(o)) {
                    throw new HistoryException(
                            table.whereIs(t),
                            (table.isRepeatedRow(o) ? "two rows with one key" : "an insert or a delete")
                                    + (isGiven
                                            ? " in a history that also has versions that the database gave"
                                            : " in a history that also has lists"),
                            isGiven ? "rows or versions" : "rows or lists",
                            isGiven
                                    ? "give --versions ignore"
                                    : "check the keys of lists and the keys of rows as two histories");
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
