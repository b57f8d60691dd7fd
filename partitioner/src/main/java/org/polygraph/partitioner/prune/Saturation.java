package org.polygraph.partitioner.prune;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.polygraph.partitioner.closure.Closure;
import org.polygraph.partitioner.closure.WorkerThreads;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.Problem;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.RowKeys;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.storage.model.StoppedException;

/**
 * One round of {@link KeyRules} over all keys that the last update of the closure changed, or with a read that the
 * last round decided. Any number of rounds is sound: saturation only accelerates, and the solver decides the reads that
 * are left.
 *
 * <p>Time: O(writers + readers) steps of the rules for the keys that are visited. Memory: 8 bytes a forced edge, and
 * the rules of each worker.
 */
public final class Saturation {
    /** Writers of a task: some milliseconds; a small history is one task. */
    private static final int TASK = 1 << 13;

    private final KnownGraph graph;
    private final VersionIndex index;
    private final Closure closure;
    private final CommitStatus commitStatus;
    private final WorkerThreads workers;
    private final int taskWriters;
    /** One for each thread, made when it is first needed. */
    private final List<KeyRules> rules = new ArrayList<>();

    private IntOpenHashSet decidedKeys = new IntOpenHashSet();
    private boolean first = true;
    private int impossibleKey = -1;
    private int impossibleReader = -1;

    public Saturation(Problem problem, Closure closure, WorkerThreads workers) {
        this(problem, closure, workers, TASK);
    }

    /** @param taskWriters writers that a thread takes at once, about; the result does not depend on it */
    Saturation(Problem problem, Closure closure, WorkerThreads workers, int taskWriters) {
        this.graph = problem.graph();
        this.index = problem.versions();
        this.closure = closure;
        this.commitStatus = problem.commitStatus();
        this.workers = workers;
        this.taskWriters = taskWriters;
    }

    /** How a round ended. */
    public enum RoundResult {
        /** Edges were added: the closure must be updated before anything else. */
        FORCED,
        /** No rule forces anything. */
        FIXPOINT,
        /** A read has no candidate left, see {@link #impossibleKey}. */
        CONTRADICTION
    }

    /**
     * Runs one round; the closure must be exact. Keys are distributed to the workers, and the edges that they force are
     * joined in the order of keys, as if one thread had visited them.
     *
     * @throws StoppedException if it is to stop
     */
    public RoundResult round(BooleanSupplier stop) {
        graph.nextRound();
        boolean most = first || mostChanged();
        int[] bounds = bounds();
        Forced[] forced = new Forced[bounds.length - 1];
        int[] hired = {0};
        try {
            workers.run(
                    forced.length,
                    () -> {
                        KeyRules own = rules(hired[0]++);
                        return (task, halted) ->
                                forced[task] = forced(own, bounds[task], bounds[task + 1], most, halted);
                    },
                    stop);
            return merge(forced);
        } finally {
            rules.forEach(own -> own.forced().clear());
        }
    }

    private KeyRules rules(int number) {
        if (number == rules.size()) {
            rules.add(KeyRules.of(graph.events(), index, closure, commitStatus));
        }
        rules.get(number).begin();
        return rules.get(number);
    }

    /** The first key of each task, and the number of keys. */
    private int[] bounds() {
        int[] starts = index.writerStarts();
        IntArrayList bounds = new IntArrayList();
        bounds.add(0);
        int from = 0;
        for (int key = 1; key < index.keys(); key++) {
            if (starts[key] - from >= taskWriters) {
                bounds.add(key);
                from = starts[key];
            }
        }
        bounds.add(index.keys());
        return bounds.toIntArray();
    }

    /**
     * What the keys of a task force.
     *
     * @param edges [from, to) of these
     * @param decided for each key with decided reads: key, number of its open reads, the argument of resolve
     * @param impossibleKey of a read without a candidate, after which no key was visited, or -1
     * @param impossibleReader its transaction
     */
    private record Forced(
            ForcedEdges edges, int from, int to, IntArrayList decided, int impossibleKey, int impossibleReader) {}

    private Forced forced(KeyRules own, int fromKey, int toKey, boolean most, BooleanSupplier stop) {
        ForcedEdges edges = own.forced();
        int from = edges.count();
        IntArrayList decided = new IntArrayList(0);
        int[] starts = index.writerStarts();
        RowKeys rows = graph.events().perTransaction() == 2 ? index.rows() : null;
        for (int key = fromKey; key < toKey; key++) {
            if (rows != null && rows.isExistence(key)) {
                // Under SI existences are read at commits; the solver orders these reads.
                continue;
            }
            // A read that was decided in the last round may force edges although no row changed.
            boolean all = most || decidedKeys.contains(key);
            if (starts[key + 1] == starts[key] || (!all && !isDirty(key))) {
                continue;
            }
            int impossible = own.apply(key, rows != null && rows.isRow(key), all, stop);
            if (own.decided().length > 0) {
                decided.add(key);
                decided.add(own.decided().length);
                decided.addElements(decided.size(), own.decided());
            }
            if (impossible >= 0) {
                return new Forced(edges, from, edges.count(), decided, key, impossible);
            }
        }
        return new Forced(edges, from, edges.count(), decided, -1, -1);
    }

    private RoundResult merge(Forced[] tasks) {
        int edges = graph.edges();
        int ambiguous = index.ambiguous();
        IntOpenHashSet newlyDecided = new IntOpenHashSet();
        for (Forced task : tasks) {
            for (int e = task.from; e < task.to; e++) {
                graph.add(task.edges.from(e), task.edges.to(e));
            }
            int[] decided = task.decided.toIntArray();
            for (int at = 0; at < decided.length; at += 2 + decided[at + 1]) {
                index.resolve(decided[at], Arrays.copyOfRange(decided, at + 2, at + 2 + decided[at + 1]));
                newlyDecided.add(decided[at]);
            }
            if (task.impossibleKey >= 0) {
                impossibleKey = task.impossibleKey;
                impossibleReader = task.impossibleReader;
                return RoundResult.CONTRADICTION;
            }
        }
        first = false;
        decidedKeys = newlyDecided;
        return graph.edges() > edges || index.ambiguous() < ambiguous ? RoundResult.FORCED : RoundResult.FIXPOINT;
    }

    /** After {@link RoundResult#CONTRADICTION}: the key whose reader has no candidate writer left. */
    public int impossibleKey() {
        return impossibleKey;
    }

    /** After {@link RoundResult#CONTRADICTION}: the transaction of that read. */
    public int impossibleReader() {
        return impossibleReader;
    }

    /** Whether so much changed that looking for dirty keys costs more than it saves. */
    private boolean mostChanged() {
        long count = 0;
        for (long bits : closure.changed()) {
            count += Long.bitCount(bits);
        }
        return count > graph.events().count() / 2;
    }

    private boolean isDirty(int key) {
        Events events = graph.events();
        for (int w = index.writerStarts()[key]; w < index.writerStarts()[key + 1]; w++) {
            int writer = index.writerTransactions()[w];
            if (closure.hasChanged(events.begin(writer)) || closure.hasChanged(events.commit(writer))) {
                return true;
            }
        }
        for (int r = index.readerStarts()[key]; r < index.readerStarts()[key + 1]; r++) {
            if (closure.hasChanged(events.begin(index.readerTransactions()[r]))) {
                return true;
            }
        }
        return false;
    }
}
