package org.polygraph.jobs.report.wording;

import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.ints.IntSet;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.EdgeKind;
import org.polygraph.storage.table.Condition;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.PredicateReads;
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
    private final PredicateReads reads;
    private final @Nullable Predicates predicates;

    Queries(HistoryTable table, PredicateReads reads, Facts facts) {
        this.facts = facts;
        this.reads = reads;
        this.recorded = table.asRead();
        this.predicates = table.recordedPredicates();
    }

    /**
     * A query.
     *
     * @param at its place among the recorded operations
     * @param name without its rows
     * @param verb what it does to its rows
     * @param keys of its rows; null if they are not known
     * @param rows their keys, with the values that it returned
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Query(
            int at, Condition condition, String name, String verb, int @Nullable [] keys, List<String> rows) {
        String text(IntSet first) {
            return name + (keys == null ? "" : "=" + list(keys, rows, first));
        }

        boolean has(int row) {
            for (int i = 0; keys != null && i < keys.length; i++) {
                if (keys[i] == row) {
                    return true;
                }
            }
            return false;
        }

        private static String list(int[] keys, List<String> rows, IntSet first) {
            List<String> shown = new ArrayList<>();
            int others = MOST_ROWS;
            for (int i = 0; i < keys.length; i++) {
                if (first.contains(keys[i]) || others-- > 0) {
                    shown.add(rows.get(i));
                }
            }
            int more = keys.length - shown.size();
            return "[" + String.join(", ", shown) + (more == 0 ? "" : ", ... " + more + " more") + "]";
        }
    }

    /**
     * Each query; below it its rows after a transaction of the cycle that overwrote what it read.
     *
     * @param first rows that are shown even if a result has many
     */
    List<String> of(int transaction, IntSet first, List<Dependency> cycle) {
        List<String> all = new ArrayList<>();
        for (Query query : queries(transaction)) {
            all.add(query.text(first));
            for (Dependency edge : cycle) {
                String rows = edge.from() == transaction ? after(query, edge, first) : null;
                if (rows != null) {
                    all.add("after " + facts.name(edge.to()) + " it " + query.verb + "s " + rows);
                }
            }
        }
        return all;
    }

    /** What queries of a transaction would have returned if they had seen the write they missed; null if the same. */
    @Nullable
    String expected(Dependency missed, IntSet first) {
        List<String> all = new ArrayList<>();
        for (Query query : queries(missed.from())) {
            String rows = after(query, missed, first);
            if (rows != null) {
                all.add(query.name + " of " + facts.name(missed.from()) + " had to " + query.verb + " " + rows);
            }
        }
        return all.isEmpty() ? null : String.join(", and ", all);
    }

    /** The reads and writes that belong to a query, as places among all reads and writes of keys by a transaction. */
    IntSet implied(int transaction) {
        IntSet implied = new IntOpenHashSet();
        int place = 0;
        int ofQuery = 0;
        for (int o = recorded.firstOperation(transaction); o < recorded.operationsEnd(transaction); o++) {
            long code = recorded.value(o);
            if (predicates != null && Predicates.isOne(code)) {
                Predicates.Recording query = predicates.recording(code);
                int[] keys = query.keys();
                int rows = keys == null ? 0 : keys.length;
                for (int i = 1; query.isRead() && i <= rows; i++) {
                    implied.add(place - i);
                }
                ofQuery = query.isRead() ? 0 : rows;
            } else if (!Predicates.isRow(code)) {
                if (ofQuery-- > 0) {
                    implied.add(place);
                }
                place++;
            }
        }
        return implied;
    }

    /** The rows of a query after the second transaction of an edge; null if that does not change them. */
    private @Nullable String after(Query query, Dependency edge, IntSet first) {
        int row = edge.kind() == EdgeKind.RW && edge.key() >= 0 ? facts.rowOf(edge.key()) : -1;
        int written = row < 0 ? -1 : facts.lastWrite(row, edge.to());
        if (written < 0 || query.keys == null || isWrittenBefore(query, edge, row)) {
            return null;
        }
        boolean matches = reads.leavesMatch(edge.to(), row, query.condition);
        boolean isSame = matches == query.has(row);
        if (isSame && (!matches || !query.verb.equals("return"))) {
            return null;
        }
        int[] keys = query.keys;
        IntSet others = new IntOpenHashSet(first);
        List<String> rows = new ArrayList<>();
        List<Integer> ids = new ArrayList<>();
        String now = facts.key(row)
                + (query.verb.equals("return") ? "=" + facts.value(facts.table().value(written)) : "");
        for (int i = 0; i < keys.length; i++) {
            if (keys[i] != row) {
                rows.add(query.rows.get(i));
                ids.add(keys[i]);
            } else if (matches) {
                rows.add(now);
                ids.add(row);
            }
        }
        if (matches && !query.has(row)) {
            rows.add(now);
            ids.add(row);
        }
        others.add(row);
        return Query.list(ids.stream().mapToInt(i -> i).toArray(), rows, others);
    }

    /** Whether the transaction of a query writes a row before it, or would if it came after the other transaction. */
    private boolean isWrittenBefore(Query query, Dependency edge, int row) {
        for (int o = recorded.firstOperation(edge.from()); o < query.at; o++) {
            if (recorded.isWriteOf(o, row)) {
                return true;
            }
            if (predicates != null && Predicates.isOne(recorded.value(o))) {
                Predicates.Recording before = predicates.recording(recorded.value(o));
                if (!before.isRead() && reads.leavesMatch(edge.to(), row, before.condition())) {
                    return true;
                }
            }
        }
        return false;
    }

    private List<Query> queries(int transaction) {
        List<Query> all = new ArrayList<>();
        Predicates known = predicates;
        int end = recorded.operationsEnd(transaction);
        for (int o = recorded.firstOperation(transaction); known != null && o < end; o++) {
            if (Predicates.isOne(recorded.value(o))) {
                all.add(query(o, known.recording(recorded.value(o))));
            }
        }
        return all;
    }

    private Query query(int o, Predicates.Recording query) {
        int[] keys = query.keys();
        String condition = Legible.of(query.condition().label());
        if (query.isRead()) {
            return new Query(o, query.condition(), "pr(" + condition + ")", "return", keys, rows(keys, o));
        }
        Predicates.Unknown write = query.write();
        int at = keys == null || keys.length == 0 ? -1 : Predicates.isRow(recorded.value(o + 1)) ? o + 2 : o + 1;
        boolean isDelete = at >= 0 ? recorded.isDelete(at) : write != null && write.isDelete();
        String left = isDelete || (at < 0 && write == null)
                ? ""
                : ", " + facts.value(at >= 0 ? recorded.value(at) : write == null ? 0 : write.value());
        return new Query(
                o,
                query.condition(),
                (isDelete ? "pd(" : "pw(") + condition + left + ")",
                isDelete ? "delete" : "write",
                keys,
                rows(keys, -1));
    }

    /** @param end the operation after the reads of the rows; -1 if the rows have no values */
    private List<String> rows(int @Nullable [] keys, int end) {
        List<String> rows = new ArrayList<>();
        for (int i = 0; keys != null && i < keys.length; i++) {
            rows.add(facts.key(keys[i]) + (end < 0 ? "" : "=" + facts.value(recorded.value(end - keys.length + i))));
        }
        return rows;
    }
}
