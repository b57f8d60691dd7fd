package org.polygraph.jobs.certificate.judge;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Judges linearizability by a search over orders, and finds whether a violation of a sub-history is one of the whole
 * history. Uses the definition only.
 *
 * <p>The search adds one operation after another, and never goes on twice from the same state: the set of operations
 * that have taken effect, and the value (Wing and Gong, "Testing and Verifying Concurrent Objects", JPDC 17, 1993;
 * Lowe, "Testing for Linearizability", CCPE 29(4), 2017). Two rules save branches. An operation that fits and writes
 * nothing takes effect at once, because it is one that need not be considered later. Of equal operations of unknown
 * outcome the one that started first takes effect first.
 *
 * <p>A sub-history is <em>closed</em> iff it has every operation of the whole history that may have written a value
 * that one of its operations read, and every write that a refused compare-and-set may have read. A write that started
 * after the read had ended is none of these. Neither is one that had ended when another write of the sub-history
 * started, which had ended when the read started. Take an order of the whole and remove all operations outside a
 * closed sub-history. A read still follows the write that it read from without another write in between, and a refused
 * compare-and-set has the same value before it. So a closed sub-history without an order refutes the whole.
 *
 * <p>Memory: about 100 bytes a state, and an eighth of a byte for each operation that overlaps.
 */
final class LinearBruteForce {
    /** The most states of a key that are remembered. */
    private static final int MOST_STATES = 2_000_000;

    private final HistoryTable table;
    private final Terms terms;
    private final long[] starts;
    private final long[] ends;

    private LinearBruteForce(HistoryTable table, Terms terms) {
        this.table = table;
        this.terms = terms;
        long[] knownStarts = table.starts();
        long[] knownEnds = table.ends();
        starts = knownStarts == null ? new long[table.transactions()] : knownStarts;
        ends = knownEnds == null ? filled(table.transactions()) : knownEnds;
    }

    private static long[] filled(int n) {
        long[] never = new long[n];
        Arrays.fill(never, Long.MAX_VALUE);
        return never;
    }

    /**
     * A read of the sub-history.
     *
     * @param end when it ended
     * @param bound the latest start of a committed write of its key in the sub-history that had ended when it started
     */
    private record Asked(long end, long bound) {}

    /** Returns a sentence about the first write that the sub-history lacks to be closed; null if it lacks none. */
    static @Nullable String gap(HistoryTable whole, HistoryTable sub, Terms terms) {
        // By label of the key, and by label of the value read; refused compare-and-sets are under null.
        Map<String, Map<@Nullable String, Set<Asked>>> asked = new HashMap<>();
        Set<String> members = new HashSet<>();
        LinearBruteForce times = new LinearBruteForce(sub, terms);
        for (int t = 0; t < sub.transactions(); t++) {
            members.add(Names.transaction(sub.sessionLabel(sub.sessionOf(t)), sub.index(t)));
            for (int o = sub.firstOperation(t); o < sub.operationsEnd(t); o++) {
                if (!sub.isWrite(o)) {
                    long value = sub.value(o);
                    String label =
                            sub.values().isOther(value) ? null : sub.values().label(value);
                    asked.computeIfAbsent(sub.keys().label(sub.key(o)), k -> new HashMap<>())
                            .computeIfAbsent(label, v -> new HashSet<>())
                            .add(new Asked(times.end(t), times.bound(sub.key(o), t)));
                }
            }
        }
        LinearBruteForce all = new LinearBruteForce(whole, terms);
        for (int t = 0; t < whole.transactions(); t++) {
            for (int o = whole.firstOperation(t); o < whole.operationsEnd(t); o++) {
                if (!whole.isWrite(o) || !terms.mayCount(whole.statuses()[t])) {
                    continue;
                }
                Map<@Nullable String, Set<Asked>> values =
                        asked.getOrDefault(whole.keys().label(whole.key(o)), Map.of());
                if (!values.isEmpty()
                        && (all.mayBeRead(t, values.get(null))
                                || all.mayBeRead(t, values.get(whole.values().label(whole.value(o)))))
                        && !members.contains(
                                Names.transaction(whole.sessionLabel(whole.sessionOf(t)), whole.index(t)))) {
                    return Names.transaction(whole, t) + " may have written what was read";
                }
            }
        }
        return null;
    }

    /** The latest start of a committed write of a key that had ended when a transaction started. */
    private long bound(int key, int reader) {
        long bound = HistoryTable.NO_TIME;
        for (int t = 0; t < table.transactions(); t++) {
            int last = table.operationsEnd(t) - 1;
            if (last >= table.firstOperation(t)
                    && table.isWriteOf(last, key)
                    && table.status(t) == TransactionStatus.COMMITTED
                    && terms.precedes(ends[t], starts[reader])) {
                bound = Math.max(bound, starts[t]);
            }
        }
        return bound;
    }

    /** Whether real time allows one of some reads to have read from a writer. @param reads null if there are none */
    private boolean mayBeRead(int writer, @Nullable Set<Asked> reads) {
        for (Asked read : reads == null ? Set.<Asked>of() : reads) {
            if (!terms.precedes(read.end, starts[writer]) && !terms.precedes(end(writer), read.bound)) {
                return true;
            }
        }
        return false;
    }

    /** When a transaction ended; the greatest number if its outcome is unknown. */
    private long end(int t) {
        return table.status(t) == TransactionStatus.COMMITTED ? ends[t] : Long.MAX_VALUE;
    }

    /** Judges the operations of each key. */
    static BruteForce.Answer judge(HistoryTable sub, Terms terms) {
        LinearBruteForce judge = new LinearBruteForce(sub, terms);
        boolean tooLarge = false;
        for (int key = 0; key < sub.keys().size(); key++) {
            switch (judge.new Search(key).run()) {
                case VIOLATED -> {
                    return BruteForce.Answer.VIOLATED;
                }
                case TOO_LARGE -> tooLarge = true;
                case HOLDS -> {}
            }
        }
        return tooLarge ? BruteForce.Answer.TOO_LARGE : BruteForce.Answer.HOLDS;
    }

    /**
     * The operations that have taken effect, and the current value.
     *
     * @param first the first operation that has not; all before it have
     */
    private record State(int first, BitSet further, long value) {}

    /** The search for an order of one key. */
    private final class Search {
        /** The operations by start. */
        private final int[] operations;
        /** By place: the place before it of an equal operation of unknown outcome, or -1. */
        private final int[] equalBefore;

        private final BitSet done = new BitSet();
        private final Set<State> seen = new HashSet<>();
        /** Committed operations that have not taken effect. */
        private int left;
        // By depth: the place taken, the value before.
        private final int[] taken;
        private final long[] values;

        Search(int key) {
            operations = IntStream.range(0, table.transactions())
                    .filter(t -> terms.mayCount(table.statuses()[t])
                            && table.firstOperation(t) < table.operationsEnd(t)
                            && table.key(table.firstOperation(t)) == key)
                    .boxed()
                    .sorted((a, b) -> Long.compare(starts[a], starts[b]))
                    .mapToInt(t -> t)
                    .toArray();
            equalBefore = new int[operations.length];
            Map<String, Integer> last = new HashMap<>();
            for (int i = 0; i < operations.length; i++) {
                int t = operations[i];
                boolean maybe = table.status(t) != TransactionStatus.COMMITTED;
                left += maybe ? 0 : 1;
                equalBefore[i] = -1;
                if (maybe) {
                    Integer before = last.put(content(t), i);
                    equalBefore[i] = before == null ? -1 : before;
                }
            }
            taken = new int[operations.length + 1];
            values = new long[operations.length + 1];
            values[0] = table.initialValue(key);
        }

        private String content(int t) {
            StringBuilder content = new StringBuilder();
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                content.append(table.isWrite(o) ? 'w' : 'r').append(table.value(o));
            }
            return content.toString();
        }

        BruteForce.Answer run() {
            int depth = 0;
            int from = 0;
            while (left > 0) {
                int place = seen.size() > MOST_STATES ? -2 : next(from, values[depth]);
                if (place == -2) {
                    return BruteForce.Answer.TOO_LARGE;
                }
                if (place >= 0) {
                    take(place, depth);
                    if (seen.add(state(values[depth + 1]))) {
                        depth++;
                        from = 0;
                    } else {
                        undo(place);
                        from = writes(operations[place]) ? place + 1 : operations.length;
                    }
                    continue;
                }
                if (depth == 0) {
                    return BruteForce.Answer.VIOLATED;
                }
                depth--;
                undo(taken[depth]);
                from = writes(operations[taken[depth]]) ? taken[depth] + 1 : operations.length;
            }
            return BruteForce.Answer.HOLDS;
        }

        /** The next place from which on an operation can take effect now, those that write nothing first; or -1. */
        private int next(int from, long value) {
            long earliest = Long.MAX_VALUE;
            int found = -1;
            for (int i = done.nextClearBit(0); i < operations.length; i = done.nextClearBit(i + 1)) {
                int t = operations[i];
                // Operations that started later had all started after one that has not taken effect had ended.
                if (earliest != Long.MAX_VALUE && terms.precedes(earliest, starts[t])) {
                    break;
                }
                earliest = Math.min(earliest, end(t));
                boolean isFirst = equalBefore[i] < 0 || done.get(equalBefore[i]);
                if (isFirst && fits(t, value)) {
                    if (!writes(t)) {
                        return from == 0 ? i : -1;
                    }
                    found = found < 0 && i >= from ? i : found;
                }
            }
            return found;
        }

        private boolean writes(int t) {
            return table.isWrite(table.operationsEnd(t) - 1);
        }

        private boolean fits(int t, long value) {
            int first = table.firstOperation(t);
            long read = table.value(first);
            return table.isWrite(first)
                    || (table.values().isOther(read) ? table.values().excluded(read) != value : read == value);
        }

        private void take(int place, int depth) {
            int t = operations[place];
            taken[depth] = place;
            values[depth + 1] = writes(t) ? table.value(table.operationsEnd(t) - 1) : values[depth];
            done.set(place);
            left -= table.status(t) == TransactionStatus.COMMITTED ? 1 : 0;
        }

        private void undo(int place) {
            done.clear(place);
            left += table.status(operations[place]) == TransactionStatus.COMMITTED ? 1 : 0;
        }

        private State state(long value) {
            int first = done.nextClearBit(0);
            return new State(first, done.get(first, Math.max(first, done.length())), value);
        }
    }
}
