package org.polygraph.partitioner.closure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;

/**
 * Early commits on random graphs: the order still extends the graph, and only events of the graph are between a
 * snapshot and its commit.
 */
class EarlyCommitsTest {
    @Test
    void extendsTheGraphAndIsTight() {
        for (long seed = 1; seed <= 2_000; seed++) {
            Random random = new Random(seed);
            int transactions = 1 + random.nextInt(12);
            int[] starts = {0, random.nextInt(transactions + 1), transactions};
            int[] sessionOf = new int[transactions];
            for (int t = starts[1]; t < transactions; t++) {
                sessionOf[t] = 1;
            }
            Events events = new Events(2, starts, sessionOf);
            KnownGraph graph = new KnownGraph(events);
            // A random order of the events of interleaved sessions, and edges along it.
            int[] position = new int[events.count()];
            int[] next = {0, 2 * starts[1]};
            int[] ends = {2 * starts[1], events.count()};
            int[] sequence = new int[events.count()];
            for (int i = 0; i < sequence.length; i++) {
                int s = random.nextInt(2);
                s = next[s] == ends[s] ? 1 - s : s;
                sequence[i] = next[s]++;
                position[sequence[i]] = i;
            }
            for (int e = random.nextInt(12); e > 0; e--) {
                int a = sequence[random.nextInt(sequence.length)];
                int b = sequence[random.nextInt(sequence.length)];
                if (position[a] < position[b]) {
                    graph.add(a, b);
                }
            }
            int[] tight = EventOrder.withEarlyCommits(graph, position);
            String what = "seed " + seed;
            int[] sorted = tight.clone();
            Arrays.sort(sorted);
            for (int i = 0; i < sorted.length; i++) {
                assertThat(sorted[i]).as(what).isEqualTo(i);
            }
            for (int v = 1; v < tight.length; v++) {
                if (events.chain(v) == events.chain(v - 1)) {
                    assertThat(tight[v]).as(what).isGreaterThan(tight[v - 1]);
                }
            }
            for (int e = 0; e < graph.edges(); e++) {
                assertThat(tight[graph.from(e)]).as(what).isLessThan(tight[graph.to(e)]);
            }
            if (graph.edges() == 0) {
                for (int t = 0; t < transactions; t++) {
                    assertThat(tight[events.commit(t)]).as(what).isEqualTo(tight[events.begin(t)] + 1);
                }
            }
        }
    }

    @Test
    void oneEventATransactionStaysAsItIs() {
        Events events = new Events(1, new int[] {0, 2}, new int[] {0, 0});
        int[] position = {0, 1};
        assertThat(EventOrder.withEarlyCommits(new KnownGraph(events), position))
                .isSameAs(position);
    }
}
