package org.polygraph.jobs.report.wording;

import it.unimi.dsi.fastutil.ints.IntSet;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Predicates;

/**
 * The queries, and the writes by a condition, of a transaction as they were recorded: {@code pr(between 1 and
 * 9)=[2=5]}. The operations of a history have a read for each row that may match instead.
 */
final class Queries {
    /** The most rows of a result that are shown. */
    private static final int MOST_ROWS = 8;

    private final Facts facts;
    private final HistoryTable recorded;
    private final @Nullable Predicates predicates;

    Queries(HistoryTable table, Facts facts) {
        this.facts = facts;
        this.recorded = table.asRead();
        this.predicates = table.recordedPredicates();
    }

    /** @param first rows that are shown even if a result has many */
    List<String> of(int transaction, IntSet first) {
        List<String> all = new ArrayList<>();
        Predicates known = predicates;
        int end = recorded.operationsEnd(transaction);
        for (int o = recorded.firstOperation(transaction); known != null && o < end; o++) {
            if (Predicates.isOne(recorded.value(o))) {
                all.add(text(o, known.recording(recorded.value(o)), first));
            }
        }
        return all;
    }

    private String text(int o, Predicates.Recording query, IntSet first) {
        int[] keys = query.keys();
        String condition = Legible.of(query.condition().label());
        if (query.isRead()) {
            return "pr(" + condition + ")=" + rows(keys == null ? new int[0] : keys, o, first);
        }
        Predicates.Unknown write = query.write();
        int at = keys == null || keys.length == 0 ? -1 : Predicates.isRow(recorded.value(o + 1)) ? o + 2 : o + 1;
        boolean isDelete = at >= 0 ? recorded.isDelete(at) : write != null && write.isDelete();
        String left = isDelete || (at < 0 && write == null)
                ? ""
                : ", " + facts.value(at >= 0 ? recorded.value(at) : write == null ? 0 : write.value());
        return (isDelete ? "pd(" : "pw(") + condition + left + ")" + (keys == null ? "" : "=" + rows(keys, -1, first));
    }

    /** @param end the operation after the reads of the rows; -1 if the rows have no values */
    private String rows(int[] keys, int end, IntSet first) {
        List<String> shown = new ArrayList<>();
        int others = MOST_ROWS;
        for (int i = 0; i < keys.length; i++) {
            if (first.contains(keys[i]) || others-- > 0) {
                shown.add(
                        facts.key(keys[i]) + (end < 0 ? "" : "=" + facts.value(recorded.value(end - keys.length + i))));
            }
        }
        int more = keys.length - shown.size();
        return "[" + String.join(", ", shown) + (more == 0 ? "" : ", ... " + more + " more") + "]";
    }
}
