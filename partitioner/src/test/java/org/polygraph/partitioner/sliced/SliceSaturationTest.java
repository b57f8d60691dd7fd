package org.polygraph.partitioner.sliced;

import static org.assertj.core.api.Assertions.assertThat;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.polygraph.partitioner.closure.Closure;
import org.polygraph.partitioner.closure.EventOrder;
import org.polygraph.partitioner.closure.WindowPieces;
import org.polygraph.partitioner.closure.WindowPlan;
import org.polygraph.partitioner.closure.Workers;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.RealTime;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.partitioner.prune.Saturation;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.ClientTimes;
import org.polygraph.storage.testkit.HistoryGenerator;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Compares columns by group, windows of time, and rules by slice of keys with clocks and rules of the whole: all edges
 * and bits are equal.
 */
class SliceSaturationTest {
    private static final long SEED = 0x511ce;
    private static final int[] NOTHING = {};
    private static final List<HistoryGenerator.Isolation> ISOLATIONS = List.of(HistoryGenerator.Isolation.values());

    @Test
    void piecesAreTheWhole() {
        compare(SuiteScale.of(300));
    }

    private static void compare(int histories) {
        Random random = new Random(SEED);
        int rounds = 0;
        int timedRounds = 0;
        int windows = 0;
        int cyclic = 0;
        int contradictions = 0;
        int decided = 0;
        int ranges = 0;
        for (int i = 0; i < histories; i++) {
            HistoryGenerator generator = HistoryGenerator.withSeed(SEED + i)
                    .sessions(1 + random.nextInt(9))
                    .transactions(10 + random.nextInt(150))
                    .operations(1, 6)
                    .keys(1 + random.nextInt(20))
                    .isolation(ISOLATIONS.get(random.nextInt(ISOLATIONS.size())));
            if (i % 3 == 0) {
                generator.repeatedValues(i % 2, 4, 0.6);
            }
            if (i % 4 == 0) {
                generator.indeterminateShare(0.1);
            }
            if (i % 5 == 0) {
                // There are more writers than are compared in pairs.
                generator.transactions(600).keys(3);
            }
            boolean timed = i % 2 == 0;
            if (timed) {
                generator.withTimestamps();
            }
            HistoryTable table = generator.generate();
            if (timed && i % 10 < 6) {
                ClientTimes.Kind[] kinds = {ClientTimes.Kind.TRUE, ClientTimes.Kind.FEW, ClientTimes.Kind.SKEWED};
                ClientTimes.set(table, kinds[i % kinds.length], i % 3 == 0 ? 0.2 : 0, new SplitMix(SEED + i));
                // Times that contradict the reads would end the test at the first closure, so half of the histories
                // have a large skew.
            }
            IndexedHistory history = IndexedHistory.of(table, IndexedHistory.Indeterminate.MAYBE);
            if (!history.violations().isEmpty()) {
                continue;
            }
            for (int perTransaction = 1; perTransaction <= 2; perTransaction++) {
                long skew = i % 4 == 0 ? 0 : i % 10 < 6 ? 40 : 0;
                RealTime time = timed ? RealTime.of(table, history.commitStatus(), skew) : null;
                Comparison comparison = new Comparison(history, perTransaction, random, time, "seed " + (SEED + i));
                comparison.run();
                rounds += comparison.rounds;
                timedRounds += time == null ? 0 : comparison.rounds;
                windows += comparison.pieces.windows == null ? 0 : comparison.pieces.windows.windows();
                cyclic += comparison.cyclic ? 1 : 0;
                contradictions += comparison.contradiction ? 1 : 0;
                ranges += comparison.pieces.ranges;
                decided += comparison.pieces.decided.isEmpty() ? 0 : 1;
            }
        }
        assertThat(rounds).isGreaterThan(histories);
        System.out.println(rounds + " rounds, " + timedRounds + " with real time in " + windows + " windows, " + cyclic
                + " cyclic");
        assertThat(timedRounds).isGreaterThan(histories / 4);
        assertThat(windows).isGreaterThan(histories);
        assertThat(cyclic).isPositive();
        assertThat(decided).isPositive();
        assertThat(ranges).isGreaterThan(histories / 10);
        assertThat(contradictions).isNotNegative();
    }

    /** Both at the same time. */
    private static final class Comparison {
        final Pieces pieces;
        private final String name;
        private final IndexedHistory whole;
        private final KnownGraph graph;
        private final Closure clocks;
        private final Saturation saturation;
        int rounds;
        boolean cyclic;
        boolean contradiction;

        Comparison(IndexedHistory history, int perTransaction, Random random, RealTime time, String name) {
            this.name = name + ", " + perTransaction + " events";
            this.whole = history.copy();
            Events events = new Events(perTransaction, history.table().sessionStarts(), history.sessionOf());
            this.graph = KnownGraph.of(events, whole.versions());
            if (time != null) {
                graph.bind(time);
            }
            this.clocks = Closure.of(graph);
            this.saturation = new Saturation(
                    graph,
                    whole.versions(),
                    clocks,
                    whole.commitStatus(),
                    Workers.of(1 + random.nextInt(3)),
                    1 + random.nextInt(40));
            this.pieces =
                    new Pieces(history.copy(), events, 1 + random.nextInt(4), 1 + random.nextInt(5), time, random);
        }

        void run() {
            while (true) {
                boolean closed = clocks.update(() -> false);
                assertThat(pieces.close()).as(name).isEqualTo(closed);
                if (!closed) {
                    cyclic = true;
                    return;
                }
                same();
                assertThat(pieces.position()).as(name).isEqualTo(clocks.order());
                rounds++;
                Saturation.RoundResult result = saturation.round(() -> false);
                assertThat(pieces.round()).as(name).isEqualTo(result);
                same();
                assertThat(pieces.impossible).as(name).isEqualTo(saturation.impossibleKey());
                if (result != Saturation.RoundResult.FORCED) {
                    contradiction = result == Saturation.RoundResult.CONTRADICTION;
                    return;
                }
                assertThat(pieces.decidedKeys).as(name).containsExactlyInAnyOrder(saturation.decidedKeys());
            }
        }

        private void same() {
            assertThat(edges(pieces.graph)).as(name).isEqualTo(edges(graph));
            assertThat(pieces.changed).as(name).isEqualTo(clocks.changed());
            assertThat(pieces.history.versions().readerTransactions())
                    .as(name)
                    .isEqualTo(whole.versions().readerTransactions());
            assertThat(pieces.history.versions().slotStarts())
                    .as(name)
                    .isEqualTo(whole.versions().slotStarts());
        }

        private static List<Integer> edges(KnownGraph graph) {
            List<Integer> edges = new ArrayList<>();
            for (int e = 0; e < graph.edges(); e++) {
                edges.addAll(List.of(graph.from(e), graph.to(e), graph.round(e)));
            }
            return edges;
        }
    }

    /** Does what an engine does, without an engine. */
    private static final class Pieces {
        final IndexedHistory history;
        final KnownGraph graph;
        final IntArrayList decided = new IntArrayList();
        int[] decidedKeys = NOTHING;
        int impossible = -1;
        long[] changed;
        private final int[] chainStarts;
        private final int[] groups;
        private final KeySlices slices;
        private final List<byte[]> indexes = new ArrayList<>();
        private IntBuffer[][] rows = {};
        private boolean begun;
        private final Random random;
        WindowPieces windows;
        /** The number of keys processed by slices of their writers that forced an edge. */
        int ranges;

        Pieces(IndexedHistory history, Events events, int slices, int width, RealTime time, Random random) {
            this.random = random;
            this.history = history;
            this.graph = KnownGraph.of(events, history.versions());
            this.slices = new KeySlices(history.versions().keys(), slices);
            for (int s = 0; s < slices; s++) {
                indexes.add(IndexSlice.of(this.slices, s, history.versions()).toBytes());
            }
            chainStarts = new int[events.chains() + 1];
            for (int s = 0; s < events.chains(); s++) {
                chainStarts[s] = events.chainStart(s);
            }
            chainStarts[events.chains()] = events.count();
            groups = new int[(events.chains() + width - 1) / width + 1];
            for (int g = 0; g < groups.length; g++) {
                groups[g] = Math.min(events.chains(), g * width);
            }
            changed = new long[(events.count() + 63) >> 6];
            if (time != null) {
                graph.bind(time);
                windows = new WindowPieces(graph, new WindowPlan.Granularity(1 + width * width, slices % 2));
            }
        }

        boolean close() {
            if (windows != null) {
                boolean result = windows.close();
                changed = windows.changed();
                return result;
            }
            boolean first = rows.length == 0;
            ClosurePlan plan = ClosurePlan.of(graph, first ? 0 : graph.indexedEdges());
            if (plan.isCyclic()) {
                return false;
            }
            IntBuffer sources = IntBuffer.allocate(plan.edges());
            IntBuffer fresh = IntBuffer.allocate((plan.edges() + 31) >> 5);
            for (int i = 0; i < plan.edges(); i++) {
                sources.put(i, plan.source(i));
                if (plan.isFresh(i)) {
                    fresh.put(i >> 5, fresh.get(i >> 5) | 1 << i);
                }
            }
            long[] kept = new long[(plan.edges() + 63) >> 6];
            changed = new long[changed.length];
            IntBuffer[][] next = new IntBuffer[groups.length - 1][];
            for (int g = 0; g < next.length; g++) {
                next[g] = new IntBuffer[chainStarts.length - 1];
                for (int s = 0; s < next[g].length; s++) {
                    next[g][s] =
                            IntBuffer.allocate((groups[g + 1] - groups[g]) * (chainStarts[s + 1] - chainStarts[s]));
                }
                ColumnGroup columns = new ColumnGroup(
                        chainStarts,
                        groups[g],
                        groups[g + 1],
                        IntBuffer.wrap(plan.turns()),
                        IntBuffer.wrap(plan.starts()),
                        sources,
                        fresh);
                assertThat(columns.close(next[g], first ? null : rows[g], () -> false))
                        .isTrue();
                for (int i = 0; i < kept.length; i++) {
                    kept[i] |= columns.kept()[i];
                }
                for (int i = 0; i < changed.length; i++) {
                    changed[i] |= columns.changed()[i];
                }
            }
            plan.retain(kept);
            rows = next;
            return true;
        }

        Saturation.RoundResult round() {
            graph.nextRound();
            int edges = graph.edges();
            int ambiguous = history.versions().ambiguous();
            long count = 0;
            for (long bits : changed) {
                count += Long.bitCount(bits);
            }
            boolean most = !begun || count > graph.events().count() / 2;
            TreeMap<Integer, int[]> byKey = new TreeMap<>();
            boolean everything = most;
            int[] hot = IntStream.range(0, history.versions().keys())
                    .filter(k -> windows == null && HotKeySaturation.splits(history.versions(), k))
                    .toArray();
            for (int key : hot) {
                int[] edgesOfKey =
                        inRanges(key, everything || IntStream.of(decidedKeys).anyMatch(k -> k == key));
                if (edgesOfKey.length > 0) {
                    ranges++;
                    IntArrayList entry = IntArrayList.of(key, -1, edgesOfKey.length / 2);
                    entry.addElements(3, edgesOfKey);
                    entry.add(0);
                    byKey.put(key, entry.toIntArray());
                }
            }
            for (byte[] index : indexes) {
                int[] forced = new SliceSaturation(
                                slices,
                                IndexSlice.ofBytes(index),
                                graph.events().perTransaction(),
                                history.table().sessionStarts(),
                                history.commitStatus().states(),
                                windows != null ? windows.rows() : new GroupedRows(chainStarts, groups, rows),
                                changed,
                                most,
                                decided.toIntArray(),
                                decidedKeys)
                        .without(hot)
                        .forced();
                for (int at = 0; at < forced.length; ) {
                    int end = at + 4 + 2 * forced[at + 2];
                    end += forced[end - 1];
                    byKey.put(forced[at], java.util.Arrays.copyOfRange(forced, at, end));
                    at = end;
                }
            }
            IntArrayList keys = new IntArrayList();
            for (int[] forced : byKey.values()) {
                int more = forced[2];
                for (int e = 0; e < more; e++) {
                    graph.add(forced[3 + 2 * e], forced[4 + 2 * e]);
                }
                if (forced[3 + 2 * more] > 0) {
                    int[] slots = java.util.Arrays.copyOfRange(forced, 4 + 2 * more, forced.length);
                    history.versions().resolve(forced[0], slots);
                    keys.add(forced[0]);
                    decided.add(forced[0]);
                    decided.add(slots.length);
                    decided.addElements(decided.size(), slots);
                }
                if (forced[1] >= 0) {
                    impossible = forced[0];
                    return Saturation.RoundResult.CONTRADICTION;
                }
            }
            begun = true;
            decidedKeys = keys.toIntArray();
            return graph.edges() > edges || history.versions().ambiguous() < ambiguous
                    ? Saturation.RoundResult.FORCED
                    : Saturation.RoundResult.FIXPOINT;
        }

        /** The rules of one key, by independent slices of its writers. */
        private int[] inRanges(int key, boolean all) {
            VersionIndex own = history.versions().part(new int[] {key});
            int parts = 1 + random.nextInt(5);
            LongArrayList visits = new LongArrayList();
            for (int p = 0; p < parts; p++) {
                HotKeySaturation range = range(own);
                int n = range.writers();
                visits.addElements(visits.size(), range.visited(n * p / parts, n * (p + 1) / parts, changed, all));
            }
            int[] order =
                    visits.longStream().sorted().mapToInt(visit -> (int) visit).toArray();
            IntArrayList forced = new IntArrayList();
            for (int p = 0; p < parts; p++) {
                int n = order.length;
                forced.addElements(forced.size(), range(own).forced(order, n * p / parts, n * (p + 1) / parts));
            }
            return forced.toIntArray();
        }

        private HotKeySaturation range(VersionIndex own) {
            return new HotKeySaturation(
                    own,
                    graph.events().perTransaction(),
                    history.table().sessionStarts(),
                    history.commitStatus().states(),
                    new GroupedRows(chainStarts, groups, rows),
                    1 + random.nextInt(4_000));
        }

        int[] position() {
            if (windows != null) {
                return EventOrder.byTime(graph, graph.realTime(), windows.bounds());
            }
            int[] rank = new int[graph.events().count()];
            for (int g = 0; g + 1 < groups.length; g++) {
                int[] part = ColumnGroup.ranks(chainStarts, groups[g], groups[g + 1], rows[g]);
                for (int v = 0; v < rank.length; v++) {
                    rank[v] += part[v];
                }
            }
            return EventOrder.byRank(rank);
        }
    }
}
