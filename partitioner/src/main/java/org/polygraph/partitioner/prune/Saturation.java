package org.polygraph.partitioner.prune;

import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import java.util.function.BooleanSupplier;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.Counting;
import org.polygraph.partitioner.index.VersionIndex;

/**
 * One round of forced edges (DESIGN section 3) over all keys that the last closure changed. Sound by itself, in any
 * number of rounds; an accelerator, not a prerequisite.
 */
public final class Saturation {
    /** Writers between two looks at the budget. */
    private static final int CHECK_EVERY = 1 << 14;

    private static final int[] NOTHING = {};

    private final KnownGraph graph;
    private final VersionIndex index;
    private final ChainClocks clocks;
    private final byte[] states;
    private final int mostPairWriters;
    private final PairRules pairs;
    private final SessionKey loaded;
    private final SessionRules sessions;
    private final CandidateRules candidates;
    private IntOpenHashSet decidedKeys = new IntOpenHashSet();
    private boolean first = true;
    private int[] decided = NOTHING;
    private int impossibleKey = -1;
    private int impossibleReader = -1;

    public Saturation(KnownGraph graph, VersionIndex index, ChainClocks clocks, Counting counting) {
        this(graph, index, clocks, counting, PairRules.MOST_WRITERS);
    }

    /**
     * For tests.
     *
     * @param mostPairWriters keys with more writers are handled by session; at most the default
     */
    Saturation(KnownGraph graph, VersionIndex index, ChainClocks clocks, Counting counting, int mostPairWriters) {
        this.mostPairWriters = mostPairWriters;
        this.graph = graph;
        this.index = index;
        this.clocks = clocks;
        this.states = counting.states();
        this.pairs = new PairRules(graph, index, clocks);
        this.loaded = new SessionKey(index, graph.events());
        this.sessions = new SessionRules(graph, clocks, loaded);
        this.candidates = new CandidateRules(graph, index, clocks, loaded);
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

    /** Runs one round; the clocks must be exact. */
    public Result round(BooleanSupplier stop) {
        graph.nextRound();
        int edges = graph.edges();
        int ambiguous = index.ambiguous();
        IntOpenHashSet newlyDecided = new IntOpenHashSet();
        int work = 0;
        boolean most = first || mostChanged();
        for (int key = 0; key < index.keys(); key++) {
            work += index.writerStarts()[key + 1] - index.writerStarts()[key];
            if (work > CHECK_EVERY) {
                work = 0;
                if (stop.getAsBoolean()) {
                    return Result.STOPPED;
                }
            }
            // A read decided in the last round may force edges although no row changed.
            boolean all = most || decidedKeys.contains(key);
            if (!all && !isDirty(key)) {
                continue;
            }
            int writers = index.writerStarts()[key + 1] - index.writerStarts()[key];
            if (writers == 0) {
                continue;
            }
            int impossible = apply(key, all, stop);
            if (decided.length > 0) {
                newlyDecided.add(key);
            }
            if (impossible == CandidateRules.STOPPED) {
                return Result.STOPPED;
            }
            if (impossible >= 0) {
                impossibleKey = key;
                impossibleReader = impossible;
                return Result.CONTRADICTION;
            }
        }
        first = false;
        decidedKeys = newlyDecided;
        return graph.edges() > edges || index.ambiguous() < ambiguous ? Result.FORCED : Result.FIXPOINT;
    }

    /**
     * Applies the rules to one key that has writers.
     *
     * @param all false: only what rows that the last closure changed can bring
     * @return the transaction of a read without a candidate, {@link CandidateRules#NONE} or {@link
     *     CandidateRules#STOPPED}
     */
    int apply(int key, boolean all, BooleanSupplier stop) {
        decided = NOTHING;
        int writers = index.writerStarts()[key + 1] - index.writerStarts()[key];
        boolean isLoaded = false;
        if (writers <= mostPairWriters) {
            pairs.apply(key, states, Counting.COUNTED, all);
        } else {
            loaded.load(key, states, Counting.COUNTED);
            sessions.apply(all);
            isLoaded = true;
        }
        int open = index.ambiguousSlot(key);
        int reads = index.slotStarts()[open + 1] - index.slotStarts()[open];
        if (reads == 0) {
            return CandidateRules.NONE;
        }
        if (!isLoaded) {
            loaded.load(key, states, Counting.COUNTED);
        }
        int before = index.ambiguous();
        int impossible = candidates.apply(key, states, stop);
        if (index.ambiguous() < before) {
            decided = candidates.decided(reads);
        }
        return impossible;
    }

    /** What the last {@link #apply} handed to {@link VersionIndex#resolve}; empty if nothing. */
    int[] decided() {
        return decided;
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
        for (long bits : clocks.changed()) {
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
            if (clocks.hasChanged(begin) || (shift == 1 && clocks.hasChanged(begin | 1))) {
                return true;
            }
        }
        int[] readers = index.readerTransactions();
        for (int r = index.readerStarts()[key]; r < index.readerStarts()[key + 1]; r++) {
            if (clocks.hasChanged(readers[r] << shift)) {
                return true;
            }
        }
        return false;
    }
}
