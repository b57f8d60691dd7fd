package org.polygraph.jobs.report.wording;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntList;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.ints.IntSet;
import it.unimi.dsi.fastutil.ints.IntSets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.EdgeKind;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.PredicateReads;

/** Transactions, operations and edges of a history in words. */
public final class Facts {
    private static final String INITIAL = "initial";
    private static final int LISTED = 12;

    private final HistoryTable table;
    private final @Nullable PredicateReads predicates;
    private final IntFunction<String> names;
    private @Nullable Queries queries;
    /** Keys of which some write leaves a row with the value null; null until it is needed. */
    private @Nullable IntSet rowsOfNull;
    /** The violation that was asked for last, its keys, and the operations that {@link #kept} returned for it. */
    private @Nullable Violation last;

    private IntSet keysOfLast = IntSets.EMPTY_SET;
    private IntSet keptOfLast = IntSets.EMPTY_SET;

    /** @param names names of the transactions of the table; not called for the initial transaction */
    public Facts(HistoryTable table, IntFunction<String> names) {
        this.table = table;
        this.predicates = table.predicates();
        this.names = names;
    }

    /** Transactions are named by {@link #id}. */
    public Facts(HistoryTable table) {
        this(table, t -> id(t, table));
    }

    /** {@code s<session>#<index>}, or {@code initial}: the name in verdict.json and in reasons. */
    public static String id(int t, HistoryTable table) {
        return t == Dependency.INITIAL ? INITIAL : table.name(t);
    }

    public HistoryTable table() {
        return table;
    }

    /** The name of the transaction. */
    public String name(int t) {
        return t == Dependency.INITIAL ? INITIAL : names.apply(t);
    }

    /** {@code file:line} and, unless it committed, the status and the error with which it ended. */
    public String where(int t) {
        String where = Legible.of(table.whereIs(t));
        String error = table.errorOf(t);
        return table.status(t) == TransactionStatus.COMMITTED
                ? where
                : where + "  " + table.status(t).label() + (error == null ? "" : ", error: " + Legible.of(error));
    }

    /** For example {@code 7} or {@code "alice"}; of a query and a row {@code row 2 between 0 and 10}. */
    public String key(int key) {
        String label = table.keys().label(key);
        return Legible.of(isQuery(key) && label.startsWith("\"") ? label.substring(1, label.length() - 1) : label);
    }

    /** For example {@code key 7}; of a query and a row {@code row 2 between 0 and 10}. */
    public String item(int key) {
        return (isQuery(key) ? "" : "key ") + key(key);
    }

    /** Whether a key is that of a pair of a row and a condition. */
    public boolean isQuery(int key) {
        return key >= 0 && predicates != null && predicates.rowOf(key) >= 0;
    }

    /**
     * The operations of a transaction, without those that others imply. Those of a query are part of {@link #queries},
     * so they are left out unless they belong to the violation or its sub-history.
     */
    public IntList shown(int t, Violation violation) {
        IntList shown = new IntArrayList();
        Queries made = queries();
        IntSet implied = made == null ? IntSets.EMPTY_SET : made.implied(t);
        if (violation != last) {
            last = violation;
            keysOfLast = new IntOpenHashSet(keys(violation));
            keptOfLast = made == null ? IntSets.EMPTY_SET : kept(violation);
        }
        IntSet kept = keptOfLast;
        IntSet keys = keysOfLast;
        int place = 0;
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            boolean isOfQuery = isQuery(table.key(o)) || implied.contains(place);
            place += isQuery(table.key(o)) ? 0 : 1;
            if (shownFor(o) == o && (!isOfQuery || keys.contains(table.key(o)) || kept.contains(o))) {
                shown.add(o);
            }
        }
        return shown;
    }

    /** The operations of a violation's sub-history, or those that are shown for them. */
    private IntSet kept(Violation violation) {
        SubHistory sub = violation.minimal();
        IntSet kept = new IntOpenHashSet();
        for (int i = 0; sub != null && i < sub.operations().length; i++) {
            kept.add(shownFor(sub.operations()[i]));
        }
        return kept;
    }

    /**
     * The queries of a transaction as they were recorded, if it has any, and their rows after transactions that
     * overwrote what they read. Rows of the violation are shown even if a result has many.
     */
    public List<String> queries(int t, Violation violation) {
        Queries made = queries();
        return made == null ? List.of() : made.of(t, new IntOpenHashSet(keys(violation)), violation.cycle());
    }

    /** What queries of a transaction would have returned if they had seen the write they missed; null if the same. */
    @Nullable
    String expected(Dependency missed) {
        Queries made = queries();
        return made == null ? null : made.expected(missed, IntSets.EMPTY_SET);
    }

    private @Nullable Queries queries() {
        if (queries == null && predicates != null) {
            queries = new Queries(table, predicates, this);
        }
        return queries;
    }

    /** The row of a query's key; another key itself. */
    int rowOf(int key) {
        return isQuery(key) && predicates != null ? predicates.rowOf(key) : key;
    }

    /** The operation that is shown for an operation: itself, or the one that implies it. */
    public int shownFor(int o) {
        int implying = table.implying(o);
        while (implying > 0 && table.isWrite(implying) && isQuery(table.key(implying))) {
            implying--;
        }
        return implying;
    }

    /** The detail of a violation by one read. If its key is that of a query, values become what the query found. */
    String detail(int key, String detail) {
        if (!isQuery(key)) {
            return Legible.of(detail);
        }
        String found = " (after it had )?read (\\S+) from (?:the same key|key "
                + Pattern.quote(table.keys().label(key)) + ")";
        String text = Pattern.compile(found)
                .matcher(" " + detail)
                .replaceAll(read -> {
                    boolean is = PredicateReads.isMatch(read.group(2));
                    String earlier = read.group(1);
                    return Matcher.quoteReplacement(
                            earlier == null
                                    ? (is ? " found " : " found no ") + key(key)
                                    : " " + earlier + (is ? "found one" : "found none"));
                })
                .strip();
        text = Pattern.compile(" after its own write of (\\S+)$")
                .matcher(text)
                .replaceAll(own -> PredicateReads.isMatch(own.group(1))
                        ? ", which matched after its own write"
                        : ", which did not match after its own write");
        boolean isMissed = text.contains("found no ");
        return text.replace(
                ", which no transaction wrote", ", but " + (isMissed ? "every" : "no") + " version of the row matches");
    }

    /** The keys of a violation, and the keys of rows that its queries match. */
    public List<Integer> keys(Violation violation) {
        List<Integer> keys = new ArrayList<>(VersionOrder.keys(violation));
        for (int key : List.copyOf(keys)) {
            if (predicates != null && predicates.rowOf(key) >= 0) {
                keys.add(predicates.rowOf(key));
            }
        }
        return keys;
    }

    /** For example {@code null}, {@code 7} or {@code "a"}. */
    public String value(long code) {
        return Legible.of(table.values().label(code));
    }

    /** The value of a key; of a query and a row, whether the row is there. */
    public String value(int key, long code) {
        if (isQuery(key)) {
            return isFound(code) ? "there" : "not there";
        }
        return isNoRow(key, code) ? "no row" : Legible.of(table.label(key, code));
    }

    /** Whether a value of a key states that there is no row: null, unless a row of the key may have that value. */
    private boolean isNoRow(int key, long code) {
        boolean isRowOfNull = table.existsAtFirst(key) && table.initialValue(key) == ValueDictionary.NULL;
        if (code != ValueDictionary.NULL || !table.hasRows() || isRowOfNull) {
            return false;
        }
        IntSet known = rowsOfNull;
        if (known == null) {
            known = new IntOpenHashSet();
            for (int o = 0; o < table.operations(); o++) {
                if (table.isWrite(o) && !table.isDelete(o) && table.value(o) == ValueDictionary.NULL) {
                    known.add(table.key(o));
                }
            }
            rowsOfNull = known;
        }
        return !known.contains(key);
    }

    private boolean isFound(long code) {
        return predicates != null && predicates.isMatch(code);
    }

    /** What a read returned, for example {@code read 5 from key 7} or {@code found no row 2 between 0 and 10}. */
    String read(Dependency edge) {
        if (isQuery(edge.key())) {
            return found(edge.key(), edge.value());
        }
        return isNoRow(edge.key(), edge.value())
                ? "found no row with " + item(edge.key())
                : "read " + value(edge) + " from " + item(edge.key());
    }

    private String found(int key, long code) {
        return (isFound(code) ? "found " : "found no ") + key(key);
    }

    /** What a read returned and who wrote it: {@code read 5 from key 7, which T1 wrote}. */
    String seen(Dependency edge) {
        return read(edge) + ", which " + name(edge.from()) + " " + verb(edge, edge.from(), "wrote");
    }

    /** What a transaction did to the key of an edge: {@code inserted}, {@code deleted}, or the word given. */
    private String verb(Dependency edge, int writer, String otherwise) {
        int o = lastWrite(edge.key(), writer);
        if (o < 0) {
            return otherwise;
        }
        return table.isInsert(o)
                ? "inserted"
                : table.isDelete(o) ? "deleted" : isQuery(edge.key()) ? "changed" : otherwise;
    }

    /** What the second transaction of an RW edge did to what the first one read. An insert after an own delete overwrites a row. */
    private String replaced(Dependency edge) {
        if (isNoRow(edge.key(), edge.value())) {
            return verb(edge, edge.to(), "wrote");
        }
        String verb = verb(edge, edge.to(), "overwrote");
        return verb.equals("inserted") && !isQuery(edge.key()) ? "overwrote" : verb;
    }

    private boolean deletes(Dependency edge, int writer) {
        int o = lastWrite(edge.key(), writer);
        return o >= 0 && table.isDelete(o);
    }

    /** The last operation of a transaction that writes a key; -1 if there is none. */
    int lastWrite(int key, int writer) {
        return writer == Dependency.INITIAL ? -1 : table.lastWrite(writer, key);
    }

    /** The value of an edge; {@code [.. 1 ..]} if a transaction read a list that has further elements. */
    public String value(Dependency edge) {
        if (isQuery(edge.key())) {
            return value(edge.key(), edge.value());
        }
        boolean inside = edge.kind() == EdgeKind.WR && table.values().hasLists() && !reads(edge);
        return Legible.of(inside ? table.values().labelInside(edge.value()) : table.label(edge.key(), edge.value()));
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
        if (isQuery(table.key(o))) {
            return found(table.key(o), table.value(o));
        }
        if (table.isDelete(o)) {
            return "d(" + key(table.key(o)) + ")";
        }
        return (table.isInsert(o)
                        ? "i("
                        : table.isAppend(o) ? "a(" : table.isAddition(o) ? "add(" : table.isWrite(o) ? "w(" : "r(")
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
        if (isQuery(edge.key())) {
            return clause(edge);
        }
        String key = "key " + key(edge.key()) + ": ";
        return switch (edge.kind()) {
            case SO, RT -> key + from + " ended before " + to + " began";
            case WR ->
                key
                        + to
                        + (deletes(edge, edge.from())
                                ? " found no row, because " + from + " had deleted it"
                                : " read " + value(edge) + ", which " + from + " " + verb(edge, edge.from(), "wrote"));
            case WW ->
                key + from + " "
                        + (deletes(edge, edge.from())
                                ? "deleted the row"
                                : verb(edge, edge.from(), "wrote") + " " + value(edge))
                        + ", " + overwritten(edge);
            case RW ->
                key + from
                        + (isNoRow(edge.key(), edge.value()) ? " found no row" : " read " + value(edge))
                        + ", " + overwritten(edge);
        };
    }

    /** An edge as a clause: {@code T1 read 0 from key 7, which T2 overwrote}. */
    String clause(Dependency edge) {
        if (edge.key() == Dependency.NO_KEY) {
            return of(edge);
        }
        String from = name(edge.from());
        String to = name(edge.to());
        String item = item(edge.key());
        return switch (edge.kind()) {
            case SO, RT -> item + ": " + from + " ended before " + to + " began";
            case WR -> to + " " + seen(edge);
            case WW ->
                deletes(edge, edge.from())
                        ? to + " wrote " + item + " after " + from + " had deleted it"
                        : to + " " + (deletes(edge, edge.to()) ? "deleted" : "overwrote") + " what " + from
                                + " wrote to " + item;
            case RW -> from + " " + read(edge) + ", which " + to + " " + replaced(edge);
        };
    }

    private String overwritten(Dependency edge) {
        String to = name(edge.to());
        int last = lastWrite(edge.key(), edge.to());
        if (last < 0) {
            return "which " + to + " overwrote";
        }
        if (table.isDelete(last)) {
            return "which " + to + " deleted";
        }
        String value = value(table.value(last));
        boolean isFirst = edge.kind() == EdgeKind.RW && isNoRow(edge.key(), edge.value())
                || edge.kind() == EdgeKind.WW && deletes(edge, edge.from());
        return table.isInsert(last) || isFirst
                ? "and later " + to + (table.isInsert(last) ? " inserted" : " wrote") + " the row with " + value
                : "which " + to + " overwrote with " + value;
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
