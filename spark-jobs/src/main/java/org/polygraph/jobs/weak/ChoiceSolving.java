package org.polygraph.jobs.weak;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.axiom.CommitOrder;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.ReadsFrom;
import org.polygraph.solver.CommitOutcome;
import org.polygraph.solver.CommitProblem;
import org.polygraph.solver.CommitSolver;
import org.polygraph.storage.table.HistoryTable;

/**
 * Turns a history with open reads into a problem for the solver of commit orders, in which the writers of these reads
 * and the outcomes that are not known are choices.
 */
final class ChoiceSolving {
    /** The last writers contradict at most this part of the transactions of a store whose recorded order is nearly that of commits. */
    private static final int FEW_WRONG = 100;

    private final HistoryTable table;
    private final CommitOrder order;
    private final int[] first;
    private final ReadsFrom readsFrom;
    /** By operation: the source of each read, {@link ReadsFrom#OPEN} where it is a choice. */
    private final int[] sources;

    private final CommitStatus commitStatus;
    /** By read of the problem: its operation. */
    private final IntArrayList operations = new IntArrayList();

    private final CommitProblem problem;

    /**
     * Prepares the problem.
     *
     * @param order without violations, of the same history; it holds for all reads that are not open
     * @param first the places with which the solver begins, which keep the edges of the order
     */
    ChoiceSolving(CommitOrder order, int[] first) {
        this(order, first, order.readsFrom().sources());
    }

    private ChoiceSolving(CommitOrder order, int[] first, int[] sources) {
        this.first = first;
        this.sources = sources;
        this.table = order.table();
        this.order = order;
        this.readsFrom = order.readsFrom();
        this.commitStatus = order.commitStatus();
        this.problem = problem();
    }

    /**
     * Prepares the problem in which an open read has the last writer of its value before it. Only the reads of transactions that this
     * contradicts have other choices, so an order that is found is one of the whole problem, and a refutation decides nothing.
     *
     * @param first near the recorded order, and keeps the edges of the order
     * @return null if it contradicts many transactions
     */
    static @Nullable ChoiceSolving ofLastWriters(CommitOrder order, int[] first) {
        HistoryTable table = order.table();
        int[] known = order.readsFrom().sources();
        int[] sources = lastWriters(order, first);
        int wrong = 0;
        for (int t = 0; t < table.transactions(); t++) {
            boolean isWrong = false;
            for (int o = table.firstOperation(t); o < table.operationsEnd(t) && !isWrong; o++) {
                int end = order.level().readsAlone() ? table.statementStart(o) : table.operationsEnd(t);
                for (int other = table.firstOperation(t); sources[o] >= ReadsFrom.INITIAL && other < end; other++) {
                    int seen = sources[other];
                    isWrong |= seen >= 0
                            && seen != sources[o]
                            && (sources[o] == ReadsFrom.INITIAL || first[seen] > first[sources[o]])
                            && table.lastWrite(seen, table.key(o)) >= 0;
                }
            }
            wrong += isWrong ? 1 : 0;
            for (int o = table.firstOperation(t); isWrong && o < table.operationsEnd(t); o++) {
                sources[o] = known[o];
            }
        }
        return wrong <= table.transactions() / FEW_WRONG ? new ChoiceSolving(order, first, sources) : null;
    }

    /** The sources of reads; of an open one the last writer of its value before it that counts, if there is one. */
    private static int[] lastWriters(CommitOrder order, int[] first) {
        HistoryTable table = order.table();
        CommitStatus status = order.commitStatus();
        int[] sources = order.readsFrom().sources().clone();
        int[] sequence = new int[first.length];
        for (int t = 0; t < sequence.length; t++) {
            sequence[first[t]] = t;
        }
        Long2IntOpenHashMap[] last = new Long2IntOpenHashMap[table.keys().size()];
        for (int o : order.readsFrom().open()) {
            int key = table.key(o);
            last[key] = last[key] == null ? new Long2IntOpenHashMap(2) : last[key];
            boolean isInitial = table.value(o) == table.initialValue(key);
            last[key].put(table.value(o), isInitial ? ReadsFrom.INITIAL : ReadsFrom.OPEN);
        }
        for (int t : sequence) {
            int end = status.isCounted(t) ? table.operationsEnd(t) : 0;
            for (int o = table.firstOperation(t); o < end; o++) {
                sources[o] = sources[o] == ReadsFrom.OPEN ? last[table.key(o)].get(table.value(o)) : sources[o];
            }
            for (int o = table.firstOperation(t); o < end; o++) {
                Long2IntOpenHashMap ofKey = table.isWrite(o) ? last[table.key(o)] : null;
                if (ofKey != null && ofKey.containsKey(table.value(o)) && table.lastWrite(t, table.key(o)) == o) {
                    ofKey.put(table.value(o), t);
                }
            }
        }
        return sources;
    }

    /**
     * Searches for a writer of each read and an order.
     *
     * @param stop ends the search
     * @param bytes the most bytes of the structures of the solver
     */
    CommitOutcome solve(BooleanSupplier stop, long bytes) {
        return CommitSolver.solve(problem, stop, bytes);
    }

    private CommitProblem problem() {
        CommitProblem.Sees sees =
                switch (order.level()) {
                    case PL2 -> CommitProblem.Sees.NOTHING;
                    case RC -> CommitProblem.Sees.EARLIER_READS;
                    case RA -> CommitProblem.Sees.NEIGHBOURS;
                    case CC -> CommitProblem.Sees.CAUSES;
                    default -> throw new IllegalArgumentException("no axiom of " + order.level());
                };
        boolean[] optional = new boolean[table.transactions()];
        for (int t = 0; t < optional.length; t++) {
            optional[t] = commitStatus.of(t) == CommitStatus.OPTIONAL;
        }
        return new CommitProblem(
                sees,
                order.graph().events().chainsByTransaction(),
                table.keys().size(),
                reads(),
                writes(),
                known(),
                optional,
                ofOptional(),
                first);
    }

    private CommitProblem.Reads reads() {
        List<Long2ObjectOpenHashMap<IntArrayList>> writers = writersOfOpenReads();
        int[] starts = new int[table.transactions() + 1];
        IntArrayList keys = new IntArrayList();
        int[] known = table.statements();
        IntArrayList statements = new IntArrayList();
        IntArrayList candidateStarts = new IntArrayList();
        IntArrayList candidates = new IntArrayList();
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                int source = sources[o];
                if (source == ReadsFrom.NONE) {
                    continue;
                }
                int last = keys.size() - 1;
                boolean goesOn = known != null && last >= starts[t] && known[operations.getInt(last)] == known[o];
                statements.add(goesOn ? statements.getInt(last) : keys.size());
                operations.add(o);
                keys.add(table.key(o));
                candidateStarts.add(candidates.size());
                if (source != ReadsFrom.OPEN) {
                    candidates.add(source);
                    continue;
                }
                if (table.value(o) == table.initialValue(table.key(o))) {
                    candidates.add(CommitProblem.INITIAL);
                }
                IntArrayList of =
                        Objects.requireNonNull(writers.get(table.key(o)).get(table.value(o)), "an open read");
                for (int i = 0; i < of.size(); i++) {
                    if (of.getInt(i) != t) {
                        candidates.add(of.getInt(i));
                    }
                }
            }
            starts[t + 1] = keys.size();
        }
        candidateStarts.add(candidates.size());
        return new CommitProblem.Reads(
                starts,
                keys.toIntArray(),
                statements.toIntArray(),
                candidateStarts.toIntArray(),
                candidates.toIntArray());
    }

    /** By key: by value of an open read, the transactions that left it. */
    private List<Long2ObjectOpenHashMap<IntArrayList>> writersOfOpenReads() {
        List<Long2ObjectOpenHashMap<IntArrayList>> writers = new ArrayList<>();
        for (int key = 0; key < table.keys().size(); key++) {
            writers.add(new Long2ObjectOpenHashMap<>(2));
        }
        for (int o : readsFrom.open()) {
            Long2ObjectOpenHashMap<IntArrayList> ofKey = writers.get(table.key(o));
            if (!ofKey.containsKey(table.value(o))) {
                ofKey.put(table.value(o), new IntArrayList(2));
            }
        }
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t);
                    commitStatus.of(t) != CommitStatus.DROPPED && o < table.operationsEnd(t);
                    o++) {
                IntArrayList of = table.isWrite(o) ? writers.get(table.key(o)).get(table.value(o)) : null;
                if (of != null && table.lastWrite(t, table.key(o)) == o) {
                    of.add(t);
                }
            }
        }
        return writers;
    }

    private CommitProblem.Writes writes() {
        int[] starts = new int[table.transactions() + 1];
        IntArrayList keys = new IntArrayList();
        IntOpenHashSet own = new IntOpenHashSet();
        for (int t = 0; t < table.transactions(); t++) {
            own.clear();
            for (int o = table.firstOperation(t);
                    commitStatus.of(t) != CommitStatus.DROPPED && o < table.operationsEnd(t);
                    o++) {
                if (table.isWrite(o) && own.add(table.key(o))) {
                    keys.add(table.key(o));
                }
            }
            starts[t + 1] = keys.size();
            Arrays.sort(keys.elements(), starts[t], starts[t + 1]);
        }
        return new CommitProblem.Writes(starts, keys.toIntArray());
    }

    /** Session order, the writers of reads with one, and what the axiom demands of these. */
    private CommitProblem.Predecessors known() {
        KnownGraph graph = order.graph();
        graph.indexPredecessors();
        int n = table.transactions();
        int[] starts = new int[n + 1];
        IntArrayList from = new IntArrayList(n + graph.edges());
        for (int t = 0; t < n; t++) {
            if (t > 0 && table.sessionOf(t - 1) == table.sessionOf(t)) {
                from.add(t - 1);
            }
            for (int i = graph.predecessorStarts()[t]; i < graph.predecessorStarts()[t + 1]; i++) {
                from.add(graph.from(graph.predecessorEdges()[i]));
            }
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (readsFrom.sources()[o] == ReadsFrom.OPEN && sources[o] >= 0) {
                    from.add(sources[o]);
                }
            }
            starts[t + 1] = from.size();
        }
        return new CommitProblem.Predecessors(starts, from.toIntArray());
    }

    /** The transactions whose appends come before the appends of one whose outcome is not known. */
    private CommitProblem.Predecessors ofOptional() {
        int[] starts = new int[table.transactions() + 1];
        IntArrayList of = new IntArrayList();
        IntArrayList from = new IntArrayList();
        order.openPairs((first, second) -> {
            starts[second + 1]++;
            of.add(second);
            from.add(first);
        });
        for (int t = 0; t < table.transactions(); t++) {
            starts[t + 1] += starts[t];
        }
        int[] next = starts.clone();
        int[] transactions = new int[from.size()];
        for (int i = 0; i < transactions.length; i++) {
            transactions[next[of.getInt(i)]++] = from.getInt(i);
        }
        return new CommitProblem.Predecessors(starts, transactions);
    }

    /** By transaction: whether its outcome is not known and it was chosen to have committed. */
    boolean[] committed(CommitOutcome.Ordered found) {
        boolean[] committed = new boolean[table.transactions()];
        for (int t = 0; t < committed.length; t++) {
            committed[t] = commitStatus.of(t) == CommitStatus.OPTIONAL && found.counted()[t];
        }
        return committed;
    }

    /** By operation: the transaction that it read from, as it was chosen. */
    int[] sources(CommitOutcome.Ordered found) {
        int[] sources = new int[table.operations()];
        Arrays.fill(sources, ReadsFrom.NONE);
        for (int r = 0; r < operations.size(); r++) {
            sources[operations.getInt(r)] = found.sources()[r];
        }
        return sources;
    }
}
