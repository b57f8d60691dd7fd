package org.polygraph.jobs.certificate.format;

import org.polygraph.storage.format.jsonl.OperationWalk;
import org.polygraph.storage.table.HistoryTable;

/**
 * Hashes the transactions of a history that has more than reads and writes of values: lists, rows, predicates or refused
 * compare-and-sets. What was recorded is hashed, and not the reads and writes of values that stand for it.
 */
final class RecordedHash {
    private final HistoryTable table;
    private final OperationWalk walk;

    /** @param table as it was read, see {@link HistoryTable#withUndone} */
    RecordedHash(HistoryTable table) {
        this.table = table;
        this.walk = new OperationWalk(table);
    }

    void transaction(TransactionHash hash, long session, int t) {
        int operations = 0;
        for (walk.seek(t); walk.next(); ) {
            operations++;
        }
        hash.begin(
                session,
                table.index(t),
                table.statuses()[t],
                Fingerprint.time(table.starts(), t),
                Fingerprint.time(table.ends(), t),
                operations);
        for (walk.seek(t); walk.next(); ) {
            if (walk.hasFields()) {
                hash.fields(walk.fields());
            }
            if (walk.predicate() == null) {
                operation(hash, walk.operation());
            }
        }
    }

    private void operation(TransactionHash hash, int o) {
        int key = table.key(o);
        long value = table.value(o);
        long[] elements = table.elements(o);
        if (elements != null) {
            hash.list(table.keys(), key, elements.length);
            for (long element : elements) {
                hash.element(table.values(), element);
            }
        } else if (table.values().isOther(value)) {
            hash.refused(table.keys(), key, table.values(), table.values().excluded(value));
        } else if (table.isAppend(o)) {
            hash.append(table.keys(), key, table.values(), value);
        } else if (table.isAddition(o)) {
            hash.addition(table.keys(), key, table.values(), value);
        } else {
            if (table.values().isGiven(value)) {
                hash.version(table.values().givenVersion(value));
            }
            hash.operation(
                    table.keys(),
                    table.values(),
                    table.operationKeys()[o],
                    table.values().withoutVersion(value),
                    table.isInsert(o),
                    table.isDelete(o));
        }
    }
}
