package org.polygraph.jobs.certificate.judge;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;

/**
 * When the violation of a part of a history is one of the whole. A part has some of the transactions, and of each some of
 * the operations. It is <em>closed</em> iff
 *
 * <ol>
 *   <li>every transaction of it is one of the whole: same session, index and outcome, and times where real time is part
 *       of the promise; its operations are some of the whole's, in their order; both have one initial value;
 *   <li>of a read that followed an own write of its key in the whole, the last such write is kept, or one of its value
 *       that is now the last;
 *   <li>of every other read, every possible writer is kept: each transaction that may count and whose last write of the
 *       key has the value read. And that value is the writer's last of the key in the part as well. Not asked for: the
 *       reader itself, and what its session ran later, which no order puts before it.
 * </ol>
 *
 * <p><b>Then, if the part violates the promise, so does the whole</b> (SER, SI, SSER, SSI). Proof, the other way round: let
 * an order explain the whole, with some of the indeterminate transactions counted. Leave out of it all that is not in the
 * part. Sessions and real time still ascend: they bind the same pairs. SI: writers of a key still do not overlap: who
 * writes a key in the part writes it in the whole. A read after an own write returns what it did, by 2. Any other read r
 * returned the value of the last writer W before it, or the initial value because there was none. No writer that the part
 * has lies between W and r, because none does in the whole. W is kept with that value, by 3; or there is no W, and then no
 * writer at all before r in the part. So the order explains the part. ∎
 *
 * <p>The same of RC, RA and CC: let a choice of sources and a commit order satisfy the axiom in the whole. Every source of a
 * read of the part is in the part, by 3, so the choice is one for the part (where only a later one of several equal reads of
 * a key is kept, it takes the first one's source). Session order, reads-from and what a read sees are then parts of those of
 * the whole, so every pair that the axiom orders in the part it orders in the whole. ∎
 *
 * <p>Linear in the whole. Memory: 4 bytes a key, and the part a few times over.
 */
public final class SubHistoryProof {
    private final HistoryTable whole;
    private final HistoryTable part;
    private final Terms terms;
    /** Transaction of the part -> of the whole. */
    private final int[] origin;
    /** Operation of the part -> of the whole. */
    private final int[] operations;
    /** Transaction of the whole -> of the part. */
    private final Map<Integer, Integer> kept = new HashMap<>();

    /** {@link #embed} comes first. */
    SubHistoryProof(HistoryTable whole, HistoryTable part, Terms terms) {
        this.whole = whole;
        this.part = part;
        this.terms = terms;
        origin = new int[part.transactions()];
        operations = new int[part.operations()];
    }

    /**
     * The first reason why a violation of the part need not be one of the whole.
     *
     * @return null if the part is closed, else one sentence
     */
    public static @Nullable String firstGap(HistoryTable whole, HistoryTable part, Terms terms) {
        SubHistoryProof sub = new SubHistoryProof(whole, part, terms);
        String foreign = sub.embed();
        return foreign == null ? sub.gap() : foreign;
    }

    /** Condition 1: the first thing in the part that the whole does not have, or null. */
    @Nullable
    String embed() {
        if (!sameValue(part.initialValue(), whole.initialValue())) {
            return "its initial value is " + Names.value(part, part.initialValue()) + ", that of the history "
                    + Names.value(whole, whole.initialValue());
        }
        long[] labels = sessionLabels();
        for (int s = 0; s < part.sessions(); s++) {
            int session = Arrays.binarySearch(labels, part.sessionLabel(s));
            for (int t = part.firstTransaction(s); t < part.transactionsEnd(s); t++) {
                String wrong = session < 0 ? missing(s, t) : embed(s, session, t);
                if (wrong != null) {
                    return wrong;
                }
            }
        }
        return null;
    }

    /** What becomes of an operation of the whole that the part leaves out and may not. */
    private interface Gaps {
        /**
         * Takes it.
         *
         * @return what to stop with, or null to go on
         */
        @Nullable
        String found(int operation, String sentence);
    }

    /** Conditions 2 and 3: the first thing that is left out and may not be, or null. */
    @Nullable
    String gap() {
        return gaps((operation, sentence) -> sentence);
    }

    private @Nullable String gaps(Gaps gaps) {
        String wrong = ownReads(gaps);
        return wrong == null ? writers(gaps) : wrong;
    }

    /**
     * The smallest closed history with the part in it: the writes that {@link #gap} misses are added, until it misses none.
     * Transactions without operations stay in it: where a session's clock runs backwards they bind others in real time.
     *
     * @param most transactions
     * @return null if it takes more
     */
    @Nullable
    HistoryTable closed(int most) {
        BitSet wanted = new BitSet();
        BitSet transactions = new BitSet();
        for (int o : operations) {
            wanted.set(o);
        }
        for (int t : origin) {
            transactions.set(t);
        }
        gaps((operation, sentence) -> {
            wanted.set(operation);
            transactions.set(HistorySelection.transactionOf(whole, operation));
            return transactions.cardinality() > most ? sentence : null;
        });
        if (transactions.cardinality() > most) {
            return null;
        }
        HistoryTable more = HistorySelection.of(
                        whole, transactions.stream().toArray(), wanted.stream().toArray())
                .table();
        // An own write that was missing may hide an earlier one that somebody read: then a later one is missing too.
        SubHistoryProof next = new SubHistoryProof(whole, more, terms);
        String foreign = next.embed();
        if (foreign != null) {
            throw new IllegalStateException("a closed part is none of its history: " + foreign);
        }
        return next.gap() == null ? more : next.closed(most);
    }

    /**
     * The first read of the part, of a committed transaction, that violates every promise by itself: after an own write it
     * returned something else, or nobody in the whole can have written what it returned. The part need not be closed for
     * that: the read alone (and the own write) would be.
     *
     * @return one sentence, or null if there is none
     */
    @Nullable
    String unexplainedRead() {
        Map<Wanted, Integer> reads = new HashMap<>();
        boolean[] wanted = new boolean[whole.keys().size()];
        for (int t = 0; t < part.transactions(); t++) {
            if (part.status(t) != TransactionStatus.COMMITTED) {
                continue;
            }
            for (int o = part.firstOperation(t); o < part.operationsEnd(t); o++) {
                int at = operations[o];
                if (part.isWrite(o)) {
                    continue;
                }
                int own = lastWrite(whole, whole.firstOperation(origin[t]), at);
                long value = whole.value(at);
                if (own >= 0 && whole.value(own) != value) {
                    return Names.transaction(whole, origin[t]) + ": " + operation(o)
                            + " did not return its own latest write, "
                            + Names.value(whole, whole.value(own));
                }
                if (own < 0 && value != whole.initialValue()) {
                    int key = whole.key(at);
                    wanted[key] = true;
                    reads.putIfAbsent(new Wanted(key, value), o);
                }
            }
        }
        for (int w = 0; w < whole.transactions() && !reads.isEmpty(); w++) {
            if (!terms.mayCount(whole.statuses()[w])) {
                continue;
            }
            for (int o = whole.firstOperation(w); o < whole.operationsEnd(w); o++) {
                int keyAndKind = whole.operationKeys()[o];
                if ((keyAndKind & 1) == 1 && wanted[keyAndKind >> 1]) {
                    explained(w, o, reads);
                }
            }
        }
        int first = Integer.MAX_VALUE;
        for (int o : reads.values()) {
            first = Math.min(first, o);
        }
        return first == Integer.MAX_VALUE
                ? null
                : Names.transaction(whole, origin[HistorySelection.transactionOf(part, first)]) + ": "
                        + operation(first) + " returned what no transaction that counts wrote last";
    }

    /** Strikes out a read that transaction w may have written for. Its own later write is for others only. */
    private void explained(int w, int o, Map<Wanted, Integer> reads) {
        Wanted write = new Wanted(whole.key(o), whole.value(o));
        Integer read = reads.get(write);
        if (read != null && origin[HistorySelection.transactionOf(part, read)] != w && isLast(w, o)) {
            reads.remove(write);
        }
    }

    private boolean isLast(int w, int o) {
        for (int later = o + 1; later < whole.operationsEnd(w); later++) {
            if (whole.operationKeys()[later] == whole.operationKeys()[o]) {
                return false;
            }
        }
        return true;
    }

    private long[] sessionLabels() {
        long[] labels = new long[whole.sessions()];
        for (int s = 0; s < labels.length; s++) {
            labels[s] = whole.sessionLabel(s);
        }
        return labels;
    }

    private String missing(int s, int t) {
        return Names.transaction(part.sessionLabel(s), part.index(t)) + " is not in the history";
    }

    /** Finds transaction t of the part, and its operations. */
    private @Nullable String embed(int partSession, int session, int t) {
        int low = whole.firstTransaction(session);
        int high = whole.transactionsEnd(session);
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (whole.index(middle) < part.index(t)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        int of = low;
        if (of == whole.transactionsEnd(session) || whole.index(of) != part.index(t)) {
            return missing(partSession, t);
        }
        String name = Names.transaction(whole, of);
        if (whole.status(of) != part.status(t)) {
            return name + " is " + whole.status(of).label() + " in the history, "
                    + part.status(t).label() + " in the sub-history";
        }
        if (terms.promise().realTime()
                && (time(whole.starts(), of) != time(part.starts(), t)
                        || time(whole.ends(), of) != time(part.ends(), t))) {
            return name + " has other times in the history";
        }
        origin[t] = of;
        kept.put(of, t);
        int missing = place(t, true) < 0 ? -1 : place(t, false);
        return missing < 0 ? null : name + " has no " + operation(missing) + " in the history, or not in this order";
    }

    /**
     * Finds each operation of transaction t at the first place where it can be. Where a transaction repeats itself there may
     * be several ways to do so; if one of them fulfils condition 2, this does.
     *
     * @param closed whether a read can only be where its transaction last wrote the value that it did in the part, or nothing
     * @return the first operation for which there is no place, or -1
     */
    private int place(int t, boolean closed) {
        int at = whole.firstOperation(origin[t]);
        int end = whole.operationsEnd(origin[t]);
        for (int o = part.firstOperation(t); o < part.operationsEnd(t); o++, at++) {
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

    /** Whether operation o of transaction t of the part has the same own write before it as that of the whole; writes do. */
    private boolean followsTheSame(int t, int o, int at) {
        if (part.isWrite(o)) {
            return true;
        }
        int own = lastWrite(whole, whole.firstOperation(origin[t]), at);
        int now = lastWrite(part, part.firstOperation(t), o);
        return own < 0 || now < 0 ? own < 0 && now < 0 : sameValue(part.value(now), whole.value(own));
    }

    private static long time(long @Nullable [] times, int t) {
        return times == null ? HistoryTable.NO_TIME : times[t];
    }

    private boolean sameOperation(int o, int at) {
        int a = part.operationKeys()[o];
        int b = whole.operationKeys()[at];
        return (a & 1) == (b & 1) && sameKey(a >> 1, b >> 1) && sameValue(part.value(o), whole.value(at));
    }

    private boolean sameKey(int a, int b) {
        KeyDictionary mine = part.keys();
        KeyDictionary theirs = whole.keys();
        if (mine.isString(a) != theirs.isString(b)) {
            return false;
        }
        return mine.isString(a) ? mine.string(a).equals(theirs.string(b)) : mine.integer(a) == theirs.integer(b);
    }

    /** Values that are neither null nor integers are compared by their text: written out, opaque ones become strings. */
    private boolean sameValue(long a, long b) {
        ValueDictionary mine = part.values();
        ValueDictionary theirs = whole.values();
        if (mine.isNull(a) || theirs.isNull(b)) {
            return mine.isNull(a) && theirs.isNull(b);
        }
        if (mine.isInteger(a) || theirs.isInteger(b)) {
            return mine.isInteger(a) && theirs.isInteger(b) && mine.integer(a) == theirs.integer(b);
        }
        return mine.text(a).equals(theirs.text(b));
    }

    /** Condition 2. */
    private @Nullable String ownReads(Gaps gaps) {
        for (int t = 0; t < part.transactions(); t++) {
            if (!terms.mayCount(part.statuses()[t])) {
                continue;
            }
            int from = part.firstOperation(t);
            for (int o = from; o < part.operationsEnd(t); o++) {
                if (part.isWrite(o)) {
                    continue;
                }
                int own = lastWrite(whole, whole.firstOperation(origin[t]), operations[o]);
                if (own < 0) {
                    continue;
                }
                int now = lastWrite(part, from, o);
                if (now < 0 || whole.value(operations[now]) != whole.value(own)) {
                    String wrong = gaps.found(
                            own,
                            Names.transaction(whole, origin[t]) + ": " + operation(o)
                                    + " followed its own write of the key, w("
                                    + Names.key(whole, whole.key(own)) + ")="
                                    + Names.value(whole, whole.value(own))
                                    + ", which the sub-history leaves out");
                    if (wrong != null) {
                        return wrong;
                    }
                }
            }
        }
        return null;
    }

    /** The last write before a read of the read's key, or -1. */
    private static int lastWrite(HistoryTable table, int from, int read) {
        int write = table.operationKeys()[read] | 1;
        for (int o = read - 1; o >= from; o--) {
            if (table.operationKeys()[o] == write) {
                return o;
            }
        }
        return -1;
    }

    /** An external read that is kept, in the whole's numbers. */
    private record Wanted(int key, long value) {}

    /** Condition 3. */
    private @Nullable String writers(Gaps gaps) {
        Map<Wanted, Set<Integer>> readers = new HashMap<>();
        boolean[] wanted = new boolean[whole.keys().size()];
        for (int t = 0; t < part.transactions(); t++) {
            if (!terms.mayCount(part.statuses()[t])) {
                continue;
            }
            for (int o = part.firstOperation(t); o < part.operationsEnd(t); o++) {
                int at = operations[o];
                if (!part.isWrite(o) && lastWrite(whole, whole.firstOperation(origin[t]), at) < 0) {
                    int key = whole.key(at);
                    wanted[key] = true;
                    readers.computeIfAbsent(new Wanted(key, whole.value(at)), k -> new HashSet<>())
                            .add(origin[t]);
                }
            }
        }
        for (int w = 0; w < whole.transactions(); w++) {
            if (!terms.mayCount(whole.statuses()[w])) {
                continue;
            }
            for (int o = whole.firstOperation(w); o < whole.operationsEnd(w); o++) {
                int keyAndKind = whole.operationKeys()[o];
                if ((keyAndKind & 1) == 1 && wanted[keyAndKind >> 1]) {
                    String wrong = writer(w, o, readers, gaps);
                    if (wrong != null) {
                        return wrong;
                    }
                }
            }
        }
        return null;
    }

    /** Whether transaction w, if operation o is its last write of the key, is kept with it for all who may have read it. */
    private @Nullable String writer(int w, int o, Map<Wanted, Set<Integer>> readers, Gaps gaps) {
        int write = whole.operationKeys()[o];
        long value = whole.value(o);
        Set<Integer> readBy = readers.get(new Wanted(write >> 1, value));
        if (readBy == null || !isLast(w, o)) {
            return null;
        }
        for (int reader : readBy) {
            boolean cannot = w >= reader && whole.sessionOf(w) == whole.sessionOf(reader);
            if (!cannot && !keptLast(w, write, value)) {
                return gaps.found(
                        o,
                        Names.transaction(whole, reader) + " read key " + Names.key(whole, write >> 1) + " = "
                                + Names.value(whole, value) + ", which " + Names.transaction(whole, w)
                                + " wrote, and the sub-history leaves that out");
            }
        }
        return null;
    }

    private boolean keptLast(int w, int write, long value) {
        Integer t = kept.get(w);
        if (t == null) {
            return false;
        }
        for (int o = part.operationsEnd(t) - 1; o >= part.firstOperation(t); o--) {
            if (whole.operationKeys()[operations[o]] == write) {
                return whole.value(operations[o]) == value;
            }
        }
        return false;
    }

    private String operation(int o) {
        int keyAndKind = part.operationKeys()[o];
        return ((keyAndKind & 1) == 1 ? "w(" : "r(") + Names.key(part, keyAndKind >> 1) + ")="
                + Names.value(part, part.value(o));
    }
}
