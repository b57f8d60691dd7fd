package org.polygraph.storage.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
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

    @Test
    void isolationsKeepTheirPromise() {
        keeps(Isolation.SERIAL, Level.SSER);
        keeps(Isolation.OPTIMISTIC, Level.SSER);
        keeps(Isolation.SNAPSHOT, Level.SSI);
    }

    private static void keeps(Isolation isolation, Level level) {
        for (long seed = 1; seed <= ROUNDS; seed++) {
            HistoryTable history = small(seed).isolation(isolation).generate();
            assertThat(Interpreter.judge(history, level))
                    .as("%s at %s, seed %d: %s", isolation, level, seed, HistoryDsl.print(history))
                    .isNotEqualTo(Interpreter.Verdict.REJECTED);
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
