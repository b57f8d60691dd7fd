package org.polygraph.partitioner.closure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;

/** Chain clocks of every form of rows against Warshall's closure, through several rounds of edges. */
class ChainClocksTest {
    @Test
    void reachabilityIsExactInEveryRound() {
        int cyclic = 0;
        for (long seed = 0; seed < 3000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int sessions = 1 + random.nextInt(5);
            int[] starts = new int[sessions + 1];
            for (int s = 0; s < sessions; s++) {
                starts[s + 1] = starts[s] + random.nextInt(6);
            }
            int n = starts[sessions];
            int[] sessionOf = new int[n];
            for (int s = 0; s < sessions; s++) {
                java.util.Arrays.fill(sessionOf, starts[s], starts[s + 1], s);
            }
            Events events = new Events(1 + random.nextInt(2), starts, sessionOf);
            int m = events.count();
            if (m < 2) {
                continue;
            }
            boolean[][] reach = new boolean[m][m];
            for (int v = 1; v < m; v++) {
                reach[v - 1][v] = events.chain(v - 1) == events.chain(v);
            }
            KnownGraph graph = new KnownGraph(events);
            ChainClocks clocks =
                    seed % 3 == 0 ? ChainClocks.of(graph) : ChainClocks.packed(graph, seed % 3 == 1 ? 8 : 16);
            // A hidden order keeps most graphs acyclic.
            boolean acyclicOnly = random.nextInt(3) > 0;
            int[] hidden = hiddenOrder(events, random);
            for (int round = 0; round < 3; round++) {
                for (int i = random.nextInt(6); i > 0; i--) {
                    int a = random.nextInt(m);
                    int b = random.nextInt(m);
                    if (a != b && (!acyclicOnly || hidden[a] < hidden[b])) {
                        graph.add(a, b);
                        reach[a][b] = true;
                    }
                }
                BitSet before = rows(clocks, round, events);
                boolean expectCyclic = close(reach);
                boolean result = clocks.update(() -> false);
                assertThat(result).as("seed %d", seed).isEqualTo(!expectCyclic);
                if (expectCyclic) {
                    cyclic++;
                    assertThat(EventOrder.byTurns(graph)).isNull();
                    break;
                }
                for (int a = 0; a < m; a++) {
                    for (int b = 0; b < m; b++) {
                        assertThat(clocks.reaches(a, b))
                                .as("seed %d: %d to %d", seed, a, b)
                                .isEqualTo(reach[a][b]);
                        if (round > 0 && reach[a][b] && !before.get(a * m + b)) {
                            assertThat(clocks.hasChanged(b))
                                    .as("seed %d: row %d grew", seed, b)
                                    .isTrue();
                        }
                    }
                }
                extendsGraph(clocks.order(), reach, seed);
            }
        }
        assertThat(cyclic).isGreaterThan(100);
    }

    private static BitSet rows(ChainClocks clocks, int round, Events events) {
        BitSet reach = new BitSet();
        int m = events.count();
        for (int a = 0; round > 0 && a < m; a++) {
            for (int b = 0; b < m; b++) {
                reach.set(a * m + b, clocks.reaches(a, b));
            }
        }
        return reach;
    }

    private static void extendsGraph(int[] position, boolean[][] reach, long seed) {
        for (int a = 0; a < reach.length; a++) {
            for (int b = 0; b < reach.length; b++) {
                if (reach[a][b]) {
                    assertThat(position[a])
                            .as("seed %d: %d before %d", seed, a, b)
                            .isLessThan(position[b]);
                }
            }
        }
    }

    private static boolean close(boolean[][] reach) {
        int m = reach.length;
        for (int k = 0; k < m; k++) {
            for (int i = 0; i < m; i++) {
                for (int j = 0; j < m; j++) {
                    reach[i][j] |= reach[i][k] && reach[k][j];
                }
            }
        }
        for (int i = 0; i < m; i++) {
            if (reach[i][i]) {
                return true;
            }
        }
        return false;
    }

    /** An order in which each session's events ascend. */
    static int[] hiddenOrder(Events events, RandomGenerator random) {
        int[] position = new int[events.count()];
        int[] done = new int[events.chains()];
        for (int placed = 0; placed < position.length; ) {
            int s = random.nextInt(events.chains());
            if (done[s] < events.chainLength(s)) {
                position[events.chainStart(s) + done[s]++] = placed++;
            }
        }
        return position;
    }
}
