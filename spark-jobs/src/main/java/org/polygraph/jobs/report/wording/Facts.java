package org.polygraph.jobs.report.wording;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.EdgeKind;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/** Transactions, operations and edges of a history in words. */
public final class Facts {
    private static final String INITIAL = "initial";
    private static final int LISTED = 12;

    private final HistoryTable table;
    private final IntFunction<String> names;

    /** @param names names of the transactions of the table; not called for the initial transaction */
    public Facts(HistoryTable table, IntFunction<String> names) {
        this.table = table;
        this.names = names;
    }

    /** Transactions are named by {@link #id}. */
    public Facts(HistoryTable table) {
        this(table, t -> id(t, table));
    }

    /** {@code s<session>#<index>}, or {@code initial}: the name in verdict.json and in reasons. */
    public static String id(int t, HistoryTable table) {
        return t == Dependency.INITIAL ? INITIAL : "s" + table.sessionLabel(table.sessionOf(t)) + "#" + table.index(t);
    }

    public HistoryTable table() {
        return table;
    }

    /** The name of the transaction. */
    public String name(int t) {
        return t == Dependency.INITIAL ? INITIAL : names.apply(t);
    }

    /** {@code file:line} and, unless it committed, the status. */
    public String where(int t) {
        String where = Legible.of(table.whereIs(t));
        return table.status(t) == TransactionStatus.COMMITTED
                ? where
                : where + "  " + table.status(t).label();
    }

    /** For example {@code 7} or {@code "alice"}. */
    public String key(int key) {
        return Legible.of(table.keys().label(key));
    }

    /** For example {@code null}, {@code 7} or {@code "a"}. */
    public String value(long code) {
        return Legible.of(table.values().label(code));
    }

    /** The value of an edge; {@code [.. 1 ..]} if a transaction read a list that has further elements. */
    public String value(Dependency edge) {
        boolean inside = edge.kind() == EdgeKind.WR && table.values().hasLists() && !reads(edge);
        return Legible.of(inside ? table.labelInside(edge.value()) : table.label(edge.key(), edge.value()));
    }

    private boolean reads(Dependency edge) {
        for (int o = table.firstOperation(edge.to()); o < table.operationsEnd(edge.to()); o++) {
            if (table.isReadOf(o, edge.key()) && table.value(o) == edge.value()) {
                return true;
            }
        }
        return false;
    }

    /** {@code r(key)=value} or {@code w(key)=value}; {@code a(key)=list} for an append. */
    public String operation(int o) {
        return (table.isInsert(o)
                        ? "i("
                        : table.isDelete(o) ? "d(" : table.isAppend(o) ? "a(" : table.isWrite(o) ? "w(" : "r(")
                + key(table.key(o)) + ")=" + Legible.of(table.label(table.key(o), table.value(o)));
    }

    /** The fact behind an edge in words, with the values. */
    public String of(Dependency edge) {
        String from = name(edge.from());
        String to = name(edge.to());
        if (edge.key() == Dependency.NO_KEY) {
            return switch (edge.kind()) {
                case SO -> "session " + table.sessionLabel(table.sessionOf(edge.to())) + " ran " + from + " first";
                case RT -> from + " had ended when " + to + " started";
                case WR, WW, RW -> from + " comes before " + to;
            };
        }
        String key = "key " + key(edge.key()) + ": ";
        return switch (edge.kind()) {
            case SO, RT -> key + from + " ended before " + to + " began";
            case WR -> key + to + " read " + value(edge) + ", which " + from + " wrote";
            case WW -> key + from + " wrote " + value(edge) + ", " + overwritten(edge);
            case RW -> key + from + " read " + value(edge) + ", " + overwritten(edge);
        };
    }

    /** An edge as a clause: {@code T1 read 0 from key 7, which T2 overwrote}. */
    String clause(Dependency edge) {
        if (edge.key() == Dependency.NO_KEY) {
            return of(edge);
        }
        String key = key(edge.key());
        return switch (edge.kind()) {
            case SO, RT -> of(edge);
            case WR ->
                name(edge.to()) + " read " + value(edge) + " from key " + key + ", which " + name(edge.from())
                        + " wrote";
            case WW -> name(edge.to()) + " overwrote what " + name(edge.from()) + " wrote to key " + key;
            case RW ->
                name(edge.from()) + " read " + value(edge) + " from key " + key + ", which " + name(edge.to())
                        + " overwrote";
        };
    }

    /** Whether a transaction writes a key. */
    boolean writes(int t, int key) {
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            if (table.isWriteOf(o, key)) {
                return true;
            }
        }
        return false;
    }

    private String overwritten(Dependency edge) {
        long last = 0;
        boolean found = false;
        if (edge.to() != Dependency.INITIAL) {
            for (int o = table.firstOperation(edge.to()); o < table.operationsEnd(edge.to()); o++) {
                if (table.isWriteOf(o, edge.key())) {
                    last = table.value(o);
                    found = true;
                }
            }
        }
        return "which " + name(edge.to()) + " overwrote" + (found ? " with " + value(last) : "");
    }

    /** Returns {@code A, B and C}. Of more than a dozen it has the first ones and the number of the others. */
    public String list(List<Integer> transactions) {
        int shown = transactions.size() > LISTED ? LISTED - 1 : transactions.size();
        List<String> words = new ArrayList<>();
        for (int t : transactions.subList(0, shown)) {
            words.add(name(t));
        }
        if (shown < transactions.size()) {
            words.add(transactions.size() - shown + " more");
        }
        if (words.size() < 2) {
            return String.join("", words);
        }
        int last = words.size() - 1;
        return String.join(", ", words.subList(0, last)) + " and " + words.get(last);
    }
}
