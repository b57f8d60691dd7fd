package org.polygraph.jobs.certificate.judge;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Judges linearizability of a few operations by trying every order, and finds whether a violation of a sub-history is
 * one of the whole history. Uses the definition only.
 *
 * <p>A sub-history is <em>closed</em> iff it has every operation of the whole history that may have written a value
 * that one of its operations read, and every write of a key on which it has a refused compare-and-set. Take an order of
 * the whole and remove all operations outside a closed sub-history. A read still follows the write that it read from
 * without another write in between, and a refused compare-and-set has the same value before it. So a closed sub-history
 * without an order refutes the whole.
 */
final class LinearBruteForce {
    /** The most operations on a key whose orders are tried. */
    private static final int MOST = 16;

    private final HistoryTable table;
    private final Terms terms;

    private LinearBruteForce(HistoryTable table, Terms terms) {
        this.table = table;
        this.terms = terms;
    }

    /** Returns a sentence about the first write that the sub-history lacks to be closed; null if it lacks none. */
    static @Nullable String gap(HistoryTable whole, HistoryTable sub, Terms terms) {
        // By label of the key: the labels of the values read; null means every value.
        Map<String, Set<@Nullable String>> asked = new HashMap<>();
        Set<String> members = new HashSet<>();
        for (int t = 0; t < sub.transactions(); t++) {
            members.add(Names.transaction(sub.sessionLabel(sub.sessionOf(t)), sub.index(t)));
            for (int o = sub.firstOperation(t); o < sub.operationsEnd(t); o++) {
                if (!sub.isWrite(o)) {
                    long value = sub.value(o);
                    asked.computeIfAbsent(sub.keys().label(sub.key(o)), k -> new HashSet<>())
                            .add(
                                    sub.values().isOther(value)
                                            ? null
                                            : sub.values().label(value));
                }
            }
        }
        for (int t = 0; t < whole.transactions(); t++) {
            for (int o = whole.firstOperation(t); o < whole.operationsEnd(t); o++) {
                if (!whole.isWrite(o) || !terms.mayCount(whole.statuses()[t])) {
                    continue;
                }
                Set<@Nullable String> values = asked.get(whole.keys().label(whole.key(o)));
                if (values != null
                        && (values.contains(null)
                                || values.contains(whole.values().label(whole.value(o))))
                        && !members.contains(
                                Names.transaction(whole.sessionLabel(whole.sessionOf(t)), whole.index(t)))) {
                    return Names.transaction(whole, t) + " may have written what was read";
                }
            }
        }
        return null;
    }

    /** Judges the operations of each key. */
    static BruteForce.Answer judge(HistoryTable sub, Terms terms) {
        LinearBruteForce judge = new LinearBruteForce(sub, terms);
        boolean tooLarge = false;
        for (int key = 0; key < sub.keys().size(); key++) {
            int[] operations = judge.operations(key);
            if (operations.length > MOST) {
                tooLarge = true;
            } else if (!judge.extend(operations, 0, sub.initialValue(key), new HashSet<>())) {
                return BruteForce.Answer.VIOLATED;
            }
        }
        return tooLarge ? BruteForce.Answer.TOO_LARGE : BruteForce.Answer.HOLDS;
    }

    private int[] operations(int key) {
        int[] found = new int[table.transactions()];
        int n = 0;
        for (int t = 0; t < table.transactions(); t++) {
            int from = table.firstOperation(t);
            if (terms.mayCount(table.statuses()[t]) && from < table.operationsEnd(t) && table.key(from) == key) {
                found[n++] = t;
            }
        }
        return Arrays.copyOf(found, n);
    }

    /** The operations that have taken effect, as bits, and the current value. */
    private record State(int done, long value) {}

    private boolean extend(int[] operations, int done, long value, Set<State> seen) {
        boolean all = true;
        for (int i = 0; i < operations.length; i++) {
            all &= (done & 1 << i) != 0 || table.status(operations[i]) != TransactionStatus.COMMITTED;
        }
        if (all) {
            return true;
        }
        if (!seen.add(new State(done, value))) {
            return false;
        }
        for (int i = 0; i < operations.length; i++) {
            if ((done & 1 << i) == 0 && isFree(operations, done, operations[i])) {
                long after = value;
                boolean fits = true;
                int t = operations[i];
                for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                    long each = table.value(o);
                    if (table.isWrite(o)) {
                        after = each;
                    } else {
                        fits &= table.values().isOther(each) ? table.values().excluded(each) != after : each == after;
                    }
                }
                if (fits && extend(operations, done | 1 << i, after, seen)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether every committed operation that had ended before t started has taken effect. */
    private boolean isFree(int[] operations, int done, int t) {
        long[] starts = table.starts();
        long[] ends = table.ends();
        for (int i = 0; i < operations.length; i++) {
            int other = operations[i];
            if ((done & 1 << i) == 0
                    && other != t
                    && table.status(other) == TransactionStatus.COMMITTED
                    && starts != null
                    && ends != null
                    && terms.precedes(ends[other], starts[t])) {
                return false;
            }
        }
        return true;
    }
}
