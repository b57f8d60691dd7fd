package org.polygraph.storage.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Definitions.Level;
import org.polygraph.storage.testkit.HistoryGenerator.Isolation;

class HistoryGeneratorTest {
    private static final int ROUNDS = 1_500;

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
            boolean accepts = Interpreter.judge(history, level) != Interpreter.Verdict.REJECTED;
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
            assertThat(Interpreter.judge(history, Level.SER))
                    .as("seed %d: %s", seed, HistoryDsl.print(history))
                    .isNotEqualTo(Interpreter.Verdict.REJECTED);
            strict += Interpreter.accepts(history, Level.SSER) ? 1 : 0;
        }
        assertThat(strict).isBetween(1, ROUNDS - ROUNDS / 20);
    }

    @ParameterizedTest
    @EnumSource
    void anomaliesBreakTheirLevels(InjectedAnomaly anomaly) {
        for (Level level : Interpreter.LEVELS) {
            assertThat(Interpreter.accepts(anomaly.script(), level))
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
            for (Level level : Interpreter.LEVELS) {
                boolean holds = isolation == Isolation.SERIAL || level == Level.SI || level == Level.SSI;
                if (anomaly.breaks(level) || holds) {
                    assertThat(Interpreter.accepts(history, level))
                            .as("%s at %s, seed %d: %s", anomaly, level, seed, HistoryDsl.print(history))
                            .isEqualTo(!anomaly.breaks(level));
                }
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
}
