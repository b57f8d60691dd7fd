package org.polygraph.partitioner.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;

class CoarseOrderTest {
    /**
     * Together with the chains, the edges mean exactly that an event precedes those of the next window but one and
     * later windows.
     */
    @Test
    void partsButOneAreOrdered() {
        for (long seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            int sessions = 1 + random.nextInt(5);
            int[] starts = new int[sessions + 1];
            for (int s = 0; s < sessions; s++) {
                starts[s + 1] = starts[s] + 1 + random.nextInt(12);
            }
            int transactions = starts[sessions];
            int[] sessionOf = new int[transactions];
            for (int s = 0; s < sessions; s++) {
                Arrays.fill(sessionOf, starts[s], starts[s + 1], s);
            }
            Events events = new Events(1 + random.nextInt(2), starts, sessionOf);
            int[] position = interleaving(random, events);
            int parts = 3 + random.nextInt(6);
            KnownGraph graph = new KnownGraph(events);
            CoarseOrder.add(graph, position, parts);
            assertThat((long) graph.edges()).isLessThanOrEqualTo(CoarseOrder.edges(events, parts));
            ChainClocks clocks = ChainClocks.of(graph);
            assertThat(clocks.update(() -> false)).isTrue();
            for (int a = 0; a < events.count(); a++) {
                for (int b = 0; b < events.count(); b++) {
                    long partOfA = (long) position[a] * parts / events.count();
                    long partOfB = (long) position[b] * parts / events.count();
                    boolean implied = events.chain(a) == events.chain(b) ? a < b : partOfA + 2 <= partOfB;
                    if (implied) {
                        assertThat(clocks.reaches(a, b))
                                .as("seed %d: %d before %d", seed, a, b)
                                .isTrue();
                    } else if (position[a] >= position[b]) {
                        assertThat(clocks.reaches(a, b))
                                .as("seed %d: %d before %d", seed, a, b)
                                .isFalse();
                    }
                }
            }
        }
    }

    private static int[] interleaving(Random random, Events events) {
        int[] next = new int[events.chains()];
        int[] end = new int[events.chains()];
        for (int v = events.count() - 1; v >= 0; v--) {
            end[events.chain(v)] = Math.max(end[events.chain(v)], v + 1);
            next[events.chain(v)] = v;
        }
        int[] position = new int[events.count()];
        for (int placed = 0; placed < position.length; ) {
            int chain = random.nextInt(next.length);
            if (next[chain] < end[chain]) {
                position[next[chain]++] = placed++;
            }
        }
        return position;
    }
}
