package org.polygraph.benchmarks.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.polygraph.benchmarks.data.GeneratorSpec;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.BruteForceChecker.Level;
import org.polygraph.storage.testkit.BruteForceChecker;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.TinyHistories;

/** What the second judge refutes has no order by brute force, and it refutes nearly all of that. */
class RefuterTest {
    @Test
    void refutesOnlyWhatBruteForceRejects() {
        TinyHistories stream = new TinyHistories(0x4ef);
        int rejected = 0;
        int refuted = 0;
        for (int i = 0; i < 10_000; i++) {
            HistoryTable history = stream.at(i);
            if (!canBeJudged(history)) {
                continue;
            }
            for (Level level : new Level[] {Level.SER, Level.SI}) {
                boolean no = new Refuter(history, level == Level.SER ? 1 : 2).refutes();
                boolean holds = BruteForceChecker.accepts(history, level);
                assertThat(no && holds)
                        .as("%s %s seed %d", HistoryDsl.print(history), level, stream.seedOf(i))
                        .isFalse();
                rejected += holds ? 0 : 1;
                refuted += no ? 1 : 0;
            }
        }
        System.out.println(refuted + " of " + rejected + " refuted by rules alone");
        assertThat(rejected).isGreaterThan(1_000);
        assertThat(refuted).isGreaterThan(rejected * 9 / 10);
    }

    @Test
    void findsTheOldSnapshot() {
        String plain = "gen:txns=3000,keys=100,sessions=10";
        assertThat(new Refuter(GeneratorSpec.parse(plain).generate(), 1).refutes())
                .isFalse();
        HistoryTable stale = GeneratorSpec.parse(plain + ",stale=snapshot:1000").generate();
        assertThat(new Refuter(stale, 1).refutes()).isTrue();
        assertThat(new Refuter(stale, 2).refutes()).isTrue();
    }

    private static boolean canBeJudged(HistoryTable history) {
        boolean committed = false;
        for (int t = 0; t < history.transactions(); t++) {
            if (history.status(t) == TransactionStatus.INDETERMINATE) {
                return false;
            }
            committed |= history.status(t) == TransactionStatus.COMMITTED;
        }
        if (!committed) {
            return false;
        }
        try {
            new Refuter(history, 1);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
