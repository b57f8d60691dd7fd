package org.polygraph.partitioner.index;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntLinkedOpenHashSet;
import it.unimi.dsi.fastutil.ints.IntList;
import it.unimi.dsi.fastutil.ints.IntRBTreeSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistoryTable;

/**
 * Describes transactions that are not founded ({@link FoundedTransactions}): a set in which each one follows another in
 * its session, or read a value that only others of the set wrote. Whatever the writers are, there is a cycle of reads
 * and sessions among them, which is Adya's G1c. Linear in the history for each set that is looked at, and it runs only
 * for a violation.
 */
final class UnfoundedReads {
    /** A smaller set is looked for from a transaction of the set so far, at most so often. */
    private static final int MOST_SETS = 16;

    private static final int MOST_REASONS = 3;
    private static final int MOST_NAMED = 4;

    private record KeyValue(int key, long value) {}

    /**
     * Why a transaction is not founded.
     *
     * @param read an external read, or -1 for the session predecessor
     * @param needed of these one would have to be founded
     */
    private record Witness(int read, IntList needed) {}

    private final HistoryTable table;
    private final byte[] roles;
    private final CommitStatus commitStatus;
    private final boolean[] founded;
    /** By value that a transaction which is not founded reads: the other transactions that may have written it. */
    private final Map<KeyValue, IntArrayList> writers = new HashMap<>();

    private UnfoundedReads(HistoryTable table, byte[] roles, CommitStatus commitStatus, boolean[] founded) {
        this.table = table;
        this.roles = roles;
        this.commitStatus = commitStatus;
        this.founded = founded;
        for (int t = 0; t < founded.length; t++) {
            for (int o = table.firstOperation(t); isUnfounded(t) && o < table.operationsEnd(t); o++) {
                if (roles[o] == TransactionScan.EXTERNAL_READ) {
                    writers.computeIfAbsent(version(o), version -> new IntArrayList(2));
                }
            }
        }
        for (int t = 0; t < founded.length; t++) {
            for (int o = table.firstOperation(t);
                    commitStatus.of(t) != CommitStatus.DROPPED && o < table.operationsEnd(t);
                    o++) {
                IntArrayList of = roles[o] == TransactionScan.VISIBLE_WRITE ? writers.get(version(o)) : null;
                if (of != null) {
                    of.add(t);
                }
            }
        }
    }

    /**
     * Describes a small set of transactions that are not founded.
     *
     * @param founded by transaction; some counted transaction is not
     */
    static Violation violation(HistoryTable table, byte[] roles, CommitStatus commitStatus, boolean[] founded) {
        int first = 0;
        while (founded[first] || !commitStatus.isCounted(first)) {
            first++;
        }
        UnfoundedReads all = new UnfoundedReads(table, roles, commitStatus, founded);
        IntLinkedOpenHashSet set = all.from(first);
        for (int i = 0; i < MOST_SETS; i++) {
            IntLinkedOpenHashSet next = all.from(set.lastInt());
            if (next.size() >= set.size()) {
                break;
            }
            set = next;
        }
        return all.violation(new IntRBTreeSet(set));
    }

    private boolean isUnfounded(int t) {
        return !founded[t] && commitStatus.of(t) != CommitStatus.DROPPED;
    }

    private KeyValue version(int operation) {
        return new KeyValue(table.key(operation), table.value(operation));
    }

    /** A transaction and all that its witness and theirs need. */
    private IntLinkedOpenHashSet from(int transaction) {
        IntLinkedOpenHashSet set = new IntLinkedOpenHashSet();
        IntArrayList queue = new IntArrayList();
        set.add(transaction);
        queue.add(transaction);
        for (int i = 0; i < queue.size(); i++) {
            for (int needed : witness(queue.getInt(i)).needed) {
                if (set.add(needed)) {
                    queue.add(needed);
                }
            }
        }
        return set;
    }

    /** The reason with the fewest transactions. */
    private Witness witness(int t) {
        Witness best = null;
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            if (roles[o] == TransactionScan.EXTERNAL_READ && table.value(o) != table.initialValue(table.key(o))) {
                IntArrayList needed = new IntArrayList(writers.getOrDefault(version(o), new IntArrayList(0)));
                needed.rem(t);
                if (!isAnyFounded(needed) && (best == null || needed.size() < best.needed.size())) {
                    best = new Witness(o, needed);
                }
            }
        }
        int before = best != null && best.needed.size() <= 1 ? -1 : predecessor(t);
        if (before >= 0) {
            return new Witness(-1, IntList.of(before));
        }
        if (best == null) {
            throw new IllegalStateException("no reason why " + table.name(t) + " is not founded");
        }
        return best;
    }

    private boolean isAnyFounded(IntArrayList transactions) {
        for (int i = 0; i < transactions.size(); i++) {
            if (founded[transactions.getInt(i)]) {
                return true;
            }
        }
        return false;
    }

    /** The counted predecessor in the session if it is not founded, or -1. */
    private int predecessor(int t) {
        int before = t - 1;
        while (before >= table.firstTransaction(table.sessionOf(t)) && !commitStatus.isCounted(before)) {
            before--;
        }
        return before >= table.firstTransaction(table.sessionOf(t)) && !founded[before] ? before : -1;
    }

    private Violation violation(IntRBTreeSet set) {
        for (int t : set) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                IntList later = roles[o] == TransactionScan.EXTERNAL_READ ? ofLaterWriters(t, o) : IntList.of();
                if (!later.isEmpty()) {
                    List<Integer> transactions = new ArrayList<>(later);
                    transactions.add(0, t);
                    return new Violation(
                            Anomaly.FUTURE_READ,
                            transactions,
                            List.of(table.key(o)),
                            List.of(),
                            "read " + value(o) + ", which only its own session wrote, and only later");
                }
            }
        }
        List<Integer> transactions = new ArrayList<>(set);
        IntLinkedOpenHashSet keys = new IntLinkedOpenHashSet();
        List<String> reasons = new ArrayList<>();
        boolean hasSessions = false;
        for (int t : transactions) {
            Witness witness = witness(t);
            hasSessions |= witness.read < 0;
            if (witness.read >= 0) {
                keys.add(table.key(witness.read));
            }
            if (reasons.size() < MOST_REASONS) {
                reasons.add(reason(t, witness));
            }
        }
        String more = transactions.size() > reasons.size() ? "; and so on for the others" : "";
        return new Violation(
                Anomaly.CIRCULAR_INFORMATION_FLOW,
                transactions,
                new ArrayList<>(keys),
                List.of(),
                "each"
                        + (hasSessions ? " follows another of them in its session or" : "")
                        + " read what only others of them wrote: " + String.join("; ", reasons) + more);
    }

    /** The writers of the value of a read if they all follow the reader in its session, else none. */
    private IntList ofLaterWriters(int t, int read) {
        IntArrayList later = new IntArrayList(writers.getOrDefault(version(read), new IntArrayList(0)));
        later.rem(t);
        boolean areLater = table.value(read) != table.initialValue(table.key(read));
        for (int i = 0; i < later.size(); i++) {
            areLater &= later.getInt(i) > t && table.sessionOf(later.getInt(i)) == table.sessionOf(t);
        }
        return areLater ? later : IntList.of();
    }

    private String reason(int t, Witness witness) {
        String who = table.name(t);
        if (witness.read < 0) {
            return who + " follows " + table.name(witness.needed.getInt(0)) + " in its session";
        }
        List<String> names = new ArrayList<>();
        for (int i = 0; i < witness.needed.size() && i < MOST_NAMED; i++) {
            names.add(table.name(witness.needed.getInt(i)));
        }
        int others = witness.needed.size() - names.size();
        String last = others > 0 ? others + (others == 1 ? " other" : " others") : names.remove(names.size() - 1);
        return who + " read " + value(witness.read) + ", which only "
                + (names.isEmpty() ? last : String.join(", ", names) + " and " + last) + " wrote";
    }

    private String value(int operation) {
        int key = table.key(operation);
        return table.label(key, table.value(operation)) + " from key "
                + table.keys().label(key);
    }
}
