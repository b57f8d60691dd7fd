package org.polygraph.jobs.report.wording;

import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.isolation.Basis;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.ReasonTree;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistoryTable;

/**
 * Describes an insert that found a row, or a delete that found none, by the two transactions that inserts and deletes put into an order
 * which the rest of the violation contradicts.
 */
final class WrongRow {
    private final HistoryTable table;
    private final Facts facts;
    /** Whether a delete found no row; else an insert found one. */
    private final boolean deletes;

    private WrongRow(Facts facts, boolean deletes) {
        this.table = facts.table();
        this.facts = facts;
        this.deletes = deletes;
    }

    /** Returns null if more orders of two transactions are contradicted, or if a third transaction is involved. */
    static @Nullable String of(Violation violation, Facts facts, boolean deletes) {
        Dependency only = null;
        for (Dependency edge :
                ReasonTree.of(violation.cycle(), violation.cases()).edges()) {
            // Only inserts and deletes force an order without an alternative that was refuted.
            boolean isOfRow = edge.key() != Dependency.NO_KEY
                    && edge.reason().basis() == Basis.FORCED
                    && edge.reason().because().isEmpty();
            if (isOfRow && only != null && (edge.from() != only.from() || edge.to() != only.to())) {
                return null;
            }
            only = isOfRow ? edge : only;
        }
        return only == null ? null : new WrongRow(facts, deletes).of(only.to(), only.from(), only.key());
    }

    private @Nullable String of(int first, int second, int key) {
        int firstLast = facts.lastWrite(key, first);
        int secondLast = facts.lastWrite(key, second);
        if (facts.isQuery(key) || firstLast < 0 || secondLast < 0) {
            return null;
        }
        if (changes(second, key) && table.isDelete(firstLast) == deletes) {
            return did(second, key) + ", which " + facts.name(first) + " had "
                    + (deletes ? "deleted" : table.isInsert(firstLast) ? "inserted" : "written");
        }
        if (changes(first, key) && table.isDelete(secondLast) != deletes) {
            return did(first, key) + ", which " + facts.name(second) + " "
                    + (!deletes ? "deleted" : table.isInsert(secondLast) ? "inserted" : "wrote") + " only later";
        }
        return null;
    }

    /** Whether the first write of a key by a transaction is the insert or delete that found the wrong state. */
    private boolean changes(int t, int key) {
        int o = table.firstOperation(t);
        while (!table.isWriteOf(o, key)) {
            o++;
        }
        return deletes ? table.isDelete(o) : table.isInsert(o);
    }

    private String did(int t, int key) {
        return facts.name(t) + (deletes ? " deleted row " : " inserted row ") + facts.key(key);
    }
}
