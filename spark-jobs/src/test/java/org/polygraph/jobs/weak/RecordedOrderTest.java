package org.polygraph.jobs.weak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.replay.Replay;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checks;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.axiom.CommitOrder;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.ReadsFrom;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.solver.CommitOutcome;
import org.polygraph.storage.analysis.HistoryStats;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Simulator;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;
import org.polygraph.storage.testkit.Workloads;

/** Serial orders near the recorded one, and of split transactions, of large histories. The laws "tiny" and "larger" replay those of others. */
class RecordedOrderTest {
    private static final List<Guarantee> AXIOMS = List.of(Guarantee.RC, Guarantee.RA, Guarantee.CC);

    /** A database that keeps only read committed: its reads do not return the last write, and its values repeat. */
    @Test
    void acceptsReadCommittedWithRepeatedValues() {
        for (long seed = 0x4ec7; seed < 0x4ec7 + SuiteScale.of(4, 2); seed++) {
            HistoryTable history = Workloads.of(seed, "sessions 8 timed false transactions 3000 operations 2 6 keys 20")
                    .values(3 + (int) seed % 3)
                    .level(Workload.Level.RC)
                    .table();
            Verdict verdict = Checks.check(
                    history, new CheckRequest(IsolationLevel.RC, TimeMode.NONE, 0, IndeterminateMode.MAYBE));
            assertThat(verdict.status()).as("seed %d", seed).isEqualTo(Verdict.Status.PASS);
        }
    }

    /** A read of a deleted row may have read from each delete of it. The last ones before the reads contradict few transactions. */
    @Test
    void decidesDeletedRowsOfReadCommitted() {
        HistoryTable history = new Workload()
                .sessions(10)
                .transactions(20_000)
                .keys(1_000)
                .rows(0.2, 0.2)
                .level(Workload.Level.RC)
                .table()
                .withoutRows();
        CommitOrder order =
                CommitOrder.index(history, IsolationLevel.RC, IndexedHistory.Indeterminate.MAYBE, () -> false);
        assertThat(order.order(Long.MAX_VALUE, () -> false)).isTrue();
        int[] near = Objects.requireNonNull(RecordedOrder.near(history, order.graph(), true));
        long last = looks(Objects.requireNonNull(ChoiceSolving.ofLastWriters(order, near)));
        assertThat(last).isLessThan(looks(new ChoiceSolving(order, near)) * 3 / 4);
    }

    private static long looks(ChoiceSolving choices) {
        AtomicLong looks = new AtomicLong();
        CommitOutcome found = choices.solve(() -> looks.incrementAndGet() > 100_000, 1L << 30);
        assertThat(found).isInstanceOf(CommitOutcome.Ordered.class);
        return looks.get();
    }

    /**
     * A database with snapshots that loses updates. It has so few values that hardly any read has only one possible
     * writer.
     */
    @Test
    void decidesRepeatedValuesOfSnapshotsThatLoseUpdates() {
        for (long seed = 0x9e0; seed < 0x9e0 + SuiteScale.of(6, 2); seed++) {
            HistoryTable history = Workloads.of(seed, "sessions 10 transactions 2000 operations 2 6 keys 20")
                    .values(2 + (int) seed % 3)
                    .level(Workload.Level.PC)
                    .table();
            assertThat(ReadsFrom.of(history, IndexedHistory.Indeterminate.ABORT, IsolationLevel.CC, () -> false)
                            .open())
                    .as("seed %d", seed)
                    .hasSizeGreaterThan(2_000);
            for (IsolationLevel level :
                    new IsolationLevel[] {IsolationLevel.CC, IsolationLevel.RA, IsolationLevel.RC}) {
                Verdict verdict =
                        Checks.check(history, new CheckRequest(level, TimeMode.HINT, 0, IndeterminateMode.MAYBE));
                assertThat(verdict.status()).as("seed %d %s", seed, level).isEqualTo(Verdict.Status.PASS);
                assertThat(verdict.certificate())
                        .as("seed %d %s", seed, level)
                        .matches(certificate -> certificate != null && certificate.verified());
            }
        }
    }

    /** If the writes of tiny histories count as distinct, they are. */
    @Test
    void distinctWrites() {
        int distinct = 0;
        for (int i = 0; i < 5_000; i++) {
            boolean areDistinct = WeakLevelDecision.areDistinct(
                    Simulator.tiny(SplitMix.seedOf(0xd157, i)).table());
            assertThat(!areDistinct
                            || HistoryStats.of(Simulator.tiny(SplitMix.seedOf(0xd157, i))
                                            .table())
                                    .uniqueValues())
                    .as("seed %d", SplitMix.seedOf(0xd157, i))
                    .isTrue();
            distinct += areDistinct ? 1 : 0;
        }
        assertThat(distinct).isBetween(250, 4_750);
    }

    /** If values repeat, a read that does not return the last write may follow or precede several writers. */
    @Test
    void acceptsFewValuesNearTheOrderOfCommits() {
        int sources = 0;
        int found = 0;
        for (int i = 0; i < 30; i++) {
            HistoryTable history = Workloads.of(
                            SplitMix.seedOf(0x4ec2, i),
                            "sessions 20 timed false transactions 3000 operations 8 keys 3000")
                    .values(2 + i % 5)
                    .table();
            for (Guarantee guarantee : AXIOMS) {
                String what = guarantee + " seed 0x4ec2 #" + i;
                Witness witness = RecordedOrder.serial(history, Terms.of(guarantee), false, () -> false);
                boolean isFound = holds(witness, what);
                found += isFound ? 1 : 0;
                Verdict verdict = Checks.check(history, CheckRequest.of(IsolationLevel.valueOf(guarantee.name())));
                assertThat(verdict.status()).as(what).isEqualTo(Verdict.Status.PASS);
                assertThat(verdict.phases().stream()
                                .noneMatch(phase -> phase.name().equals("index")))
                        .as(what)
                        .isEqualTo(isFound);
                assertThat(Objects.requireNonNull(verdict.assumptions()).uniqueValues())
                        .as(what)
                        .isFalse();
            }
            sources += ReadsFrom.of(history, IndexedHistory.Indeterminate.MAYBE, IsolationLevel.RC, () -> false)
                    .open()
                    .length;
        }
        System.out.println("30 histories from seed 0x4ec2: " + found + " serial orders, " + sources
                + " reads of several possible writers");
        assertThat(sources).isGreaterThan(30 * 5_000);
        assertThat(found).isGreaterThan(60);
    }

    private static boolean holds(@Nullable Witness witness, String what) {
        if (witness == null) {
            return false;
        }
        assertThat(Replay.of(witness).discrepancy()).as(what).isNull();
        return true;
    }
}
