package org.polygraph.jobs.certificate.judge;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.table.HistoryTable;

/**
 * Finds the transactions and operations of a sub-history in the whole history, which is condition 1 of {@link
 * SubHistoryProof}. Linear in both histories. Memory: 4 bytes for each operation of the sub-history, and a map of its
 * transactions.
 */
final class Embedding {
    private final HistoryTable whole;
    private final HistoryTable sub;
    private final boolean hasRealTime;
    /** By transaction of the sub-history: the one of the whole. */
    private final int[] origin;
    /** By operation of the sub-history: the one of the whole. */
    private final int[] operations;
    /** By transaction of the whole: the one of the sub-history. */
    private final Map<Integer, Integer> kept = new HashMap<>();

    /** The lists of both; null if neither has any. */
    private final @Nullable EmbeddedLists lists;

    private final @Nullable String foreign;

    Embedding(HistoryTable whole, HistoryTable sub, Terms terms) {
        this.whole = whole;
        this.sub = sub;
        hasRealTime = terms.guarantee().realTime();
        origin = new int[sub.transactions()];
        operations = new int[sub.operations()];
        lists = EmbeddedLists.of(whole, sub);
        foreign = embed();
    }

    /**
     * Returns a sentence about the first transaction, operation or initial value of the sub-history that is not in the
     * whole; null if all are. The other methods need null here.
     */
    @Nullable
    String foreign() {
        return foreign;
    }

    /** Returns the transaction of the whole that is transaction t of the sub-history. */
    int transaction(int t) {
        return origin[t];
    }

    /** By transaction of the sub-history: the one of the whole. Not a copy. */
    int[] transactions() {
        return origin;
    }

    /** Returns the operation of the whole that is operation o of the sub-history. */
    int operation(int o) {
        return operations[o];
    }

    /** By operation of the sub-history: the one of the whole. Not a copy. */
    int[] operations() {
        return operations;
    }

    /** Returns the transaction of the sub-history that is transaction t of the whole; null if it has none. */
    @Nullable
    Integer kept(int t) {
        return kept.get(t);
    }

    /** Describes an operation of the sub-history. */
    String name(int o) {
        if (EmbeddedLists.isOfList(sub, o)) {
            return "r(" + Names.key(sub, sub.key(o)) + ")";
        }
        return (sub.isAppend(o)
                        ? "append("
                        : sub.isAddition(o)
                                ? "add("
                                : sub.isInsert(o) ? "i(" : sub.isDelete(o) ? "d(" : sub.isWrite(o) ? "w(" : "r(")
                + Names.key(sub, sub.key(o)) + ")=" + Names.value(sub, sub.value(o));
    }

    private @Nullable String embed() {
        if (!sameValue(sub.initialValue(), whole.initialValue())) {
            return "its initial value is " + Names.value(sub, sub.initialValue()) + ", that of the history "
                    + Names.value(whole, whole.initialValue());
        }
        for (int s = 0; s < sub.sessions(); s++) {
            for (int t = sub.firstTransaction(s); t < sub.transactionsEnd(s); t++) {
                String wrong = embed(s, t);
                if (wrong != null) {
                    return wrong;
                }
            }
        }
        for (int o = 0; o < sub.operations(); o++) {
            long mine = sub.initialValue(sub.key(o));
            long theirs = whole.initialValue(whole.key(operations[o]));
            if (!sameValue(mine, theirs)) {
                return "the initial value of key " + Names.key(sub, sub.key(o)) + " is " + Names.value(sub, mine)
                        + ", in the history " + Names.value(whole, theirs);
            }
        }
        return null;
    }

    private String missing(int s, int t) {
        return Names.transaction(sub.sessionLabel(s), sub.index(t)) + " is not in the history";
    }

    /** Finds transaction t of the sub-history and its operations in the whole. */
    private @Nullable String embed(int session, int t) {
        long label = sub.sessionLabel(session);
        int low = 0;
        int high = whole.transactions();
        while (low < high) {
            int middle = (low + high) >>> 1;
            long other = whole.sessionLabel(whole.sessionOf(middle));
            if (other < label || (other == label && whole.index(middle) < sub.index(t))) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        int of = low;
        if (of == whole.transactions()
                || whole.sessionLabel(whole.sessionOf(of)) != label
                || whole.index(of) != sub.index(t)) {
            return missing(session, t);
        }
        String name = Names.transaction(whole, of);
        if (whole.status(of) != sub.status(t)) {
            return name + " is " + whole.status(of).label() + " in the history, "
                    + sub.status(t).label() + " in the sub-history";
        }
        if (hasRealTime
                && (time(whole.starts(), of) != time(sub.starts(), t)
                        || time(whole.ends(), of) != time(sub.ends(), t))) {
            return name + " has other times in the history";
        }
        origin[t] = of;
        kept.put(of, t);
        int missing = place(t, true) < 0 ? -1 : place(t, false);
        return missing < 0 ? null : name + " has no " + name(missing) + " in the history, or not in this order";
    }

    /**
     * Finds each operation of transaction t at the first possible place. If a transaction repeats operations there may
     * be several ways; if one of them fulfils condition 2, so does this one.
     *
     * @param closed whether a read must follow an own write of the key of the same value as in the sub-history, or
     *     none in both
     * @return the first operation without a place, or -1
     */
    private int place(int t, boolean closed) {
        int at = whole.firstOperation(origin[t]);
        int end = whole.operationsEnd(origin[t]);
        for (int o = sub.firstOperation(t); o < sub.operationsEnd(t); o++, at++) {
            while (at < end && !(sameOperation(o, at) && (!closed || followsTheSame(t, o, at)))) {
                at++;
            }
            if (at == end) {
                return o;
            }
            operations[o] = at;
        }
        return -1;
    }

    /**
     * Whether operation o of the sub-history is a write, or has the same last own write of the key before it as the one
     * of the whole.
     */
    private boolean followsTheSame(int t, int o, int at) {
        if (sub.isWrite(o) || EmbeddedLists.isOfList(sub, o)) {
            return true;
        }
        int own = whole.lastWrite(origin[t], whole.key(at), at);
        int now = sub.lastWrite(t, sub.key(o), o);
        return own < 0 || now < 0 ? own < 0 && now < 0 : sameValue(sub.value(now), whole.value(own));
    }

    private static long time(long @Nullable [] times, int t) {
        return times == null ? HistoryTable.NO_TIME : times[t];
    }

    private boolean sameOperation(int o, int at) {
        if (lists != null && (EmbeddedLists.isOfList(sub, o) || EmbeddedLists.isOfList(whole, at))) {
            return sub.keys().label(sub.key(o)).equals(whole.keys().label(whole.key(at))) && lists.isSame(o, at);
        }
        return sub.isWrite(o) == whole.isWrite(at)
                && (lists == null || sub.isAppend(o) == whole.isAppend(at))
                && sub.isInsert(o) == whole.isInsert(at)
                && sub.isDelete(o) == whole.isDelete(at)
                && sub.isAddition(o) == whole.isAddition(at)
                && sub.isRepeatedRow(o) == whole.isRepeatedRow(at)
                && sameKey(sub.key(o), whole.key(at))
                && sameValue(sub.value(o), whole.value(at));
    }

    private boolean sameKey(int a, int b) {
        KeyDictionary mine = sub.keys();
        KeyDictionary theirs = whole.keys();
        if (mine.isString(a) != theirs.isString(b)) {
            return false;
        }
        return mine.isString(a) ? mine.string(a).equals(theirs.string(b)) : mine.integer(a) == theirs.integer(b);
    }

    /**
     * Values that are neither null nor integers are compared as strings, because other values become strings when
     * written.
     */
    private boolean sameValue(long a, long b) {
        ValueDictionary mine = sub.values();
        ValueDictionary theirs = whole.values();
        if (mine.isNull(a) || theirs.isNull(b)) {
            return mine.isNull(a) && theirs.isNull(b);
        }
        if (mine.isInteger(a) || theirs.isInteger(b)) {
            return mine.isInteger(a) && theirs.isInteger(b) && mine.integer(a) == theirs.integer(b);
        }
        return mine.text(a).equals(theirs.text(b));
    }
}
