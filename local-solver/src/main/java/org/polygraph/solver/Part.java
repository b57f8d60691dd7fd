package org.polygraph.solver;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.polygraph.solver.Outcome.Core;
import org.polygraph.solver.proof.ProofTrace;
import org.polygraph.solver.sat.Budget;

/**
 * Some transactions of a polygraph with some of its keys, as a polygraph of their own, and the way back. Numbers of
 * transactions, readers and writers ascend with those of the whole.
 *
 * @param polygraph the part
 * @param transactions by transaction of the part, that of the whole
 * @param readers by reader of the part, that of the whole
 * @param writers likewise
 */
record Part(Polygraph polygraph, int[] transactions, int[] readers, int[] writers) {
    private static final int NONE = -1;

    /**
     * Cuts it out.
     *
     * @param members its transactions, ascending
     * @param keys its keys, ascending: all their readers and writers are members
     * @param number transaction of the whole to that of the part, or -1
     */
    static Part of(Polygraph whole, int[] members, int[] keys, IntUnaryOperator number, Budget budget) {
        int[] writerStart = budget.ints(keys.length + 1);
        int[] readerStart = budget.ints(keys.length + 1);
        for (int k = 0; k < keys.length; k++) {
            writerStart[k + 1] = writerStart[k] + whole.writerStart[keys[k] + 1] - whole.writerStart[keys[k]];
            readerStart[k + 1] = readerStart[k] + whole.readerStart[keys[k] + 1] - whole.readerStart[keys[k]];
        }
        int[] writers = indexes(whole.writerStart, keys, writerStart, budget);
        int[] readers = indexes(whole.readerStart, keys, readerStart, budget);
        Polygraph.Builder part = Polygraph.builder(members.length, whole.eventsPerTransaction)
                .position(positions(whole, members, budget))
                .writers(
                        writerStart,
                        numbers(whole.writerTxn, writers, number, budget),
                        classes(whole, whole.writerClass, writers, keys, writerStart, writerStart, budget))
                .readers(
                        readerStart,
                        numbers(whole.readerTxn, readers, number, budget),
                        classes(whole, whole.readerClass, readers, keys, readerStart, writerStart, budget))
                .optional(optional(whole, members))
                .dirtyKeys(dirty(whole, keys));
        edges(whole, members, number, budget, part);
        Reachability known = whole.reachability;
        if (known != null) {
            int perTxn = whole.eventsPerTransaction;
            part.reachability((from, to) -> known.reaches(event(members, perTxn, from), event(members, perTxn, to)));
        }
        return new Part(part.build(), members, readers, writers);
    }

    private static int event(int[] members, int perTxn, int event) {
        return perTxn * members[event / perTxn] + event % perTxn;
    }

    private static int[] indexes(int[] wholeStart, int[] keys, int[] start, Budget budget) {
        int[] indexes = budget.ints(start[keys.length]);
        for (int k = 0; k < keys.length; k++) {
            for (int i = start[k]; i < start[k + 1]; i++) {
                indexes[i] = wholeStart[keys[k]] + i - start[k];
            }
        }
        return indexes;
    }

    private static int[] numbers(int[] txns, int[] indexes, IntUnaryOperator number, Budget budget) {
        int[] numbers = budget.ints(indexes.length);
        for (int i = 0; i < indexes.length; i++) {
            budget.tick();
            numbers[i] = number.applyAsInt(txns[indexes[i]]);
        }
        return numbers;
    }

    private static int[] classes(
            Polygraph whole, int[] classes, int[] indexes, int[] keys, int[] start, int[] writerStart, Budget budget) {
        int[] own = budget.ints(indexes.length);
        for (int k = 0; k < keys.length; k++) {
            int shift = writerStart[k] - whole.writerStart[keys[k]];
            for (int i = start[k]; i < start[k + 1]; i++) {
                int c = classes[indexes[i]];
                own[i] = c == Polygraph.INITIAL ? c : c + shift;
            }
        }
        return own;
    }

    private static int[] positions(Polygraph whole, int[] members, Budget budget) {
        int perTxn = whole.eventsPerTransaction;
        int events = perTxn * members.length;
        budget.reserve(8L * events);
        long[] order = new long[events];
        for (int e = 0; e < events; e++) {
            order[e] = (long) whole.position[event(members, perTxn, e)] << 32 | e;
        }
        Arrays.sort(order);
        int[] position = budget.ints(events);
        for (int i = 0; i < events; i++) {
            position[(int) order[i]] = i;
        }
        budget.reserve(-8L * events);
        return position;
    }

    private static boolean @Nullable [] optional(Polygraph whole, int[] members) {
        if (whole.optional == null) {
            return null;
        }
        boolean[] optional = new boolean[members.length];
        for (int t = 0; t < members.length; t++) {
            optional[t] = whole.optional[members[t]];
        }
        return optional;
    }

    private static int @Nullable [] dirty(Polygraph whole, int[] keys) {
        if (whole.dirtyKeys == null) {
            return null;
        }
        int[] sorted = whole.dirtyKeys;
        int[] dirty = new int[keys.length];
        int count = 0;
        for (int k = 0; k < keys.length; k++) {
            if (Arrays.binarySearch(sorted, keys[k]) >= 0) {
                dirty[count++] = k;
            }
        }
        return Arrays.copyOf(dirty, count);
    }

    private static void edges(
            Polygraph whole, int[] members, IntUnaryOperator number, Budget budget, Polygraph.Builder part) {
        int perTxn = whole.eventsPerTransaction;
        int[] wholeStart = whole.successorStart;
        int[] wholeTarget = whole.successor;
        boolean forward = wholeStart != null && wholeTarget != null;
        if (wholeStart == null || wholeTarget == null) {
            wholeStart = whole.predecessorStart;
            wholeTarget = whole.predecessor;
        }
        if (wholeStart == null || wholeTarget == null) {
            throw new IllegalArgumentException("a polygraph needs successors or predecessors; it has neither");
        }
        int events = perTxn * members.length;
        int most = 0;
        for (int txn : members) {
            most += wholeStart[perTxn * txn + perTxn] - wholeStart[perTxn * txn];
        }
        int[] start = budget.ints(events + 1);
        int[] target = budget.ints(most);
        int next = 0;
        for (int e = 0; e < events; e++) {
            budget.tick();
            int event = event(members, perTxn, e);
            for (int i = wholeStart[event]; i < wholeStart[event + 1]; i++) {
                int txn = number.applyAsInt(wholeTarget[i] / perTxn);
                if (txn != NONE) {
                    target[next++] = perTxn * txn + wholeTarget[i] % perTxn;
                }
            }
            start[e + 1] = next;
        }
        if (forward) {
            part.successors(start, target);
        } else {
            part.predecessors(start, target);
        }
    }

    /** A refutation of the part is one of the whole. */
    Core coreOf(Polygraph whole, Core core) {
        int n = core.size();
        int[] coreReaders = new int[n];
        int[] coreWriters = new int[n];
        int[] others = new int[n];
        for (int i = 0; i < n; i++) {
            coreReaders[i] = core.reader(i) < 0 ? NONE : readers[core.reader(i)];
            coreWriters[i] = core.writer(i) < 0 ? NONE : writers[core.writer(i)];
            others[i] = core.other(i) < 0 ? NONE : writers[core.other(i)];
        }
        int[] cycle = core.cycle();
        for (int i = 0; i < cycle.length; i++) {
            cycle[i] = event(transactions, whole.eventsPerTransaction, cycle[i]);
        }
        return new Core(whole, coreReaders, coreWriters, others, cycle, core.isTraced());
    }

    /** Tells the steps of the part's refutation as steps of the whole's. */
    void tell(ProofTrace steps, ProofTrace whole) {
        whole.append(steps, transactions, readers, writers);
    }
}
