package org.polygraph.partitioner.subhistory;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistoryTable;

/**
 * Names a violation that plain writes in place of inserts and deletes do not have: in every order that the level allows, an insert found
 * a row or a delete found none. Its cycle shows only which order of writes is impossible.
 */
final class RowCause {
    private final HistoryTable sub;
    /** Whether deletes found no row; else inserts found one. */
    private final boolean deletes;

    private final IntPredicate isOfCondition;

    private RowCause(HistoryTable sub, boolean deletes, IntPredicate isOfCondition) {
        this.sub = sub;
        this.deletes = deletes;
        this.isOfCondition = isOfCondition;
    }

    /**
     * Returns the violation with its right name.
     *
     * @param found by the rules or a case split
     * @param deletes whether the sub-history violates the level with plain writes in place of inserts alone
     * @param isOfCondition whether a key of the sub-history states if a row matches a condition
     */
    static Violation named(Violation found, HistoryTable sub, boolean deletes, IntPredicate isOfCondition) {
        Set<Integer> all = new LinkedHashSet<>(found.transactions());
        for (int t = 0; t < sub.transactions(); t++) {
            all.add(t);
        }
        return new Violation(
                deletes ? Anomaly.MISSING_ROW : Anomaly.DUPLICATE_INSERT,
                List.copyOf(all),
                found.keys(),
                found.cases().isEmpty() ? found.cycle() : List.of(),
                new RowCause(sub, deletes, isOfCondition).detail());
    }

    private String detail() {
        List<String> names = new ArrayList<>();
        Set<Integer> rows = new LinkedHashSet<>();
        for (int t = 0; t < sub.transactions(); t++) {
            boolean needs = false;
            for (int o = sub.firstOperation(t); o < sub.operationsEnd(t); o++) {
                if ((deletes ? sub.isDelete(o) : sub.isInsert(o)) && !isOfCondition.test(sub.key(o))) {
                    needs = true;
                    rows.add(sub.key(o));
                }
            }
            if (needs) {
                names.add(sub.name(t));
            }
        }
        String row = rows.size() == 1 ? row(rows.iterator().next()) : "a row";
        return "in every order that the level allows, " + row + (deletes ? " did not exist" : " existed") + " before "
                + (names.size() == 1 ? names.get(0) : "one of " + String.join(", ", names))
                + (deletes ? " deleted it" : " inserted it");
    }

    private String row(int key) {
        return "the row of key " + sub.keys().label(key);
    }
}
