package org.polygraph.jobs.certificate.judge;

import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.replay.GivenOrder;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;

/**
 * Proves that a violation of a sub-history S is one of the whole history H. S has some of the transactions of H, and
 * some of the operations of each. It is <em>closed</em> iff
 *
 * <ol>
 *   <li>every transaction of S is one of H: same session, index and status, and the same times if real time is part of
 *       the guarantee; its operations are some of those in H, in the same order; the initial values are equal;
 *   <li>for a read that follows an own write of its key in H, S has the last such write, or one with the same value
 *       that is the last in S;
 *   <li>for every other read, S has every possible writer: each transaction that may count and whose last write of the
 *       key has the value read. This value is also the last one that the writer writes to the key in S. The reader
 *       itself and later transactions of its session are not possible writers, because no order puts them before it;
 *   <li>a list that it read has the elements that it has in H, without those that H appends and S does not;
 *   <li>SI: for a write of a key that some transaction which may count inserts or deletes in H, S has all writes of the
 *       key of all transactions that may count;
 *   <li>SER: for an insert or a delete, S has the writes of the key before it in its transaction. If H has none, S has
 *       a read of the key before it in its transaction; or else, for an insert, the last write of the key of each other
 *       transaction that may count and does not follow in the session, if that is a delete; for a delete, if it is none;
 *   <li>for an operation on a key that some transaction which may count adds to in H, S has all writes of the key of all
 *       transactions that may count, so each read finds the same sum.
 * </ol>
 *
 * <p><b>Then, if S violates the guarantee, so does H</b> (SER, SI, SSER, SSI). Proof by contraposition: let an order
 * explain H, with some of the indeterminate transactions counted. Remove everything from it that is not in S. Sessions
 * and real time still ascend, because they bind the same pairs. SI: writers of a key still do not overlap, because a
 * transaction that writes a key in S writes it in H. A read after an own write returns the same value, by 2. Any other
 * read r returns the value of the last writer W before it, or the initial value because there is none. No writer in S
 * lies between W and r, because none does in H. W is in S with that value, by 3; or there is no W, and then S has no
 * writer before r. By 5, a key that is inserted or deleted has all its writers in S or none, so each insert finds no
 * row, each delete finds one, and of one incarnation no writers overlap. A list that was read is a state of the order in
 * H. What S does not append is missing in the list and in the states alike, by 4. So the order explains S. ∎
 *
 * <p>The same holds for RC, RA and CC: let a choice of sources and a commit order satisfy the axiom in H. Every source
 * of a read of S is in S, by 3, so the choice is one for S (if only a later one of several equal reads of a key is in
 * S, it takes the source of the first). Session order, reads-from and the transactions that a read sees are then
 * subsets of those of H, so every pair that the axiom orders in S it orders in H. ∎
 *
 * <p>At LIN closed means what {@link LinearBruteForce} says.
 *
 * <p>Linear in the whole. Memory: 4 bytes per key, and S a few times.
 */
public final class SubHistoryProof {
    private final HistoryTable whole;
    /** The whole as it was recorded, where reads have no names that versions give. */
    private final HistoryTable recorded;

    private final HistoryTable sub;
    /** The sub-history as it was given, with what expresses lists. */
    private final HistoryTable given;

    private final boolean hasLists;

    private final Terms terms;
    private final Embedding embedding;

    /**
     * Takes lists as they were recorded, if the sub-history has lists. One that was found by windows has the reads and
     * writes that stand for them.
     */
    SubHistoryProof(HistoryTable whole, HistoryTable sub, Terms terms) {
        given = sub;
        HistoryTable lists = whole.withRecordedLists();
        hasLists = lists.hasLists() && sub.withRecordedLists().hasLists();
        this.sub = hasLists ? sub.withRecordedLists() : sub;
        this.terms = terms;
        recorded = hasLists || lists.values().hasGiven() ? lists : whole.withoutLists();
        embedding = new Embedding(recorded, this.sub, terms);
        this.whole = GivenOrder.named(recorded);
    }

    /**
     * Returns the first reason why a violation of the sub-history need not be one of the whole.
     *
     * @return null if the sub-history is closed, else one sentence
     */
    public static @Nullable String firstGap(HistoryTable whole, HistoryTable sub, Terms terms) {
        SubHistoryProof proof = new SubHistoryProof(whole, sub, terms);
        String foreign = proof.foreign();
        if (foreign != null || terms.guarantee() != Guarantee.LIN) {
            return foreign == null ? proof.gap() : foreign;
        }
        return LinearBruteForce.gap(whole, sub, terms);
    }

    /**
     * Returns the smallest closed sub-history of the whole that contains a given one.
     *
     * @param sub has operations and transactions of the whole
     * @param most limit of transactions
     * @return null if it has more
     */
    public static @Nullable HistoryTable closed(HistoryTable whole, HistoryTable sub, Terms terms, int most) {
        SubHistoryProof proof = new SubHistoryProof(whole, sub, terms);
        return proof.foreign() == null ? proof.closed(most) : null;
    }

    /**
     * Returns the operations of the smallest closed sub-history of the whole that contains a given one.
     *
     * @param most limit of transactions
     * @return ids in the whole, ascending; null if there are more, or if the given one is not of the whole
     */
    public static int @Nullable [] closure(HistoryTable whole, HistoryTable sub, Terms terms, int most) {
        HistoryTable closed = closed(whole, sub, terms, most);
        SubHistoryProof proof = closed == null ? null : new SubHistoryProof(whole, closed, terms);
        return proof == null || proof.foreign() != null ? null : proof.operations();
    }

    /**
     * Checks condition 1. Returns a sentence about the first transaction, operation or initial value of the sub-history
     * that is not in the whole, or null. The other methods need null here.
     */
    @Nullable
    String foreign() {
        return embedding.foreign();
    }

    /** Receives the operations of the whole that a closed sub-history needs and this one lacks. */
    private interface Gaps {
        /** Receives one; returns the sentence to stop with, or null to continue. */
        @Nullable
        String found(int operation, String sentence);
    }

    /**
     * Checks conditions 2, 3, 5 and 6. Returns a sentence about an operation that the sub-history lacks, or null if it is
     * closed.
     */
    @Nullable
    String gap() {
        return gaps((operation, sentence) -> sentence);
    }

    private @Nullable String gaps(Gaps gaps) {
        String wrong = ownReads(gaps);
        wrong = wrong == null ? versions(gaps) : wrong;
        if (wrong == null && (whole.hasRows() || whole.hasAdditions())) {
            wrong = terms.guarantee().events() == 1 && whole.hasRows() ? found(gaps) : rows(gaps);
        }
        return wrong == null ? writers(gaps) : wrong;
    }

    /** Checks condition 7. */
    private @Nullable String versions(Gaps gaps) {
        Map<Integer, Set<Integer>> lasts = new HashMap<>();
        for (int t = 0; whole.values().hasGiven() && t < sub.transactions(); t++) {
            for (int o = sub.firstOperation(t); o < sub.operationsEnd(t); o++) {
                int at = embedding.operation(o);
                if (sub.isWrite(o)
                        && sub.lastWrite(t, sub.key(o)) == o
                        && whole.values().isGiven(whole.value(at))) {
                    lasts.computeIfAbsent(whole.key(at), key -> new HashSet<>()).add(at);
                }
            }
        }
        for (Set<Integer> ofKey : lasts.values()) {
            for (int at : ofKey) {
                int writer = HistorySelection.transactionOf(whole, at);
                int last = whole.lastWrite(writer, whole.key(at));
                String wrong = ofKey.size() == 1 || last == at
                        ? null
                        : gaps.found(
                                last,
                                Names.transaction(whole, writer) + " wrote key " + Names.key(whole, whole.key(at))
                                        + " once more; the sub-history lacks this write, whose version counts");
                if (wrong != null) {
                    return wrong;
                }
            }
        }
        return null;
    }

    /** Checks condition 5, and that about additions. */
    private @Nullable String rows(Gaps gaps) {
        boolean[] rows = new boolean[whole.keys().size()];
        for (int t = 0; t < whole.transactions(); t++) {
            for (int o = whole.firstOperation(t); o < whole.operationsEnd(t); o++) {
                rows[whole.key(o)] |= terms.mayCount(whole.statuses()[t])
                        && (whole.isInsert(o) || whole.isDelete(o) || whole.isAddition(o));
            }
        }
        boolean[] written = new boolean[rows.length];
        BitSet has = new BitSet();
        for (int t = 0; t < sub.transactions(); t++) {
            for (int o = sub.firstOperation(t); o < sub.operationsEnd(t); o++) {
                has.set(embedding.operation(o));
                written[whole.key(embedding.operation(o))] |=
                        (sub.isWrite(o) || whole.hasAdditions()) && terms.mayCount(sub.statuses()[t]);
            }
        }
        for (int t = 0; t < whole.transactions(); t++) {
            for (int o = whole.firstOperation(t);
                    terms.mayCount(whole.statuses()[t]) && o < whole.operationsEnd(t);
                    o++) {
                int key = whole.key(o);
                if (whole.isWrite(o) && rows[key] && written[key] && !has.get(o)) {
                    String wrong = gaps.found(
                            o,
                            Names.transaction(whole, t) + " wrote key " + Names.key(whole, key)
                                    + ", which is inserted, deleted or added to; the sub-history lacks this write");
                    if (wrong != null) {
                        return wrong;
                    }
                }
            }
        }
        return null;
    }

    /** Checks condition 6. */
    private @Nullable String found(Gaps gaps) {
        BitSet has = new BitSet();
        for (int o : embedding.operations()) {
            has.set(o);
        }
        Map<Integer, Set<Integer>> finders = new HashMap<>();
        for (int t = 0; t < sub.transactions(); t++) {
            for (int o = sub.firstOperation(t); terms.mayCount(sub.statuses()[t]) && o < sub.operationsEnd(t); o++) {
                int at = embedding.operation(o);
                int key = whole.key(at);
                if (!whole.isInsert(at) && !whole.isDelete(at)) {
                    continue;
                }
                int w = embedding.transaction(t);
                int own = whole.lastWrite(w, key, at);
                for (int before = own; before >= 0; before = whole.lastWrite(w, key, before)) {
                    String wrong = has.get(before) ? null : lacks(before, w, at, gaps);
                    if (wrong != null) {
                        return wrong;
                    }
                }
                int read = sub.firstRead(t, sub.key(o));
                if (own < 0 && (read < 0 || read > o)) {
                    finders.computeIfAbsent(key, k -> new HashSet<>()).add(at);
                }
            }
        }
        for (int w = 0; w < whole.transactions(); w++) {
            for (int o = whole.firstOperation(w);
                    terms.mayCount(whole.statuses()[w]) && o < whole.operationsEnd(w);
                    o++) {
                Set<Integer> ofKey = whole.isWrite(o) ? finders.get(whole.key(o)) : null;
                if (ofKey == null || whole.lastWrite(w, whole.key(o)) != o || keptLast(w, o)) {
                    continue;
                }
                for (int at : ofKey) {
                    int finder = HistorySelection.transactionOf(whole, at);
                    boolean follows = w >= finder && whole.sessionOf(w) == whole.sessionOf(finder);
                    String wrong = follows || whole.isDelete(o) != whole.isInsert(at) ? null : lacks(o, w, at, gaps);
                    if (wrong != null) {
                        return wrong;
                    }
                }
            }
        }
        return null;
    }

    private @Nullable String lacks(int write, int writer, int at, Gaps gaps) {
        return gaps.found(
                write,
                Names.transaction(whole, HistorySelection.transactionOf(whole, at))
                        + (whole.isInsert(at) ? " inserted key " : " deleted key ") + Names.key(whole, whole.key(at))
                        + ", which " + Names.transaction(whole, writer) + " wrote; the sub-history lacks this write");
    }

    /**
     * The smallest closed sub-history that contains this one: the writes that {@link #gap} finds are added until none
     * is missing. Transactions without operations are kept, because they may bind others in real time if a clock runs
     * backwards.
     *
     * @param most limit of transactions
     * @return null if it has more
     */
    @Nullable
    HistoryTable closed(int most) {
        BitSet wanted = new BitSet();
        BitSet transactions = new BitSet();
        for (int o : embedding.operations()) {
            wanted.set(o);
        }
        for (int t : embedding.transactions()) {
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
        if (hasLists && !whole.values().hasGiven()) {
            // Only plain keys have gaps, and the operations here are those that were recorded.
            return gap() == null ? given : null;
        }
        HistoryTable more = HistorySelection.of(
                        recorded,
                        transactions.stream().toArray(),
                        wanted.stream().toArray())
                .table();
        // An added own write may hide an earlier one that was read, so that a later write is missing now.
        SubHistoryProof next = new SubHistoryProof(recorded, more, terms);
        String foreign = next.foreign();
        if (foreign != null) {
            throw new IllegalStateException("a closed sub-history is not of its history: " + foreign);
        }
        return next.gap() == null ? more : next.closed(most);
    }

    /**
     * The first read of a committed transaction of the sub-history that violates every guarantee: it is one more row
     * with the key of another in its result, it follows an own write and returned another value, or no transaction of
     * the whole can have written the value. The sub-history need
     * not be closed, because the read alone (with the own write) is a closed one.
     *
     * @return one sentence, or null if there is none
     */
    @Nullable
    String unexplainedRead() {
        Map<Wanted, Integer> reads = new HashMap<>();
        boolean[] wanted = new boolean[whole.keys().size()];
        for (int t = 0; t < sub.transactions(); t++) {
            if (sub.status(t) != TransactionStatus.COMMITTED) {
                continue;
            }
            for (int o = sub.firstOperation(t); o < sub.operationsEnd(t); o++) {
                int at = embedding.operation(o);
                if (sub.isWrite(o) || EmbeddedLists.isOfList(sub, o)) {
                    continue;
                }
                if (whole.isRepeatedRow(at)) {
                    return Names.transaction(whole, embedding.transaction(t)) + ": a result has two rows with key "
                            + Names.key(whole, whole.key(at));
                }
                int own = whole.lastWrite(embedding.transaction(t), whole.key(at), at);
                long value = whole.value(at);
                if (own >= 0 && whole.value(own) != value) {
                    return Names.transaction(whole, embedding.transaction(t)) + ": " + embedding.name(o)
                            + " did not return its own latest write, "
                            + Names.value(whole, whole.value(own));
                }
                if (own < 0 && value != whole.initialValue(whole.key(at))) {
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
                if (whole.isWrite(o) && wanted[whole.key(o)]) {
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
                : Names.transaction(whole, embedding.transaction(HistorySelection.transactionOf(sub, first))) + ": "
                        + embedding.name(first) + " returned a value that no counted transaction wrote last";
    }

    /** By operation of the sub-history: the one of the whole, with lists as they were recorded. */
    int[] operations() {
        return embedding.operations();
    }

    /** Removes a read that may have read from transaction w. A later own write does not explain it. */
    private void explained(int w, int o, Map<Wanted, Integer> reads) {
        Wanted write = new Wanted(whole.key(o), whole.value(o));
        Integer read = reads.get(write);
        if (read != null
                && embedding.transaction(HistorySelection.transactionOf(sub, read)) != w
                && whole.lastWrite(w, whole.key(o)) == o) {
            reads.remove(write);
        }
    }

    /** Checks condition 2. */
    private @Nullable String ownReads(Gaps gaps) {
        for (int t = 0; t < sub.transactions(); t++) {
            if (!terms.mayCount(sub.statuses()[t])) {
                continue;
            }
            for (int o = sub.firstOperation(t); o < sub.operationsEnd(t); o++) {
                if (sub.isWrite(o) || EmbeddedLists.isOfList(sub, o)) {
                    continue;
                }
                int at = embedding.operation(o);
                int own = whole.lastWrite(embedding.transaction(t), whole.key(at), at);
                if (own < 0) {
                    continue;
                }
                int now = sub.lastWrite(t, sub.key(o), o);
                if (now < 0 || whole.value(embedding.operation(now)) != whole.value(own)) {
                    String wrong = gaps.found(
                            own,
                            Names.transaction(whole, embedding.transaction(t)) + ": " + embedding.name(o)
                                    + " followed its own write of the key, w("
                                    + Names.key(whole, whole.key(own)) + ")="
                                    + Names.value(whole, whole.value(own))
                                    + ", which the sub-history lacks");
                    if (wrong != null) {
                        return wrong;
                    }
                }
            }
        }
        return null;
    }

    /** The key and value of an external read of the sub-history, in numbers of the whole. */
    private record Wanted(int key, long value) {}

    /** Checks condition 3. */
    private @Nullable String writers(Gaps gaps) {
        Map<Wanted, Set<Integer>> readers = new HashMap<>();
        boolean[] wanted = new boolean[whole.keys().size()];
        for (int t = 0; t < sub.transactions(); t++) {
            if (!terms.mayCount(sub.statuses()[t])) {
                continue;
            }
            for (int o = sub.firstOperation(t); o < sub.operationsEnd(t); o++) {
                int at = embedding.operation(o);
                if (!sub.isWrite(o)
                        && !EmbeddedLists.isOfList(sub, o)
                        && whole.lastWrite(embedding.transaction(t), whole.key(at), at) < 0) {
                    int key = whole.key(at);
                    wanted[key] = true;
                    readers.computeIfAbsent(new Wanted(key, whole.value(at)), k -> new HashSet<>())
                            .add(embedding.transaction(t));
                }
            }
        }
        for (int w = 0; w < whole.transactions(); w++) {
            if (!terms.mayCount(whole.statuses()[w])) {
                continue;
            }
            for (int o = whole.firstOperation(w); o < whole.operationsEnd(w); o++) {
                if (whole.isWrite(o) && wanted[whole.key(o)]) {
                    String wrong = writer(w, o, readers, gaps);
                    if (wrong != null) {
                        return wrong;
                    }
                }
            }
        }
        return null;
    }

    /** Reports operation o of transaction w if it is a possible source of a read and the sub-history lacks it. */
    private @Nullable String writer(int w, int o, Map<Wanted, Set<Integer>> readers, Gaps gaps) {
        int key = whole.key(o);
        long value = whole.value(o);
        Set<Integer> readBy = readers.get(new Wanted(key, value));
        if (readBy == null || whole.lastWrite(w, key) != o) {
            return null;
        }
        for (int reader : readBy) {
            boolean cannot = w >= reader && whole.sessionOf(w) == whole.sessionOf(reader);
            if (!cannot && !keptLast(w, o)) {
                return gaps.found(
                        o,
                        Names.transaction(whole, reader) + " read key " + Names.key(whole, key) + " = "
                                + Names.value(whole, value) + ", which " + Names.transaction(whole, w)
                                + " wrote; the sub-history lacks this write");
            }
        }
        return null;
    }

    /** Whether the last write of a key by transaction w leaves the same in the sub-history as the last one in the whole, o. */
    private boolean keptLast(int w, int o) {
        Integer t = embedding.kept(w);
        for (int i = t == null ? -1 : sub.operationsEnd(t) - 1; t != null && i >= sub.firstOperation(t); i--) {
            int at = embedding.operation(i);
            if (whole.isWriteOf(at, whole.key(o))) {
                return whole.value(at) == whole.value(o) && whole.isDelete(at) == whole.isDelete(o);
            }
        }
        return false;
    }
}
