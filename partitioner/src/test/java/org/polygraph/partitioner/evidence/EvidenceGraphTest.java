package org.polygraph.partitioner.evidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.RealTime;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.model.StoppedException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.ClientTimes;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/** Compares the paths of the evidence graph with distances that are relaxed until none changes. */
class EvidenceGraphTest {
    private static final int FAR = 1_000;
    private static final int DENSE = 3_000;

    private final SplitMix random = new SplitMix(0x9a7b5);
    private Events events = new Events(1, new int[] {0}, new int[0]);
    private KnownGraph known = new KnownGraph(events);
    private @Nullable RealTime time;

    @Test
    void pathsAreShortest() {
        int found = 0;
        for (int i = 0; i < SuiteScale.of(3_000); i++) {
            make(i);
            EvidenceGraph graph = new EvidenceGraph(known, () -> false);
            int from = random.nextInt(events.count());
            int below = random.chance(0.5) ? EvidenceGraph.ALL_ROUNDS : random.nextInt(4);
            BitSet within = random.chance(0.5) ? null : within(from);
            int[] distances = distances(from, below, within);
            for (int to = 0; to < events.count(); to++) {
                for (int most : new int[] {0, 1, 2, 3, Integer.MAX_VALUE - 1}) {
                    List<EvidenceGraph.Step> path = graph.path(from, to, below, within, most);
                    String what = "graph " + i + ", from " + from + " to " + to + ", at most " + most;
                    assertThat(path == null ? FAR : path.size())
                            .as(what)
                            .isEqualTo(distances[to] <= most ? distances[to] : FAR);
                    if (path != null) {
                        found++;
                        requireValid(path, from, to, below, within, what);
                    }
                }
            }
        }
        assertThat(found).isGreaterThan(SuiteScale.of(3_000));
    }

    /** Searches from one event and to one event are remembered; their paths are those of other searches. */
    @Test
    void repeatedSearchesFindTheSamePaths() {
        for (int i = 0; i < SuiteScale.of(1_000); i++) {
            make(i);
            EvidenceGraph graph = new EvidenceGraph(known, () -> false);
            int below = random.chance(0.5) ? EvidenceGraph.ALL_ROUNDS : random.nextInt(4);
            for (int v = 0; v < events.count(); v++) {
                for (int w = 0; w < events.count(); w++) {
                    boolean isFrom = i % 2 == 0;
                    int from = isFrom ? v : w;
                    int to = isFrom ? w : v;
                    assertThat(graph.path(from, to, below))
                            .as("graph %d, from %d to %d below %d", i, from, to, below)
                            .isEqualTo(graph.path(from, to, below, null, Integer.MAX_VALUE - 1));
                }
            }
        }
    }

    /** Each event has edges to all later events of another session, and one edge leads back. */
    @Test
    void searchesOfDenseGraphsAreBounded() {
        int[] sessionOf = new int[DENSE];
        Arrays.fill(sessionOf, DENSE / 2, DENSE, 1);
        events = new Events(1, new int[] {0, DENSE / 2, DENSE}, sessionOf);
        known = new KnownGraph(events);
        for (int v = 0; v < DENSE / 2; v++) {
            for (int w = DENSE / 2 + v; w < DENSE; w++) {
                known.add(v, w);
            }
        }
        known.add(DENSE - 1, 0);
        EvidenceGraph graph = new EvidenceGraph(known, () -> false);
        List<List<EvidenceGraph.Step>> cycles =
                CycleSearch.ofEach(graph, edge -> false).get(0);
        assertThat(cycles).allSatisfy(cycle -> assertThat(cycle).hasSize(2));
        assertThat(graph.work()).isLessThan(7_000_000);
        AtomicInteger polls = new AtomicInteger();
        EvidenceGraph stopped = new EvidenceGraph(known, () -> polls.incrementAndGet() > 3);
        assertThatThrownBy(() -> CycleSearch.ofEach(stopped, edge -> false)).isInstanceOf(StoppedException.class);
        assertThat(polls).hasValue(4);
    }

    private void make(int seed) {
        HistoryTable table = new Workload()
                .seed(seed)
                .sessions(1 + random.nextInt(5))
                .transactions(2 + random.nextInt(12))
                .operations(1, 2)
                .keys(5)
                .table();
        ClientTimes.set(table, ClientTimes.Kind.values()[0], 0, new SplitMix(seed));
        int[] sessionOf = new int[table.transactions()];
        Arrays.setAll(sessionOf, table::sessionOf);
        events = new Events(1 + random.nextInt(2), table.sessionStarts(), sessionOf);
        known = new KnownGraph(events);
        time = random.chance(0.3)
                ? RealTime.of(
                        table,
                        IndexedHistory.of(table, IndexedHistory.Indeterminate.MAYBE)
                                .commitStatus(),
                        0)
                : null;
        if (time != null) {
            known.bind(time);
        }
        for (int e = random.nextInt(3 * events.count()); e > 0; e--) {
            known.add(random.nextInt(events.count()), random.nextInt(events.count()), random.nextInt(4));
        }
    }

    private BitSet within(int from) {
        BitSet within = new BitSet();
        for (int v = 0; v < events.count(); v++) {
            within.set(v, v == from || random.chance(0.7));
        }
        return within;
    }

    private int[] distances(int from, int below, @Nullable BitSet within) {
        int[] distances = new int[events.count()];
        Arrays.fill(distances, FAR);
        distances[from] = 0;
        for (boolean isChanged = true; isChanged; ) {
            isChanged = false;
            for (int v = 0; v < distances.length; v++) {
                for (int w = 0; w < distances.length; w++) {
                    int length = length(v, w, below);
                    if (distances[v] + length < distances[w] && (within == null || within.get(w))) {
                        distances[w] = distances[v] + length;
                        isChanged = true;
                    }
                }
            }
        }
        return distances;
    }

    /** The edges of the shortest step between two events: 0 for the next of a session. */
    private int length(int from, int to, int below) {
        if (to == from + 1 && events.chain(from) == events.chain(to)) {
            return 0;
        }
        for (int e = 0; e < known.edges(); e++) {
            if (known.from(e) == from && known.to(e) == to && known.round(e) < below) {
                return 1;
            }
        }
        return isInTime(from, to, below) ? 1 : FAR;
    }

    private boolean isInTime(int from, int to, int below) {
        int t = events.transaction(from);
        int u = events.transaction(to);
        return time != null
                && known.realTimeRound() < below
                && from == events.commit(t)
                && to == events.begin(u)
                && time.precedes(t, u);
    }

    private void requireValid(
            List<EvidenceGraph.Step> path, int from, int to, int below, @Nullable BitSet within, String what) {
        int at = from;
        for (EvidenceGraph.Step step : path) {
            assertThat(events.chain(step.from())).as(what).isEqualTo(events.chain(at));
            assertThat(step.from()).as(what).isGreaterThanOrEqualTo(at);
            assertThat(length(step.from(), step.to(), below)).as(what).isLessThanOrEqualTo(1);
            assertThat(within == null || within.get(step.to())).as(what).isTrue();
            at = step.to();
        }
        assertThat(events.chain(at)).as(what).isEqualTo(events.chain(to));
        assertThat(at).as(what).isLessThanOrEqualTo(to);
    }
}
