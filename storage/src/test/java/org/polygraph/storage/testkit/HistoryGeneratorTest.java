package org.polygraph.storage.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.BruteForceChecker.Level;
import org.polygraph.storage.testkit.HistoryGenerator.Isolation;

class HistoryGeneratorTest {
    private static final int ROUNDS = 1_500;

    @TempDir
    private Path folder;

    /** A small history with all settings. */
    private static HistoryGenerator small(long seed) {
        HistoryGenerator generator = HistoryGenerator.withSeed(seed)
                .sessions(1 + (int) (seed % 4))
                .transactions(6)
                .operations(1, 4)
                .keys(1 + (int) (seed % 3))
                .readModifyWriteShare(0.2)
                .abortedShare(0.1)
                .indeterminateShare(seed % 2 == 0 ? 0.2 : 0)
                .withTimestamps();
        return seed % 5 < 2 ? generator.repeatedValues((int) (seed % 2), 2, 0.7) : generator;
    }

    private static int accepted(Isolation isolation, Level level, boolean always) {
        int accepted = 0;
        for (long seed = 1; seed <= ROUNDS; seed++) {
            HistoryTable history = small(seed).isolation(isolation).generate();
            boolean accepts = BruteForceChecker.judge(history, level) != BruteForceChecker.Verdict.REJECTED;
            accepted += accepts ? 1 : 0;
            if (always) {
                assertThat(accepts)
                        .as("%s at %s, seed %d: %s", isolation, level, seed, HistoryDsl.print(history))
                        .isTrue();
            }
        }
        return accepted;
    }

    @Test
    void isolationsKeepTheirPromise() {
        accepted(Isolation.SERIAL, Level.SSER, true);
        accepted(Isolation.OPTIMISTIC, Level.SSER, true);
        accepted(Isolation.SNAPSHOT, Level.SSI, true);
    }

    @Test
    void isolationsPromiseNoMore() {
        assertThat(accepted(Isolation.SNAPSHOT, Level.SER, false)).isBetween(1, ROUNDS - ROUNDS / 100);
        assertThat(accepted(Isolation.READ_COMMITTED, Level.SI, false)).isBetween(1, ROUNDS - ROUNDS / 20);
        assertThat(accepted(Isolation.RANDOM, Level.SI, false)).isBetween(1, ROUNDS - ROUNDS / 5);
    }

    @Test
    void skewedClocksOnlyBreakRealTime() {
        int strict = 0;
        for (long seed = 1; seed <= ROUNDS; seed++) {
            HistoryTable history = small(seed).clockSkew(100_000).generate();
            assertThat(BruteForceChecker.judge(history, Level.SER))
                    .as("seed %d: %s", seed, HistoryDsl.print(history))
                    .isNotEqualTo(BruteForceChecker.Verdict.REJECTED);
            strict += BruteForceChecker.accepts(history, Level.SSER) ? 1 : 0;
        }
        assertThat(strict).isBetween(1, ROUNDS - ROUNDS / 20);
    }

    @ParameterizedTest
    @EnumSource
    void anomaliesBreakTheirLevels(InjectedAnomaly anomaly) {
        for (Level level : Level.values()) {
            assertThat(BruteForceChecker.accepts(anomaly.script(), level))
                    .as("%s at %s", anomaly, level)
                    .isEqualTo(!anomaly.breaks(level));
        }
        for (long seed = 1; seed <= 150; seed++) {
            Isolation isolation = seed % 2 == 0 ? Isolation.SERIAL : Isolation.SNAPSHOT;
            HistoryTable history = HistoryGenerator.withSeed(seed)
                    .sessions(4)
                    .transactions((int) (seed % 5))
                    .operations(1, 5)
                    .keys(2)
                    .isolation(isolation)
                    .withTimestamps()
                    .inject(anomaly, 1)
                    .generate();
            for (Level level : Level.values()) {
                boolean holds = isolation == Isolation.SERIAL || level == Level.SI || level == Level.SSI;
                if (anomaly.breaks(level) || holds) {
                    assertThat(BruteForceChecker.accepts(history, level))
                            .as("%s at %s, seed %d: %s", anomaly, level, seed, HistoryDsl.print(history))
                            .isEqualTo(!anomaly.breaks(level));
                }
            }
        }
    }

    @Test
    void severalAnomaliesAreAllPlayed() {
        HistoryTable history = HistoryGenerator.withSeed(5)
                .sessions(3)
                .transactions(4)
                .inject(InjectedAnomaly.STALE_READ, 20)
                .withTimestamps()
                .generate();
        assertThat(history.transactions()).isEqualTo(4 + 2 * 20);
        long[] starts = history.starts();
        long[] ends = history.ends();
        for (int t = 1; t < history.transactions(); t++) {
            if (history.sessionOf(t) == history.sessionOf(t - 1)) {
                assertThat(starts[t]).as("start of transaction %d", t).isGreaterThan(ends[t - 1]);
            }
        }
    }

    @Test
    void sameSeedSameHistory() throws IOException {
        for (Isolation isolation : Isolation.values()) {
            String first = HistoryDsl.print(small(8).isolation(isolation).generate());
            assertThat(HistoryDsl.print(small(8).isolation(isolation).generate()))
                    .isEqualTo(first);
            assertThat(HistoryDsl.print(small(9).isolation(isolation).generate()))
                    .isNotEqualTo(first);
        }
        // Pinned: a change of this line changes every seed that a failing test ever printed.
        assertThat(HistoryDsl.print(HistoryGenerator.withSeed(1)
                        .sessions(2)
                        .transactions(3)
                        .operations(2)
                        .keys(2)
                        .generate()))
                .isEqualTo("init 0; s0: w(0,1) r(1,0) | w(1,3) r(1,3); s1: r(1,0) w(1,2)");
    }

    @Test
    void plumeTextIsTheSameHistory() throws IOException {
        HistoryGenerator generator = HistoryGenerator.withSeed(11)
                .sessions(5)
                .transactions(3_000)
                .operations(1, 9)
                .keys(40)
                .isolation(Isolation.SNAPSHOT)
                .abortedShare(0.1);
        Path file = folder.resolve("history.txt");
        generator.writePlume(file);
        HistoryTable table = generator.generate();
        Map<Integer, List<String>> expected = new HashMap<>();
        for (int t = 0; t < table.transactions(); t++) {
            int session = (int) table.sessionLabel(table.sessionOf(t));
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                int operation = table.operationKeys()[o];
                expected.computeIfAbsent(session, s -> new ArrayList<>())
                        .add(((operation & 1) == 0 ? "r(" : "w(")
                                + table.keys().integer(operation >> 1)
                                + "," + table.value(o) + "," + session
                                + (table.status(t) == TransactionStatus.ABORTED ? ",aborted" : ",committed"));
            }
        }
        Map<Integer, List<String>> found = new HashMap<>();
        for (String line : Files.readAllLines(file)) {
            int last = line.lastIndexOf(',');
            String rest = line.substring(0, last);
            int session = Integer.parseInt(rest.substring(rest.lastIndexOf(',') + 1));
            String outcome = line.endsWith(",-1)") ? ",aborted" : ",committed";
            found.computeIfAbsent(session, s -> new ArrayList<>()).add(rest + outcome);
        }
        assertThat(found).isEqualTo(expected);
        assertThatThrownBy(() -> generator.indeterminateShare(0.1).writePlume(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("indeterminate transactions; plume text has only committed and aborted");
    }

    @Test
    void keysFollowTheirDistribution() {
        SplitMix random = new SplitMix(3);
        for (double theta : new double[] {0.5, 0.99, 1, 1.5}) {
            KeyDistribution zipf = new KeyDistribution.Zipf(100, theta);
            int[] hits = new int[100];
            for (int i = 0; i < 200_000; i++) {
                hits[zipf.next(random)]++;
            }
            double all = 0;
            for (int k = 1; k <= 100; k++) {
                all += Math.pow(k, -theta);
            }
            for (int k : new int[] {1, 2, 3, 10}) {
                double expected = 200_000 * Math.pow(k, -theta) / all;
                assertThat((double) hits[k - 1])
                        .as("key %d, theta %s", k - 1, theta)
                        .isBetween(0.9 * expected, 1.1 * expected);
            }
        }
        KeyDistribution hotspot = new KeyDistribution.Hotspot(100, 10, 0.8);
        int hot = 0;
        for (int i = 0; i < 100_000; i++) {
            hot += hotspot.next(random) < 10 ? 1 : 0;
        }
        assertThat(hot).isBetween(79_000, 81_000);
        assertThat(new KeyDistribution.Zipf(1, 0.9).next(random)).isZero();
    }

    @Test
    void transactionsOverlapAndTakeEffectInAnOrderOfTheirOwn() {
        HistoryTable history = HistoryGenerator.withSeed(2)
                .sessions(10)
                .transactions(2_000)
                .keys(100_000)
                .withTimestamps()
                .generate();
        long[] starts = history.starts();
        long[] ends = history.ends();
        long open = 0;
        long first = Long.MAX_VALUE;
        long last = 0;
        for (int t = 0; t < history.transactions(); t++) {
            open += ends[t] - starts[t];
            first = Math.min(first, starts[t]);
            last = Math.max(last, ends[t]);
        }
        assertThat((double) open / (last - first))
                .as("transactions open at a time")
                .isBetween(5.0, 9.0);
    }

    @Test
    void settingsAreChecked() {
        HistoryGenerator generator = HistoryGenerator.withSeed(1);
        assertThatThrownBy(() -> generator.sessions(0)).hasMessage("sessions: 0; expected 1 to 65536");
        assertThatThrownBy(() -> generator.readShare(1.5)).hasMessage("share of reads: 1.5; expected 0 to 1");
        assertThatThrownBy(() -> generator.zipf(-1)).hasMessage("theta -1.0; expected 0 to 10");
        assertThatThrownBy(() -> generator
                        .sessions(2)
                        .inject(InjectedAnomaly.LONG_FORK, 1)
                        .generate())
                .hasMessage("LONG_FORK needs 4 sessions; there are 2");
    }

    /** 5M transactions of 8 operations: the sizes that benchmarks use. */
    @Test
    @Tag("full")
    void largeHistoriesAreFast() throws IOException {
        Path file = folder.resolve("large.txt");
        long begin = System.nanoTime();
        HistoryGenerator generator = HistoryGenerator.withSeed(1)
                .sessions(50)
                .transactions(5_000_000)
                .operations(8)
                .keys(1_000_000)
                .isolation(Isolation.SNAPSHOT);
        generator.writePlume(file);
        double seconds = (System.nanoTime() - begin) / 1e9;
        assertThat(Files.size(file)).isGreaterThan(600_000_000L);
        assertThat(seconds).as("seconds to write 5M transactions").isLessThan(60);
    }

    @Test
    void oneTransactionReadsWhatIsOld() {
        HistoryGenerator generator = HistoryGenerator.withSeed(5)
                .transactions(2_000)
                .sessions(10)
                .keys(20)
                .operations(6);
        HistoryTable plain = generator.generate();
        HistoryTable read = generator.staleRead(500).generate();
        HistoryTable snapshot = generator.staleSnapshot(500).generate();

        assertThat(changedOperations(plain, read)).hasSize(1);
        Set<Integer> ofSnapshot = changedOperations(plain, snapshot);
        assertThat(ofSnapshot).hasSizeBetween(2, 6);
        assertThat(ofSnapshot).containsAll(changedOperations(plain, read));
    }

    private static Set<Integer> changedOperations(HistoryTable a, HistoryTable b) {
        Set<Integer> changed = new TreeSet<>();
        for (int o = 0; o < a.operations(); o++) {
            assertThat(a.operationKeys()[o]).isEqualTo(b.operationKeys()[o]);
            if (a.value(o) != b.value(o)) {
                changed.add(o);
            }
        }
        return changed;
    }
}
