package org.polygraph.jobs.windows;

import java.util.Arrays;
import org.polygraph.jobs.certificate.format.TransactionHash;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.format.jsonl.OperationWalk;
import org.polygraph.storage.lists.ListCodes;
import org.polygraph.storage.lists.ListReads;
import org.polygraph.storage.table.HistoryRows;
import org.polygraph.storage.table.Operations;

/** Hashes the transactions of a piece as they were recorded: with appends and reads of lists, inserts, deletes and refused compare-and-sets. */
final class RecordedRows {
    private final HistoryRows rows;
    private final Operations operations;
    private final KeyDictionary keys;
    private final ValueDictionary values;
    private final TransactionHash hash = new TransactionHash();
    private final byte[] content = new byte[TransactionHash.BYTES];
    private long[] elements = new long[16];

    RecordedRows(HistoryRows rows) {
        this.rows = rows;
        this.operations = rows.undone() == null ? rows.operations() : rows.undone();
        this.keys = rows.keys();
        this.values = rows.values();
    }

    /** Returns the hash of a transaction in an array that is used again. */
    byte[] hash(int t, byte status, long start, long end) {
        byte[] kinds = operations.kinds();
        int from = operations.starts()[t];
        int to = operations.starts()[t + 1];
        long[] coded = operations.values();
        hash.begin(
                rows.sessionLabels()[rows.sessionOf()[t]],
                rows.transactions().indexes()[t],
                status,
                start,
                end,
                to - from);
        for (int o = from; o < to; o++) {
            int keyAndKind = operations.keys()[o];
            int key = Operations.key(keyAndKind);
            if (kinds != null && kinds[o] >= Operations.SAVEPOINT) {
                hash.fields(OperationWalk.ofSavepoint(kinds[o], values, coded[o]));
            } else if (operations.isAppend(o)) {
                hash.append(keys, key, values, coded[o]);
            } else if (ListCodes.isRead(coded[o])) {
                list(key, ListCodes.list(coded[o]));
            } else if (values.isOther(coded[o])) {
                hash.refused(keys, key, values, values.excluded(coded[o]));
            } else {
                hash.operation(
                        keys,
                        values,
                        keyAndKind,
                        coded[o],
                        kinds != null && kinds[o] == Operations.INSERT,
                        kinds != null && kinds[o] == Operations.DELETE);
            }
        }
        hash.end(content, 0);
        return content;
    }

    private void list(int key, int list) {
        ListReads lists = rows.lists();
        int length = 0;
        for (int at = list; lists != null && at > 0; at = lists.before()[at]) {
            if (length == elements.length) {
                elements = Arrays.copyOf(elements, 2 * length);
            }
            elements[length++] = lists.elements()[at];
        }
        hash.list(keys, key, length);
        while (length > 0) {
            hash.element(values, elements[--length]);
        }
    }
}
