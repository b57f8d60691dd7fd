package org.polygraph.partitioner.prune;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.closure.Closure;
import org.polygraph.partitioner.closure.TimeClosure;
import org.polygraph.partitioner.closure.WorkerThreads;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.Problem;
import org.polygraph.partitioner.graph.RealTime;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.SuiteScale;
import org.polygraph.storage.testkit.Tampering;
import org.polygraph.storage.testkit.Workloads;

/**
 * {@code SessionRules} and {@code TimeRules}, run to the fixpoint, reach what the definitions of the rules reach. The
 * definitions are applied pair by pair over all writers and readers with sets of ancestors. The same edges are implied,
 * the same reads decided, the same histories refuted. The histories have hot keys with up to 120 writers in up to 12
 * sessions.
 */
class RulesAgainstDefinitionTest {
    private int refuted;
    private long forced;
    private int decidedReads;

    @Test
    void reachWhatTheDefinitionsReach() {
        run(
                0x5a7,
                SuiteScale.of(1_600, 40),
                RulesAgainstDefinitionTest::generator,
                IsolationLevel.SER,
                IsolationLevel.SI,
                IsolationLevel.PC);
        assertThat(decidedReads).isPositive();
    }

    /** By chain clocks and by the time closure. */
    @Test
    void inRealTimeReachWhatTheDefinitionsReach() {
        LongFunction<Workload> timed = seed -> generator(seed).skew(seed % 3 == 0 ? 20_000 : 0);
        run(0x5a8, SuiteScale.of(800), timed, IsolationLevel.SSER, IsolationLevel.SSI);
    }

    /** More sessions than fronts, which are then shared. */
    @Test
    void manySessionsReachWhatTheDefinitionsReach() {
        LongFunction<Workload> many = seed -> Workloads.of(seed, "sessions 300 transactions 700 operations 1 2")
                .keys(1 + (int) Math.floorMod(seed, 3L))
                .level(Workload.Level.SI);
        run(0x5a9, 6, many, IsolationLevel.SER, IsolationLevel.SI, IsolationLevel.PC);
    }

    private void run(long seed, int histories, LongFunction<Workload> source, IsolationLevel... levels) {
        SplittableRandom seeds = new SplittableRandom(seed);
        for (int i = 0; i < histories; i++) {
            long one = seeds.nextLong();
            HistoryTable table = source.apply(one).table();
            compare(i % 2 == 0 ? table : Tampering.withWrittenInitial(table), levels[i % levels.length], "seed " + one);
        }
        System.out.println(histories + " histories from seed " + seed + ": refuted " + refuted + ", forced pairs "
                + forced + ", reads decided " + decidedReads);
        assertThat(forced).isPositive();
        if (histories > 6) {
            assertThat(refuted).isBetween(histories / 40, histories - histories / 40);
        }
    }

    private static Workload generator(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Workload generator = new Workload()
                .seed(seed)
                .sessions(1 + random.nextInt(12))
                .transactions(10 + random.nextInt(random.nextInt(4) == 0 ? 110 : 40))
                .operations(1, 1 + random.nextInt(5))
                .keys(1 + random.nextInt(6))
                .reads(0.2 + 0.6 * random.nextDouble())
                .modifies(random.nextInt(3) == 0 ? 0.4 : 0);
        if (random.nextInt(3) == 0) {
            generator.values(2 + random.nextInt(20));
        }
        if (random.nextInt(3) == 0) {
            generator.indeterminate(0.2).aborted(0.1);
        }
        int isolation = random.nextInt(20);
        return generator.level(
                isolation < 9 ? Workload.Level.RC : isolation < 14 ? Workload.Level.SI : Workload.Level.SER);
    }

    private void compare(HistoryTable history, IsolationLevel level, String name) {
        IndexedHistory indexed = IndexedHistory.of(history, IndexedHistory.Indeterminate.MAYBE);
        if (!indexed.violations().isEmpty()) {
            return;
        }
        Events events = Events.of(level, history.sessionStarts(), indexed.sessionOf());
        Definition definition = new Definition(events, indexed.versions(), indexed.commitStatus());
        if (level.realTime()) {
            definition.addRealTime(history);
        }
        long observed = definition.close() ? definition.pairs() : 0;
        boolean consistent = definition.saturate();
        refuted += consistent ? 0 : 1;
        forced += consistent ? definition.pairs() - observed : 0;
        decidedReads += definition.decided;
        for (boolean byTime : level.realTime() ? new boolean[] {false, true} : new boolean[1]) {
            IndexedHistory again = IndexedHistory.of(history, IndexedHistory.Indeterminate.MAYBE);
            KnownGraph graph = KnownGraph.of(events, again.versions());
            if (level.realTime()) {
                graph.bind(RealTime.of(history, again.commitStatus(), 0));
            }
            Closure closure = byTime ? TimeClosure.of(graph, Long.MAX_VALUE) : ChainClocks.of(graph);
            String as = name + " " + level + (byTime ? " by time" : "");
            assertThat(isConsistent(graph, closure, again)).as(as).isEqualTo(consistent);
            for (int v = 0; consistent && v < events.count(); v++) {
                for (int u = 0; u < events.count(); u++) {
                    if (closure.reaches(u, v) != definition.before[v].get(u)) {
                        assertThat(closure.reaches(u, v))
                                .as("%s: %d reaches %d", as, u, v)
                                .isEqualTo(definition.before[v].get(u));
                    }
                }
                if (closure instanceof ChainClocks clocks && !level.realTime()) {
                    assertThat(clocks.ancestors()[v]).isEqualTo(definition.before[v].cardinality());
                }
            }
        }
    }

    /** Applies the rules to the fixpoint. @return false if they refute it */
    private static boolean isConsistent(KnownGraph graph, Closure closure, IndexedHistory indexed) {
        Saturation rules = new Saturation(new Problem(indexed, graph), closure, WorkerThreads.of(2), 50);
        while (closure.update(() -> false)) {
            Saturation.RoundResult result = rules.round(() -> false);
            if (result != Saturation.RoundResult.FORCED) {
                return result == Saturation.RoundResult.FIXPOINT;
            }
        }
        return false;
    }

    /** The rules as they are defined. */
    private static final class Definition {
        private final Events events;
        private final VersionIndex index;
        private final byte[] states;
        /** By event: all events that strictly reach it. */
        private final BitSet[] before;
        /** By reader of the index: its writer's transaction, -1 for the initial version, {@link #OPEN}. */
        private final int[] source;

        private static final int OPEN = -2;
        private int decided;

        Definition(Events events, VersionIndex index, CommitStatus commitStatus) {
            this.events = events;
            this.index = index;
            this.states = commitStatus.states();
            before = new BitSet[events.count()];
            for (int v = 0; v < before.length; v++) {
                before[v] = new BitSet();
                if (v > 0 && events.chain(v - 1) == events.chain(v)) {
                    before[v].set(v - 1);
                }
            }
            source = new int[index.readers()];
            for (int key = 0; key < index.keys(); key++) {
                for (int slot = index.slot(key); slot <= index.ambiguousSlot(key); slot++) {
                    for (int r = index.slotStarts()[slot]; r < index.slotStarts()[slot + 1]; r++) {
                        if (slot == index.ambiguousSlot(key)) {
                            source[r] = OPEN;
                        } else if (slot == index.slot(key)) {
                            source[r] = -1;
                        } else {
                            source[r] =
                                    index.writerTransactions()[index.writerStarts()[key] + slot - index.slot(key) - 1];
                            before[begin(reader(r))].set(events.commit(source[r]));
                        }
                    }
                }
            }
        }

        /** A transaction that committed is before those that start after its end. */
        void addRealTime(HistoryTable history) {
            for (int u = 0; u < history.transactions(); u++) {
                for (int v = 0; v < history.transactions(); v++) {
                    if (history.status(u) == TransactionStatus.COMMITTED
                            && states[v] != CommitStatus.DROPPED
                            && history.ends()[u] != HistoryTable.NO_TIME
                            && history.starts()[v] != HistoryTable.NO_TIME
                            && history.ends()[u] < history.starts()[v]) {
                        before[begin(v)].set(events.commit(u));
                    }
                }
            }
        }

        private int reader(int r) {
            return index.readerTransactions()[r];
        }

        private int begin(int transaction) {
            return events.begin(transaction);
        }

        private boolean reaches(int from, int to) {
            return before[to].get(from);
        }

        long pairs() {
            long pairs = 0;
            for (BitSet set : before) {
                pairs += set.cardinality();
            }
            return pairs;
        }

        /** @return false if there is a cycle */
        boolean close() {
            boolean changed = true;
            while (changed) {
                changed = false;
                for (int v = 0; v < before.length; v++) {
                    int size = before[v].cardinality();
                    for (int u = before[v].nextSetBit(0); u >= 0; u = before[v].nextSetBit(u + 1)) {
                        before[v].or(before[u]);
                    }
                    changed |= before[v].cardinality() > size;
                }
            }
            for (int v = 0; v < before.length; v++) {
                if (before[v].get(v)) {
                    return false;
                }
            }
            return true;
        }

        /** @return false if refuted */
        boolean saturate() {
            boolean changed = true;
            while (changed) {
                if (!close()) {
                    return false;
                }
                long size = pairs();
                int open = decided;
                for (int key = 0; key < index.keys(); key++) {
                    if (!apply(key)) {
                        return false;
                    }
                }
                changed = pairs() > size || decided > open;
            }
            return true;
        }

        private boolean apply(int key) {
            int[] writers = Arrays.stream(
                            index.writerTransactions(), index.writerStarts()[key], index.writerStarts()[key + 1])
                    .filter(t -> states[t] == CommitStatus.COUNTED)
                    .toArray();
            boolean hasOverlaps = events.perTransaction() == 2 && !events.mayOverlap();
            for (int s : writers) {
                for (int t : writers) {
                    if (s != t && hasOverlaps && reaches(events.begin(s), events.commit(t))) {
                        before[events.begin(t)].set(events.commit(s));
                    }
                }
            }
            for (int r = index.readerStarts()[key]; r < index.readerStarts()[key + 1]; r++) {
                int begin = begin(reader(r));
                if (source[r] == OPEN) {
                    if (states[reader(r)] == CommitStatus.COUNTED && !judge(key, r, writers)) {
                        return false;
                    }
                    continue;
                }
                for (int s : writers) {
                    if (s == source[r]) {
                        continue;
                    }
                    if (source[r] < 0) {
                        if (s != reader(r)) {
                            before[events.commit(s)].set(begin);
                        }
                    } else if (states[source[r]] == CommitStatus.COUNTED) {
                        if (reaches(events.commit(s), begin)) {
                            before[events.overwrites(source[r])].set(events.commit(s));
                        }
                        if (reaches(events.commit(source[r]), events.overwrites(s)) && s != reader(r)) {
                            before[events.commit(s)].set(begin);
                        }
                    }
                }
            }
            return true;
        }

        /** @return false if the read has no candidate */
        private boolean judge(int key, int r, int[] writers) {
            int begin = begin(reader(r));
            int alive = 0;
            int only = -1;
            boolean initial = index.readerClasses()[r] == VersionIndex.INITIAL;
            for (int s : writers) {
                initial &= !reaches(events.commit(s), begin);
            }
            alive += initial ? 1 : 0;
            for (int w = index.firstInClass(key, index.readerClasses()[r]); w >= 0; w = index.nextInClass(w)) {
                int t = index.writerTransactions()[w];
                if (t == reader(r) || states[t] == CommitStatus.DROPPED || reaches(begin, events.commit(t))) {
                    continue;
                }
                boolean hidden = false;
                for (int s : writers) {
                    hidden |= s != t && reaches(events.commit(t), events.begin(s)) && reaches(events.commit(s), begin);
                }
                if (!hidden) {
                    alive += states[t] == CommitStatus.OPTIONAL ? 2 : 1;
                    only = t;
                }
            }
            if (alive == 1) {
                decided++;
                source[r] = only;
                if (only >= 0) {
                    before[begin].set(events.commit(only));
                }
            }
            return alive > 0;
        }
    }
}
