package org.polygraph.partitioner.prune;

import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.VersionIndex;

/**
 * Reads with several candidate writers. A candidate T of read r dies if b(r) reaches c(T), or if T reaches another writer
 * of the key that reaches r; the initial version dies if any writer reaches r. With one candidate left the read is
 * decided: a WR edge. How it is known what reaches what is the closure's matter.
 */
abstract class CandidatePruning {
    private static final int CHECK_EVERY = 256;

    private final ForcedEdges forced;
    private final VersionIndex index;
    private final Events events;
    private int[] decided = new int[64];
    private boolean hasDecided;

    CandidatePruning(Events events, ForcedEdges forced, VersionIndex index) {
        this.forced = forced;
        this.index = index;
        this.events = events;
    }

    /** Finds the writers of the key that reach an event, as far as candidates need them. @return whether there is any */
    abstract boolean findBefore(int begin);

    /** Whether what a commit wrote may be what the reader that was last looked at saw. */
    abstract boolean isCandidate(int commit, int begin);

    /**
     * Judges the ambiguous reads of a key.
     *
     * @param stop asked every few hundred reads
     * @return the transaction of a read that has no candidate left, {@link KeyRules#NONE} or {@link KeyRules#STOPPED}
     */
    final int judge(int key, byte[] states, BooleanSupplier stop) {
        int slot = index.ambiguousSlot(key);
        int from = index.slotStarts()[slot];
        int to = index.slotStarts()[slot + 1];
        if (to - from > decided.length) {
            decided = new int[Math.max(to - from, 2 * decided.length)];
        }
        int first = index.writerStarts()[key];
        boolean any = false;
        hasDecided = false;
        for (int r = from; r < to; r++) {
            decided[r - from] = -1;
            if ((r - from & CHECK_EVERY - 1) == CHECK_EVERY - 1 && stop.getAsBoolean()) {
                return KeyRules.STOPPED;
            }
            int reader = index.readerTransactions()[r];
            if (states[reader] != CommitStatus.COUNTED) {
                continue;
            }
            int begin = events.begin(reader);
            boolean written = findBefore(begin);
            int valueClass = index.readerClasses()[r];
            int alive = valueClass == VersionIndex.INITIAL && !written ? 1 : 0;
            int only = -1;
            for (int w = index.firstInClass(key, valueClass); w >= 0 && alive < 2; w = index.nextInClass(w)) {
                int t = index.writerTransactions()[w];
                if (t != reader && states[t] != CommitStatus.DROPPED && isCandidate(events.commit(t), begin)) {
                    // An optional writer as the last one left would be decided to have committed: the solver's part.
                    alive += states[t] == CommitStatus.OPTIONAL ? 2 : 1;
                    only = w;
                }
            }
            if (alive == 0) {
                return reader;
            }
            if (alive == 1) {
                any = true;
                decided[r - from] = only < 0 ? 0 : 1 + only - first;
                if (only >= 0) {
                    forced.add(events.commit(index.writerTransactions()[only]), begin);
                }
            }
        }
        hasDecided = any;
        return KeyRules.NONE;
    }

    /** See {@link KeyRules#decided}. */
    final int[] decided(int reads) {
        return hasDecided ? Arrays.copyOf(decided, reads) : new int[0];
    }
}
