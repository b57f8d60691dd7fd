package org.polygraph.partitioner.prune;

import java.util.function.BooleanSupplier;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.VersionIndex;

/** The rules by chain clocks: few writers pair by pair, many by session. */
final class ChainRules implements KeyRules {
    private final VersionIndex index;
    private final byte[] states;
    private final int mostPairWriters;
    private final PairRules pairs;
    private final SessionKey loaded;
    private final SessionRules sessions;
    private final CandidateRules candidates;
    private int loadedKey = -1;

    ChainRules(
            Events events,
            ForcedEdges forced,
            VersionIndex index,
            ChainClocks clocks,
            CommitStatus commitStatus,
            int mostPairWriters) {
        this.index = index;
        this.states = commitStatus.states();
        this.mostPairWriters = mostPairWriters;
        this.pairs = new PairRules(events, forced, index, clocks);
        this.loaded = new SessionKey(index, events);
        this.sessions = new SessionRules(events, forced, clocks, loaded);
        this.candidates = new CandidateRules(events, forced, index, clocks, loaded);
    }

    @Override
    public void begin() {
        loadedKey = -1;
    }

    @Override
    public void apply(int key, boolean all) {
        if (index.writerStarts()[key + 1] - index.writerStarts()[key] <= mostPairWriters) {
            pairs.apply(key, states, CommitStatus.COUNTED, all);
        } else {
            load(key);
            sessions.apply(all);
        }
    }

    @Override
    public int judgeReads(int key, BooleanSupplier stop) {
        if (loadedKey != key) {
            load(key);
        }
        return candidates.apply(key, states, stop);
    }

    @Override
    public int[] decided(int reads) {
        return candidates.decided(reads);
    }

    private void load(int key) {
        loaded.load(key, states, CommitStatus.COUNTED);
        loadedKey = key;
    }
}
