package org.polygraph.partitioner.graph;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.model.Outcome;
import org.polygraph.storage.testkit.HistoryGenerator;

/** The reduced real-time edges have the closure of all pairs. */
class RealTimeEdgesTest {
    @Test
    void closureIsThatOfAllPairs() {
        for (long seed = 0; seed < 60; seed++) {
            HistoryTable table = HistoryGenerator.withSeed(seed)
                    .sessions(1 + (int) (seed % 7))
                    .transactions(40)
                    .operations(1, 3)
                    .keys(5)
                    .abortedShare(0.1)
                    .indeterminateShare(0.1)
                    .withTimestamps()
                    .generate();
            IndexedHistory history = IndexedHistory.of(table, IndexedHistory.Indeterminate.MAYBE);
            long skew = seed % 3 == 0 ? 0 : seed * 3;
            for (int eventsPerTransaction = 1; eventsPerTransaction <= 2; eventsPerTransaction++) {
                Events events = new Events(eventsPerTransaction, table.sessionStarts(), history.sessionOf());
                KnownGraph reduced = new KnownGraph(events);
                assertThat(RealTimeEdges.add(reduced, table, history.counting(), skew, Long.MAX_VALUE))
                        .isTrue();
                KnownGraph all = allPairs(events, table, history, skew);
                ChainClocks a = ChainClocks.of(reduced);
                ChainClocks b = ChainClocks.of(all);
                assertThat(a.update(() -> false)).as("seed %d", seed).isEqualTo(ChainClocks.Result.EXACT);
                assertThat(b.update(() -> false)).isEqualTo(ChainClocks.Result.EXACT);
                for (int u = 0; u < events.count(); u++) {
                    for (int v = 0; v < events.count(); v++) {
                        assertThat(a.reaches(u, v))
                                .as("seed %d: %d to %d", seed, u, v)
                                .isEqualTo(b.reaches(u, v));
                    }
                }
            }
        }
    }

    private static KnownGraph allPairs(Events events, HistoryTable table, IndexedHistory history, long skew) {
        KnownGraph graph = new KnownGraph(events);
        long[] starts = table.starts();
        long[] ends = table.ends();
        for (int u = 0; u < table.transactions(); u++) {
            for (int v = 0; v < table.transactions(); v++) {
                if (history.counting().isCounted(u)
                        && history.counting().isCounted(v)
                        && table.outcome(u) == Outcome.COMMITTED
                        && events.chainsByTransaction()[u] != events.chainsByTransaction()[v]
                        && ends[u] + skew < starts[v] - skew) {
                    graph.add(events.commit(u), events.begin(v));
                }
            }
        }
        return graph;
    }
}
