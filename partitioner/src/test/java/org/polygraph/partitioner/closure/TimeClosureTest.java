package org.polygraph.partitioner.closure;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.RealTime;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.ClientTimes;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/** Compares the time closure with chain clocks that have all real-time pairs as edges, in several rounds. */
class TimeClosureTest {
    @Test
    void reachabilityIsExactInEveryRound() {
        run(0, SuiteScale.of(6_000));
    }

    private static void run(long firstSeed, int histories) {
        int cyclic = 0;
        int closed = 0;
        for (long seed = firstSeed; seed < firstSeed + histories; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            HistoryTable table = new Workload()
                    .seed(seed)
                    .sessions(1 + random.nextInt(7))
                    .transactions(2 + random.nextInt(16))
                    .operations(1, 3)
                    .keys(5)
                    .aborted(0.1)
                    .indeterminate(0.1)
                    .table();
            ClientTimes.Kind[] kinds = ClientTimes.Kind.values();
            ClientTimes.Kind kind =
                    random.nextInt(3) == 0 ? kinds[random.nextInt(kinds.length)] : kinds[random.nextInt(2)];
            ClientTimes.set(table, kind, random.nextInt(3) == 0 ? 0.3 : 0, new SplitMix(seed));
            CommitStatus commitStatus =
                    IndexedHistory.of(table, IndexedHistory.Indeterminate.MAYBE).commitStatus();
            int[] sessionOf = new int[table.transactions()];
            for (int t = 0; t < sessionOf.length; t++) {
                sessionOf[t] = table.sessionOf(t);
            }
            Events events = new Events(1 + random.nextInt(2), table.sessionStarts(), sessionOf);
            long skew = random.nextInt(3) == 0 ? 0 : random.nextInt(5) == 0 ? Long.MAX_VALUE : random.nextInt(30);
            RealTime time = RealTime.of(table, commitStatus, skew);
            KnownGraph bound = new KnownGraph(events);
            bound.bind(time);
            TimeClosure closure = TimeClosure.of(bound, Long.MAX_VALUE);
            KnownGraph chained = new KnownGraph(events);
            chained.bind(time);
            ChainClocks timed = ChainClocks.of(chained);
            KnownGraph all = new KnownGraph(events);
            addAllPairs(all, table, commitStatus, skew, time, seed);
            ChainClocks clocks = ChainClocks.of(all);
            int m = events.count();
            boolean[] before = new boolean[m * m];
            for (int round = 0; round < 4; round++) {
                for (int i = random.nextInt(8); i > 0; i--) {
                    int a = random.nextInt(m);
                    int b = random.nextInt(m);
                    boolean forward = round == 0 || !clocks.reaches(b, a);
                    if (a != b && (forward || random.nextInt(20) == 0)) {
                        bound.add(a, b);
                        chained.add(a, b);
                        all.add(a, b);
                    }
                }
                boolean expected = clocks.update(() -> false);
                assertThat(closure.update(() -> false))
                        .as("seed %d round %d %s", seed, round, kind)
                        .isEqualTo(expected);
                assertThat(timed.update(() -> false))
                        .as("clocks with real time, seed %d round %d %s", seed, round, kind)
                        .isEqualTo(expected);
                if (!expected) {
                    cyclic++;
                    assertThat(EventOrder.byTurns(bound))
                            .as("seed %d: the cycle is closed by edges", seed)
                            .isNull();
                    break;
                }
                closed++;
                bound.indexPredecessors();
                int[] position = EventOrder.byTime(bound, time, closure.bounds());
                for (int a = 0; a < m; a++) {
                    for (int b = 0; b < m; b++) {
                        boolean reaches = clocks.reaches(a, b);
                        assertThat(closure.reaches(a, b))
                                .as("seed %d round %d: %d to %d", seed, round, a, b)
                                .isEqualTo(reaches);
                        assertThat(timed.reaches(a, b))
                                .as("clocks with real time, seed %d round %d: %d to %d", seed, round, a, b)
                                .isEqualTo(reaches);
                        if (reaches) {
                            assertThat(position[a]).as("seed %d", seed).isLessThan(position[b]);
                        }
                        if (round > 0 && reaches && !before[a * m + b]) {
                            assertThat(closure.hasChanged(b))
                                    .as("seed %d round %d: row %d grew by %d", seed, round, b, a)
                                    .isTrue();
                            assertThat(timed.hasChanged(b))
                                    .as("clocks with real time, seed %d round %d: row %d grew by %d", seed, round, b, a)
                                    .isTrue();
                        }
                        before[a * m + b] = reaches;
                    }
                }
            }
        }
        System.out.println(histories + " graphs from seed " + firstSeed + ": " + cyclic + " cyclic, " + closed
                + " closures compared");
        assertThat(cyclic).isGreaterThan(histories / 20);
        assertThat(closed).isGreaterThan(histories);
    }

    private static void addAllPairs(
            KnownGraph graph, HistoryTable table, CommitStatus commitStatus, long skew, RealTime time, long seed) {
        Events events = graph.events();
        for (int u = 0; u < table.transactions(); u++) {
            for (int v = 0; v < table.transactions(); v++) {
                boolean before = commitStatus.isCounted(u)
                        && commitStatus.isCounted(v)
                        && table.status(u) == TransactionStatus.COMMITTED
                        && table.ends()[u] != HistoryTable.NO_TIME
                        && table.starts()[v] != HistoryTable.NO_TIME
                        && BigInteger.valueOf(table.ends()[u])
                                        .add(BigInteger.valueOf(skew))
                                        .compareTo(BigInteger.valueOf(table.starts()[v]))
                                < 0;
                assertThat(time.precedes(u, v))
                        .as("seed %d: %d before %d", seed, u, v)
                        .isEqualTo(before);
                if (before) {
                    graph.add(events.commit(u), events.begin(v));
                }
            }
        }
    }
}
