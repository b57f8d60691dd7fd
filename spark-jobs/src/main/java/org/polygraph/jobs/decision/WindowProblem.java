package org.polygraph.jobs.decision;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongHeapPriorityQueue;
import java.io.Serializable;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.Problem;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.prune.Rules;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.CodedHistory;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;

/**
 * A set of transactions that may move between two places, with everything that their new places depend on: R(M). It
 * refers to no history, so any process can solve it.
 *
 * <p>Its transactions are numbered: first the members, which may move, session by session; then the frozen ones, whose
 * events keep their order. The last one represents everything behind the right border, and reads the values that are
 * expected there. Event {@code t} is transaction t at SER; events {@code 2t} and {@code 2t + 1} are its snapshot and
 * its commit at SI. What is before the left border is represented by the initial values. All events of members come
 * before the last transaction.
 *
 * @param eventsPerTransaction 1: SER, 2: SI
 * @param sessionStarts by session of members: its first member; and the number of members
 * @param optional by member: whether its outcome is unknown and open
 * @param times of members, where real time is part of the level; null otherwise
 * @param operations external reads and visible writes of all transactions, on keys that are numbered from 0; values are
 *     codes that need no dictionary, equal for equal values
 * @param initialValues by key: the value at the left border
 * @param order all events in their present order, which those of transactions that are no members keep
 * @param before how many of {@code order} lie before the left border, and so before all members
 * @param edges pairs of events, of which the first comes before the second: session order and real time between members
 *     and frozen transactions
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record WindowProblem(
        int eventsPerTransaction,
        int[] sessionStarts,
        boolean[] optional,
        @Nullable Times times,
        Operations operations,
        long[] initialValues,
        int[] order,
        int before,
        int[] edges)
        implements Serializable {

    /**
     * Real time among members: u precedes v if u ended before v started by more than the clock skew.
     *
     * @param starts by member
     * @param ends by member
     */
    public record Times(long[] starts, long[] ends, long skewNanos) implements Serializable {}

    /**
     * The answer to a problem.
     *
     * @param order all events in an order that explains the reads; empty if there is none
     * @param counted by member, whether it counts; empty if there is no order
     */
    public record Answer(int[] order, boolean[] counted) {
        /** Whether there is an order. */
        public boolean holds() {
            return order.length > 0;
        }
    }

    private static final Answer NONE = new Answer(new int[0], new boolean[0]);

    public int members() {
        return optional.length;
    }

    public int transactions() {
        return operations.starts().length - 1;
    }

    private int transaction(int event) {
        return event / eventsPerTransaction;
    }

    private int commit(int transaction) {
        return (transaction + 1) * eventsPerTransaction - 1;
    }

    private boolean isCommit(int event) {
        return event == commit(transaction(event));
    }

    /**
     * Decides the problem.
     *
     * @throws org.polygraph.storage.model.BudgetException if the budget ends
     */
    public Answer solve(Budget budget) {
        Chains chains = new Chains();
        Problem problem = chains.problem(budget);
        if (problem == null) {
            return NONE;
        }
        Solved near = times == null ? Decision.repair(problem, chains.ranks(), budget) : null;
        if (near != null) {
            return answer(chains, problem, near);
        }
        if (times != null) {
            problem.bind(problem.realTime(times.skewNanos));
        }
        Solved solved =
                Decision.attempt(problem, Decision.SMALL, Rules.Phases.NONE, budget, budget.bytes(), budget.bytes());
        return answer(chains, problem, solved.required());
    }

    /** Decides it if a few repairs of the present order suffice; null if they do not, or if real time counts. */
    public @Nullable Answer near(Budget budget) {
        Chains chains = new Chains();
        Problem problem = times == null ? chains.problem(budget) : null;
        Solved near = problem == null ? null : Decision.repair(problem, chains.ranks(), budget);
        return problem == null || near == null ? null : answer(chains, problem, near);
    }

    private Answer answer(Chains chains, Problem problem, Solved solved) {
        FoundOrder order = solved.order();
        if (order == null) {
            return NONE;
        }
        int[] found = new int[order.position().length];
        for (int event = 0; event < found.length; event++) {
            found[order.position()[chains.event(event)]] = event;
        }
        return new Answer(found, Arrays.copyOf(order.counted(problem.commitStatus()), members()));
    }

    /** The events of transactions that are no members, in their order. */
    private int[] frozen() {
        return Arrays.stream(order)
                .filter(event -> transaction(event) >= members())
                .toArray();
    }

    /**
     * The problem as a history. Its frozen transactions are in as few sessions as their overlaps allow, because fewer
     * sessions make closures smaller.
     */
    private final class Chains {
        private final int[] frozen = frozen();
        /** By transaction: its number in the history. */
        private final int[] numbers = new int[transactions()];
        /** By number in the history: the transaction of the problem. */
        private final int[] original = new int[transactions()];

        private final IntArrayList starts = new IntArrayList(sessionStarts);

        Chains() {
            int[] commits = new int[transactions()];
            for (int i = 0; i < frozen.length; i++) {
                if (isCommit(frozen[i])) {
                    commits[transaction(frozen[i])] = i;
                }
            }
            int[] chainOf = new int[transactions()];
            IntArrayList sizes = new IntArrayList();
            LongHeapPriorityQueue free = new LongHeapPriorityQueue();
            for (int i = 0; i < frozen.length; i++) {
                int t = transaction(frozen[i]);
                if (frozen[i] != t * eventsPerTransaction) {
                    continue;
                }
                int chain = sizes.size();
                if (!free.isEmpty() && (int) (free.firstLong() >>> Integer.SIZE) < i) {
                    chain = (int) free.dequeueLong();
                } else {
                    sizes.add(0);
                }
                chainOf[t] = chain;
                sizes.set(chain, sizes.getInt(chain) + 1);
                free.enqueue((long) commits[t] << Integer.SIZE | chain);
            }
            int[] next = new int[sizes.size()];
            int end = members();
            for (int chain = 0; chain < next.length; chain++) {
                next[chain] = end;
                end += sizes.getInt(chain);
                starts.add(end);
            }
            for (int t = 0; t < members(); t++) {
                numbers[t] = t;
                original[t] = t;
            }
            for (int event : frozen) {
                int t = transaction(event);
                if (event == t * eventsPerTransaction) {
                    numbers[t] = next[chainOf[t]]++;
                    original[numbers[t]] = t;
                }
            }
        }

        /** The number of an event in the history. */
        int event(int event) {
            int t = transaction(event);
            return event + (numbers[t] - t) * eventsPerTransaction;
        }

        /** By event of the history: its present place. */
        int[] ranks() {
            int[] ranks = new int[order.length];
            for (int i = 0; i < order.length; i++) {
                ranks[event(order[i])] = i;
            }
            return ranks;
        }

        /** Null if single reads refute it. */
        @Nullable
        Problem problem(Budget budget) {
            IndexedHistory history = IndexedHistory.of(table(), IndexedHistory.Indeterminate.MAYBE, budget::exhausted);
            if (!history.violations().isEmpty()) {
                return null;
            }
            Problem problem = Problem.of(history, eventsPerTransaction);
            addEdges(problem.graph());
            return problem;
        }

        private HistoryTable table() {
            int n = transactions();
            byte[] statuses = new byte[n];
            int[] from = operations.starts();
            int[] allStarts = new int[n + 1];
            int[] keys = new int[operations.size()];
            long[] values = new long[operations.size()];
            for (int i = 0; i < n; i++) {
                int t = original[i];
                statuses[i] = (t < members() && optional[t]
                                ? TransactionStatus.INDETERMINATE
                                : TransactionStatus.COMMITTED)
                        .code();
                int count = from[t + 1] - from[t];
                System.arraycopy(operations.keys(), from[t], keys, allStarts[i], count);
                System.arraycopy(operations.values(), from[t], values, allStarts[i], count);
                allStarts[i + 1] = allStarts[i] + count;
            }
            return CodedHistory.of(
                    starts.toIntArray(),
                    statuses,
                    times == null ? null : padded(times.starts),
                    times == null ? null : padded(times.ends),
                    new Operations(allStarts, keys, values, null),
                    initialValues);
        }

        private long[] padded(long[] ofMembers) {
            long[] all = Arrays.copyOf(ofMembers, transactions());
            Arrays.fill(all, members(), all.length, HistoryTable.NO_TIME);
            return all;
        }

        private void addEdges(KnownGraph graph) {
            for (int i = 1; i < frozen.length; i++) {
                int from = event(frozen[i - 1]);
                int to = event(frozen[i]);
                if (to != from + 1
                        || graph.events().chain(from) != graph.events().chain(to)) {
                    graph.add(from, to);
                }
            }
            int behind = event((transactions() - 1) * eventsPerTransaction);
            for (int s = 0; s + 1 < sessionStarts.length; s++) {
                if (before > 0) {
                    graph.add(event(order[before - 1]), sessionStarts[s] * eventsPerTransaction);
                }
                graph.add(commit(sessionStarts[s + 1] - 1), behind);
            }
            for (int i = 0; i < edges.length; i += 2) {
                graph.add(event(edges[i]), event(edges[i + 1]));
            }
        }
    }
}
