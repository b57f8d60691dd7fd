package org.polygraph.storage.analysis;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Oddities of a history that can be checked: signs of a faulty recorder. Time: linear in the history, and a sort of
 * each key's writes.
 */
public final class HistoryLint {
    /** How many findings of each kind are kept; all are counted. */
    public static final int KEPT = 5;

    /** A kind of oddity. */
    public enum Check {
        END_BEFORE_START("end before start"),
        OVERLAP_IN_SESSION("a session overlaps itself"),
        MISSING_TIME("times missing on some"),
        INDEX_GAP("gaps in session indexes"),
        EMPTY_TRANSACTION("transactions without operations"),
        REPEATED_VALUE("values repeat on a key"),
        KEY_ONLY_READ("keys are only read"),
        NULL_READ("reads of null"),
        UNWRITTEN_READ("reads of values that nothing wrote"),
        LOADERS("initial rows"),
        DOUBTFUL_LOADERS("initial rows may be loaded");

        private final String label;

        Check(String label) {
            this.label = label;
        }

        /** Returns a few words for a heading. */
        public String label() {
            return label;
        }
    }

    /**
     * One oddity.
     *
     * @param where {@code file:line}, {@code file:byte N} or {@code file:row N} of the transaction
     * @param message the oddity and what it means for a check
     * @param total the number of findings of this kind, including this one
     */
    public record Finding(Check check, String where, String message, int total) {}

    private record Kept(String where, String message) {}

    private final HistoryTable table;
    private final Map<Check, List<Kept>> kept = new EnumMap<>(Check.class);
    private final Map<Check, Integer> totals = new EnumMap<>(Check.class);

    private HistoryLint(HistoryTable table) {
        this.table = table;
    }

    /** Returns the findings, by kind and then by place; at most {@value #KEPT} of each kind. */
    public static List<Finding> check(HistoryTable history) {
        HistoryTable table = history.withoutPredicates();
        HistoryLint lint = new HistoryLint(table);
        lint.transactions();
        Loaders loaders = Loaders.recognized(table, true, 0);
        lint.operations(loaders);
        lint.loaders(loaders);
        List<Finding> findings = new ArrayList<>();
        lint.kept.forEach((check, list) -> list.forEach(
                one -> findings.add(new Finding(check, one.where, one.message, lint.totals.getOrDefault(check, 0)))));
        return findings;
    }

    /** Whether a read returns what its own transaction, which may have aborted, wrote before. */
    private boolean isOwn(int t, int read) {
        for (int o = table.firstOperation(t); o < read; o++) {
            if (table.isWriteOf(o, table.key(read)) && table.value(o) == table.value(read)) {
                return true;
            }
        }
        return false;
    }

    /** Whether an aborted transaction wrote a value. */
    private boolean isAborted(int key, long value) {
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (table.isWriteOf(o, key)
                        && table.value(o) == value
                        && table.status(t) == TransactionStatus.ABORTED) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Counts a finding. @return whether it is kept */
    private boolean count(Check check) {
        return totals.merge(check, 1, Integer::sum) <= KEPT;
    }

    private void keep(Check check, int transaction, String message) {
        kept.computeIfAbsent(check, c -> new ArrayList<>()).add(new Kept(table.whereIs(transaction), message));
    }

    private String name(int session, int t) {
        return "session " + table.sessionLabel(session) + " index " + table.index(t);
    }

    private void transactions() {
        long[] starts = table.starts();
        long[] ends = table.ends();
        for (int s = 0; s < table.sessions(); s++) {
            int from = table.firstTransaction(s);
            int to = table.transactionsEnd(s);
            long lastEnd = HistoryTable.NO_TIME;
            for (int t = from; t < to; t++) {
                if (table.firstOperation(t) == table.operationsEnd(t) && count(Check.EMPTY_TRANSACTION)) {
                    keep(Check.EMPTY_TRANSACTION, t, name(s, t) + " has no operations: only its times can matter");
                }
                if (t > from && table.index(t) != table.index(t - 1) + 1 && count(Check.INDEX_GAP)) {
                    keep(
                            Check.INDEX_GAP,
                            t,
                            name(s, t) + " follows index " + table.index(t - 1)
                                    + ": transactions may be missing, and their writes with them");
                }
                if (starts != null && ends != null) {
                    times(s, t, starts[t], ends[t], lastEnd);
                    lastEnd = Math.max(lastEnd, ends[t]);
                }
            }
        }
    }

    private void times(int s, int t, long start, long end, long lastEnd) {
        boolean hasStart = start != HistoryTable.NO_TIME;
        boolean hasEnd = end != HistoryTable.NO_TIME;
        if ((!hasStart || !hasEnd) && count(Check.MISSING_TIME)) {
            keep(
                    Check.MISSING_TIME,
                    t,
                    name(s, t) + " has no " + (hasStart ? "end" : hasEnd ? "start" : "times")
                            + ": it bounds nothing in real time");
        }
        if (hasStart && hasEnd && end < start && count(Check.END_BEFORE_START)) {
            keep(Check.END_BEFORE_START, t, name(s, t) + " ends at " + end + ", before its start at " + start);
        }
        if (hasStart && lastEnd != HistoryTable.NO_TIME && start < lastEnd && count(Check.OVERLAP_IN_SESSION)) {
            keep(
                    Check.OVERLAP_IN_SESSION,
                    t,
                    name(s, t) + " starts at " + start + ", before the session's last end at " + lastEnd
                            + ": a session runs one transaction at a time");
        }
    }

    private void operations(Loaders loaders) {
        WrittenValues written = WrittenValues.of(table);
        ValueDictionary kinds = table.values();
        boolean hasValues = !kinds.hasLists() && !kinds.hasOthers() && !kinds.hasGiven() && !table.hasAdditions();
        BitSet reported = new BitSet(table.keys().size());
        int[] loading = loaders.transactions();
        for (int t = 0, next = 0; t < table.transactions(); t++) {
            if (next < loading.length && loading[next] == t) {
                next++;
                continue;
            }
            boolean aborted = table.status(t) == TransactionStatus.ABORTED;
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                int key = table.key(o);
                long value = table.value(o);
                if (table.isWrite(o)) {
                    if (!aborted
                            && !table.isDelete(o)
                            && written.isRepeated(key, value)
                            && count(Check.REPEATED_VALUE)) {
                        repeated(t, key, value);
                    }
                    continue;
                }
                if (value == ValueDictionary.NULL && !table.hasRows() && count(Check.NULL_READ)) {
                    nullRead(t, key);
                }
                if (hasValues
                        && value != ValueDictionary.NULL
                        && !written.mayReturn(key, value)
                        && !isOwn(t, o)
                        && count(Check.UNWRITTEN_READ)) {
                    keep(
                            Check.UNWRITTEN_READ,
                            t,
                            name(table.sessionOf(t), t) + " reads value "
                                    + table.values().label(value) + " of key "
                                    + table.keys().label(key)
                                    + (isAborted(key, value)
                                            ? ", which only an aborted transaction wrote: if its client did not learn the outcome,"
                                                    + " record it as indeterminate"
                                            : ", which no transaction here wrote and committed: if this history was cut out of a"
                                                    + " longer one, give check --after or --initial-state FILE"));
                }
                if (!written.isWritten(key) && !reported.get(key)) {
                    reported.set(key);
                    if (count(Check.KEY_ONLY_READ)) {
                        keep(
                                Check.KEY_ONLY_READ,
                                t,
                                "key " + table.keys().label(key)
                                        + " is read and never written: only its initial value can be right");
                    }
                }
            }
        }
    }

    private void loaders(Loaders loaders) {
        if (loaders.transactions().length > 0) {
            String them = loaders.transactions().length == 1 ? "it" : "them";
            count(Check.LOADERS);
            keep(
                    Check.LOADERS,
                    loaders.transactions()[0],
                    loaders.statement() + ": check orders all other transactions after " + them
                            + ", unless --initial implicit is given");
        } else if (!loaders.doubt().isEmpty()) {
            count(Check.DOUBTFUL_LOADERS);
            keep(
                    Check.DOUBTFUL_LOADERS,
                    loaders.doubtful(),
                    loaders.doubt() + ": check may order it late; if it loads the initial rows, give --initial"
                            + " SESSION#INDEX");
        }
    }

    private void repeated(int t, int key, long value) {
        String why =
                value == table.initialValue(key) ? "which is its initial value" : "which another write gives it too";
        keep(
                Check.REPEATED_VALUE,
                t,
                "key " + table.keys().label(key) + " gets the value "
                        + table.values().label(value) + ", " + why
                        + ": a read of it does not name its writer, and fewer anomalies can be proved");
    }

    private void nullRead(int t, int key) {
        String meaning = table.initialValue() == ValueDictionary.NULL
                ? "which is taken for the initial value; state this in the header: \"initial\":{\"value\":null}"
                : "but the initial value is " + table.values().label(table.initialValue())
                        + ": unless null was written, the read has no writer";
        keep(Check.NULL_READ, t, "key " + table.keys().label(key) + " is read as null, " + meaning);
    }
}
