package org.polygraph.partitioner.prune;

import java.util.function.BooleanSupplier;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.closure.Closure;
import org.polygraph.partitioner.closure.WindowClosure;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.VersionIndex;

/**
 * The rules as one thread applies them, key after key. It changes neither graph nor index: what is forced and decided is told,
 * so that several may look at the same ones.
 */
final class KeyPass {
    private static final int[] NOTHING = {};

    private final VersionIndex index;
    private final ForcedEdges forced = new ForcedEdges();
    private final KeyRules rules;
    private int[] decided = NOTHING;

    KeyPass(Events events, VersionIndex index, Closure closure, CommitStatus commitStatus, int mostPairWriters) {
        this.index = index;
        this.rules = closure instanceof WindowClosure window
                ? new WindowRules(events, forced, index, window, commitStatus)
                : new ChainRules(events, forced, index, (ChainClocks) closure, commitStatus, mostPairWriters);
    }

    /** Begins a round with the closure as it is now. */
    void begin() {
        rules.begin();
    }

    /**
     * Applies the rules to one key that has writers.
     *
     * @param all false: only what rows that the last closure changed can bring
     * @return the transaction of a read without a candidate, {@link KeyRules#NONE} or {@link KeyRules#STOPPED}
     */
    int apply(int key, boolean all, BooleanSupplier stop) {
        decided = NOTHING;
        rules.apply(key, all);
        int open = index.ambiguousSlot(key);
        int reads = index.slotStarts()[open + 1] - index.slotStarts()[open];
        if (reads == 0) {
            return KeyRules.NONE;
        }
        int impossible = rules.judgeReads(key, stop);
        if (impossible == KeyRules.NONE) {
            decided = rules.decided(reads);
        }
        return impossible;
    }

    /** What was forced since it was last cleared. */
    ForcedEdges forced() {
        return forced;
    }

    /** What of the last key is to be handed to {@link VersionIndex#resolve}; empty if nothing. */
    int[] decided() {
        return decided;
    }
}
