package org.polygraph.jobs.certificate.judge;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
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
 * that one of its operations read, and every write that a refused compare-and-set may have read, apart from what follows.
 * A compare-and-set may be in it without its read. A write that started after the read had ended is not needed. Neither
 * is one that had ended when another write of the sub-history started, which had ended when the read started: that
 * other one or a later one is the last before the read. A write of unknown outcome takes effect only if it is read. So it
 * takes effect before the last read of its value has ended, and after the other write started, and in these bounds its
 * own read may have read. It is not needed if as many writes of its value as the value has reads can replace it: those of
 * unknown outcome in the sub-history that started before it, or before all these bounds, and that read nothing or
 * the same.
 *
 * <p>Take an order of the whole. Leave out the writes of unknown outcome that are not read, replace others as described,
 * and remove all operations outside a closed sub-history. A read still follows the write that it read from without
 * another write in between, and a refused compare-and-set still finds another value. So a closed sub-history without an
 * order refutes the whole.
 *
 * <p>Memory: {@value #STATE_BYTES} bytes a state, and an eighth of a byte for each operation that overlaps.
 */
final class LinearBruteForce {
    static final int STATE_BYTES = 144;
    /** How many steps there are between two looks at the time. */
    private static final int STEPS = 1 << 10;

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
        ends = new long[table.transactions()];
        Arrays.setAll(
                ends, t -> knownEnds == null || knownEnds[t] == HistoryTable.NO_TIME ? Long.MAX_VALUE : knownEnds[t]);
    }

    /** Returns a sentence about the first write that the sub-history lacks to be closed; null if it lacks none. */
    static @Nullable String gap(HistoryTable whole, HistoryTable sub, Terms terms) {
        LinearBruteForce all = new LinearBruteForce(whole, terms);
        Map<String, Asked> asked = new HashMap<>();
        LinearBruteForce part = new LinearBruteForce(sub, terms);
        for (int key = 0; key < sub.keys().size(); key++) {
            asked.put(sub.keys().label(key), part.new Asked(key));
        }
        Set<String> written = new HashSet<>();
        for (int t = 0; t < sub.transactions(); t++) {
            if (part.isWriter(t)) {
                written.add(Names.transaction(sub.sessionLabel(sub.sessionOf(t)), sub.index(t)));
            }
        }
        for (int t = 0; t < whole.transactions(); t++) {
            if (terms.mayCount(whole.statuses()[t]) && all.isWriter(t)) {
                Asked of = asked.get(whole.keys().label(whole.key(whole.firstOperation(t))));
                if (of != null
                        && of.needs(all, t)
                        && !written.contains(
                                Names.transaction(whole.sessionLabel(whole.sessionOf(t)), whole.index(t)))) {
                    return Names.transaction(whole, t) + " may have written what was read";
                }
            }
        }
        return null;
    }

    /**
     * A read of the sub-history.
     *
     * @param from when the last write before it started at the earliest
     * @param until when it ended, or when the last read had ended for which its own write may be needed
     * @param value the label of the value that it read; null if it is refused
     * @param excluded the label of the value that it did not find; null if it is not refused
     */
    private record Read(
            long from,
            long until,
            @Nullable String value,
            @Nullable String excluded) {
        boolean mayRead(String written) {
            return value == null ? !written.equals(excluded) : value.equals(written);
        }
    }

    /** What the reads of a key in this sub-history need. */
    private final class Asked {
        private final int key;
        /** Those in which writes of unknown outcome read have bounds that become wider until nothing changes. */
        private Set<Read> reads = new HashSet<>();

        private final Map<String, Integer> readsOf = new HashMap<>();
        /** By value written: the reads that may find it. */
        private final Map<String, List<Read>> finding = new HashMap<>();

        Asked(int key) {
            this.key = key;
            for (Set<Read> before = Set.of(); !reads.equals(before) || before.isEmpty(); ) {
                before = reads;
                reads = new HashSet<>();
                readsOf.clear();
                for (int t = 0; t < table.transactions(); t++) {
                    if (isOf(t, key) && !table.isWrite(table.firstOperation(t))) {
                        add(t, before);
                    }
                }
                if (reads.isEmpty()) {
                    return;
                }
            }
        }

        private void add(int t, Set<Read> before) {
            long start = starts[t];
            long until = ends[t];
            if (table.status(t) != TransactionStatus.COMMITTED) {
                String own = written(t);
                List<Read> uses =
                        before.stream().filter(read -> read.mayRead(own)).toList();
                if (uses.isEmpty()) {
                    return;
                }
                start = Math.max(
                        start, uses.stream().mapToLong(Read::from).min().orElseThrow());
                until = uses.stream().mapToLong(Read::until).max().orElseThrow();
            }
            long value = table.value(table.firstOperation(t));
            boolean isRefused = table.values().isOther(value);
            String label = table.values().label(isRefused ? table.values().excluded(value) : value);
            reads.add(new Read(bound(key, start), until, isRefused ? null : label, isRefused ? label : null));
            readsOf.merge(isRefused ? "" : "=" + label, 1, Integer::sum);
        }

        /** Whether the sub-history needs a write of the whole history. */
        boolean needs(LinearBruteForce all, int t) {
            String value = all.written(t);
            boolean known = all.table.status(t) == TransactionStatus.COMMITTED;
            long from = Long.MAX_VALUE;
            boolean mayBeRead = false;
            List<Read> finders = finding.computeIfAbsent(
                    value, v -> reads.stream().filter(read -> read.mayRead(v)).toList());
            for (Read read : finders) {
                from = Math.min(from, read.from);
                mayBeRead |= !terms.precedes(read.until, all.starts[t])
                        && !(known && terms.precedes(all.ends[t], read.from));
            }
            return mayBeRead && (known || others(all, t, Math.max(from, all.starts[t])) < readers(value));
        }

        private int readers(String value) {
            return readsOf.getOrDefault("", 0) + readsOf.getOrDefault("=" + value, 0);
        }

        /** The writes of unknown outcome in the sub-history that can replace one of the whole history. */
        private int others(LinearBruteForce all, int replaced, long time) {
            int count = 0;
            for (int t = 0; t < table.transactions(); t++) {
                boolean fits = isOf(t, key)
                        && isWriter(t)
                        && table.status(t) != TransactionStatus.COMMITTED
                        && written(t).equals(all.written(replaced));
                String own = fits ? read(t) : null;
                if (fits
                        && (own == null
                                ? starts[t] <= time
                                : own.equals(all.read(replaced)) && starts[t] <= all.starts[replaced])) {
                    count++;
                }
            }
            return count;
        }
    }

    private boolean isOf(int t, int key) {
        int first = table.firstOperation(t);
        return first < table.operationsEnd(t) && table.key(first) == key && terms.mayCount(table.statuses()[t]);
    }

    private boolean isWriter(int t) {
        int last = table.operationsEnd(t) - 1;
        return last >= table.firstOperation(t) && table.isWrite(last);
    }

    /** The label of the value that a transaction writes. */
    private String written(int t) {
        return table.values().label(table.value(table.operationsEnd(t) - 1));
    }

    /** The label of the value that a writer reads before; null if it reads none. */
    private @Nullable String read(int t) {
        int first = table.firstOperation(t);
        return table.isWrite(first) ? null : table.values().label(table.value(first));
    }

    /** The latest start of a committed write of a key that had ended at a time. */
    private long bound(int key, long time) {
        long bound = HistoryTable.NO_TIME;
        for (int t = 0; t < table.transactions(); t++) {
            if (isOf(t, key)
                    && isWriter(t)
                    && table.status(t) == TransactionStatus.COMMITTED
                    && terms.precedes(ends[t], time)) {
                bound = Math.max(bound, starts[t]);
            }
        }
        return bound;
    }

    /** When a transaction ended; the greatest number if its outcome is unknown. */
    private long end(int t) {
        return table.status(t) == TransactionStatus.COMMITTED ? ends[t] : Long.MAX_VALUE;
    }

    /**
     * Judges the operations of each key.
     *
     * @param mostBytes of the states of a key
     * @param stop whether to stop, with the answer TOO_LARGE
     */
    static BruteForce.Answer judge(HistoryTable sub, Terms terms, long mostBytes, BooleanSupplier stop) {
        LinearBruteForce judge = new LinearBruteForce(sub, terms);
        boolean tooLarge = false;
        for (int key = 0; key < sub.keys().size(); key++) {
            switch (judge.new Search(key).run(mostBytes, stop)) {
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

        BruteForce.Answer run(long mostBytes, BooleanSupplier stop) {
            int depth = 0;
            int from = 0;
            long bytes = 0;
            for (int steps = 1; left > 0; steps++) {
                if (bytes > mostBytes || (steps % STEPS == 0 && stop.getAsBoolean())) {
                    return BruteForce.Answer.TOO_LARGE;
                }
                int place = next(from, values[depth]);
                if (place >= 0) {
                    take(place, depth);
                    State state = state(values[depth + 1]);
                    if (seen.add(state)) {
                        bytes += STATE_BYTES + state.further.size() / Byte.SIZE;
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

        /** Whether each read of an operation finds a value; an append to a list that was read before has two. */
        private boolean fits(int t, long value) {
            boolean fits = true;
            for (int o = table.firstOperation(t); o < table.operationsEnd(t) && !table.isWrite(o); o++) {
                long read = table.value(o);
                fits &= table.values().isOther(read) ? table.values().excluded(read) != value : read == value;
            }
            return fits;
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
