package org.polygraph.partitioner.prune;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.polygraph.partitioner.closure.Closure;
import org.polygraph.partitioner.closure.Cores;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.VersionIndex;

/**
 * One round of forced edges (DESIGN section 3) over all keys that the last update changed. Sound by itself, in any
 * number of rounds; an accelerator, not a prerequisite.
 */
public final class Saturation {
    /** Writers of a piece: some milliseconds, and small histories are one. */
    private static final int PIECE = 1 << 13;

    private final KnownGraph graph;
    private final VersionIndex index;
    private final Closure closure;
    private final CommitStatus commitStatus;
    private final Cores cores;
    private final int mostPairWriters;
    private final int pieceWriters;
    /** One a thread; made when it is first needed. */
    private final List<KeyPass> crew = new ArrayList<>();

    private IntOpenHashSet decidedKeys = new IntOpenHashSet();
    private boolean first = true;
    private int impossibleKey = -1;
    private int impossibleReader = -1;

    public Saturation(KnownGraph graph, VersionIndex index, Closure closure, CommitStatus commitStatus, Cores cores) {
        this(graph, index, closure, commitStatus, cores, PairRules.MOST_WRITERS, PIECE);
    }

    /**
     * For tests.
     *
     * @param mostPairWriters by chain clocks, keys with more writers are handled by session; at most the default
     * @param pieceWriters that a thread takes at once, about
     */
    Saturation(
            KnownGraph graph,
            VersionIndex index,
            Closure closure,
            CommitStatus commitStatus,
            Cores cores,
            int mostPairWriters,
            int pieceWriters) {
        this.graph = graph;
        this.index = index;
        this.closure = closure;
        this.commitStatus = commitStatus;
        this.cores = cores;
        this.mostPairWriters = mostPairWriters;
        this.pieceWriters = pieceWriters;
    }

    /** Whether a round has ended. */
    public boolean hasBegun() {
        return !first;
    }

    /** Keys of which the last round decided reads; with the clocks' changed rows, all that the next round goes by. */
    public int[] decidedKeys() {
        return decidedKeys.toIntArray();
    }

    /** Goes on as after a round that left {@link #decidedKeys}. */
    public void resume(int[] keys) {
        decidedKeys = new IntOpenHashSet(keys);
        first = false;
    }

    /** How a round ended. */
    public enum Result {
        /** Edges were added: the closure must be updated before anything else. */
        FORCED,
        /** Nothing is forced any more. */
        FIXPOINT,
        /** A read has no candidate left, see {@link #impossibleKey}. */
        CONTRADICTION,
        /** The budget ended. */
        STOPPED
    }

    /**
     * Runs one round; the clocks must be exact. Keys are dealt out to the cores, and what they force is put together in the
     * order of keys: as if one thread had gone through them.
     *
     * @param stop asked now and then; true ends the round
     */
    public Result round(BooleanSupplier stop) {
        graph.nextRound();
        boolean most = first || mostChanged();
        int[] bounds = pieces();
        Piece[] pieces = new Piece[bounds.length - 1];
        int[] hired = {0};
        boolean ended = cores.run(
                pieces.length,
                () -> {
                    KeyPass pass = pass(hired[0]++);
                    return (number, halted) ->
                            pieces[number] = piece(pass, bounds[number], bounds[number + 1], most, halted);
                },
                stop);
        Result result = ended ? merge(pieces) : Result.STOPPED;
        crew.forEach(pass -> pass.forced().clear());
        return result;
    }

    private KeyPass pass(int number) {
        if (number == crew.size()) {
            crew.add(new KeyPass(graph.events(), index, closure, commitStatus, mostPairWriters));
        }
        KeyPass pass = crew.get(number);
        pass.begin();
        return pass;
    }

    /** Keys from which pieces begin, and the number of keys. */
    private int[] pieces() {
        int[] starts = index.writerStarts();
        IntArrayList bounds = new IntArrayList();
        bounds.add(0);
        int from = 0;
        for (int key = 1; key < index.keys(); key++) {
            if (starts[key] - from >= pieceWriters) {
                bounds.add(key);
                from = starts[key];
            }
        }
        bounds.add(index.keys());
        return bounds.toIntArray();
    }

    /**
     * What some keys force.
     *
     * @param from of the forced edges, the first
     * @param decided for each key of which reads were decided: key, number of its open reads, what resolve takes
     * @param impossibleKey of a read without a candidate, after which nothing was looked at, or -1
     * @param impossibleReader its transaction
     */
    private record Piece(
            ForcedEdges edges, int from, int to, IntArrayList decided, int impossibleKey, int impossibleReader) {}

    private Piece piece(KeyPass pass, int fromKey, int toKey, boolean most, BooleanSupplier stop) {
        ForcedEdges edges = pass.forced();
        int from = edges.count();
        IntArrayList decided = new IntArrayList(0);
        int[] starts = index.writerStarts();
        for (int key = fromKey; key < toKey; key++) {
            if (starts[key + 1] == starts[key]) {
                continue;
            }
            // A read decided in the last round may force edges although no row changed.
            boolean all = most || decidedKeys.contains(key);
            if (!all && !isDirty(key)) {
                continue;
            }
            int impossible = pass.apply(key, all, stop);
            if (pass.decided().length > 0) {
                decided.add(key);
                decided.add(pass.decided().length);
                decided.addElements(decided.size(), pass.decided());
            }
            if (impossible >= 0) {
                return new Piece(edges, from, edges.count(), decided, key, impossible);
            }
        }
        return new Piece(edges, from, edges.count(), decided, -1, -1);
    }

    private Result merge(Piece[] pieces) {
        int edges = graph.edges();
        int ambiguous = index.ambiguous();
        IntOpenHashSet newlyDecided = new IntOpenHashSet();
        for (Piece piece : pieces) {
            for (int e = piece.from; e < piece.to; e++) {
                graph.add(piece.edges.from(e), piece.edges.to(e));
            }
            int[] decided = piece.decided.toIntArray();
            for (int at = 0; at < decided.length; at += 2 + decided[at + 1]) {
                index.resolve(decided[at], Arrays.copyOfRange(decided, at + 2, at + 2 + decided[at + 1]));
                newlyDecided.add(decided[at]);
            }
            if (piece.impossibleKey >= 0) {
                impossibleKey = piece.impossibleKey;
                impossibleReader = piece.impossibleReader;
                return Result.CONTRADICTION;
            }
        }
        first = false;
        decidedKeys = newlyDecided;
        return graph.edges() > edges || index.ambiguous() < ambiguous ? Result.FORCED : Result.FIXPOINT;
    }

    /** After {@link Result#CONTRADICTION}: the key whose reader has no candidate writer left. */
    public int impossibleKey() {
        return impossibleKey;
    }

    /** After {@link Result#CONTRADICTION}: the transaction of that read. */
    public int impossibleReader() {
        return impossibleReader;
    }

    /** Whether looking for what changed costs more than it saves. */
    private boolean mostChanged() {
        long count = 0;
        for (long bits : closure.changed()) {
            count += Long.bitCount(bits);
        }
        return count > graph.events().count() / 2;
    }

    private boolean isDirty(int key) {
        Events events = graph.events();
        int shift = events.shift();
        int[] writers = index.writerTransactions();
        for (int w = index.writerStarts()[key]; w < index.writerStarts()[key + 1]; w++) {
            int begin = writers[w] << shift;
            if (closure.hasChanged(begin) || (shift == 1 && closure.hasChanged(begin | 1))) {
                return true;
            }
        }
        int[] readers = index.readerTransactions();
        for (int r = index.readerStarts()[key]; r < index.readerStarts()[key + 1]; r++) {
            if (closure.hasChanged(readers[r] << shift)) {
                return true;
            }
        }
        return false;
    }
}
