package org.polygraph.partitioner.closure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Compares packed rows of many sessions with rows of ints: cells, sums, changes, kept edges and orders are equal in
 * every round.
 */
class PackedRowsTest {
    private static final long SEED = 0x9ac;

    @Test
    void areThoseOfInts() {
        Random random = new Random(SEED);
        int cyclic = 0;
        int exact = 0;
        int[] of = new int[17];
        for (int i = 0; i < SuiteScale.of(120, 45); i++) {
            String name = "history " + i + " of seed " + SEED;
            // Sessions at the limit of each width: up to 127 events and more, and a few.
            int longest = i % 3 == 0 ? 2 : i % 3 == 1 ? 127 : 128;
            Events events = events(random, ClockRows.MANY_CHAINS + random.nextInt(20), longest);
            int bits = PackedRows.bits(events);
            of[bits]++;
            assertThat(bits).as(name).isEqualTo(longestChain(events) < 128 ? 8 : 16);
            KnownGraph graph = new KnownGraph(events);
            KnownGraph plainGraph = new KnownGraph(events);
            ChainClocks packed = ChainClocks.of(graph);
            ChainClocks plain = ChainClocks.plain(plainGraph);
            assertThat(packed.bytes()).isLessThan(ChainClocks.plainBytes(events));
            int[] hidden = ChainClocksTest.hiddenOrder(events, random);
            for (int round = 0; round < 4; round++) {
                for (int e = random.nextInt(3 * events.count()); e > 0; e--) {
                    int a = random.nextInt(events.count());
                    int b = random.nextInt(events.count());
                    if (hidden[a] < hidden[b] || (e == 7 && i % 10 == 0 && a != b)) {
                        graph.add(a, b);
                        plainGraph.add(a, b);
                    }
                }
                boolean result = plain.update(() -> false);
                assertThat(packed.update(() -> false)).as(name).isEqualTo(result);
                if (!result) {
                    cyclic++;
                    break;
                }
                exact++;
                same(packed, plain, events, name);
                assertThat(graph.edges()).as(name).isEqualTo(plainGraph.edges());
                for (int e = 0; e < graph.edges(); e++) {
                    assertThat(graph.from(e) == plainGraph.from(e) && graph.to(e) == plainGraph.to(e))
                            .as(name)
                            .isTrue();
                }
            }
        }
        System.out.println("seed " + SEED + ": " + exact + " rounds, " + cyclic + " cyclic");
        assertThat(of[8]).isPositive();
        assertThat(of[16]).isPositive();
        assertThat(cyclic).isPositive();
    }

    @Test
    void fewSessionsHaveInts() {
        Random random = new Random(SEED);
        Events few = events(random, ClockRows.MANY_CHAINS - 1, 5);
        ChainClocks clocks = ChainClocks.of(new KnownGraph(few));
        assertThat(clocks.rows(0)).hasSize(few.chainLength(0) * few.chains());
        assertThat(clocks.bytes()).isEqualTo(ChainClocks.plainBytes(few));
        Events many = events(random, ClockRows.MANY_CHAINS, 5);
        ChainClocks packed = ChainClocks.of(new KnownGraph(many));
        assertThatThrownBy(() -> packed.rows(0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("256 chains");
    }

    private static void same(ChainClocks packed, ChainClocks plain, Events events, String name) {
        int k = events.chains();
        int stride = packed.rows().stride();
        assertThat(packed.ancestors()).as(name).isEqualTo(plain.ancestors());
        assertThat(packed.changed()).as(name).isEqualTo(plain.changed());
        int[] raised = new int[k];
        int[] raisedPlain = new int[k];
        for (int s = 0; s < k; s++) {
            for (int p = 0; p < events.chainLength(s); p++) {
                for (int c = 0; c < k; c++) {
                    if (packed.rows().get(s, p * stride + c) != plain.rows(s)[p * k + c]) {
                        assertThat(packed.rows().get(s, p * stride + c))
                                .as("%s: event %d of chain %d, chain %d", name, p, s, c)
                                .isEqualTo(plain.rows(s)[p * k + c]);
                    }
                }
                if (p % 5 == 0) {
                    packed.rows().raise(raised, s, p * stride);
                    plain.rows().raise(raisedPlain, s, p * k);
                }
            }
        }
        assertThat(raised).as(name).isEqualTo(raisedPlain);
    }

    private static Events events(Random random, int sessions, int longest) {
        int[] starts = new int[sessions + 1];
        for (int s = 0; s < sessions; s++) {
            starts[s + 1] = starts[s] + random.nextInt(4);
        }
        // One session has the greatest possible length.
        int more = longest - (starts[8] - starts[7]);
        for (int s = 8; s <= sessions && more > 0; s++) {
            starts[s] += more;
        }
        int[] sessionOf = new int[starts[sessions]];
        for (int s = 0; s < sessions; s++) {
            Arrays.fill(sessionOf, starts[s], starts[s + 1], s);
        }
        return new Events(1, starts, sessionOf);
    }

    private static int longestChain(Events events) {
        int longest = 0;
        for (int s = 0; s < events.chains(); s++) {
            longest = Math.max(longest, events.chainLength(s));
        }
        return longest;
    }
}
