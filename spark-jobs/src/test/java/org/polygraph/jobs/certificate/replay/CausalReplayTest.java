package org.polygraph.jobs.certificate.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.ReadsFrom;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/** Compares replays of CC: with all sessions at once, and with a few at a time. */
class CausalReplayTest {
    private static final long SEED = 0x1a80;

    @Test
    void blocksAgreeOnTinyHistories() {
        agree(SuiteScale.of(10_000), SerialReplayTest::tiny);
    }

    @Test
    void blocksAgreeWhereSessionsAreShort() {
        agree(SuiteScale.of(300), seed -> SerialReplayTest.larger(seed, 100, 300, 4));
    }

    private static void agree(int rounds, LongFunction<HistoryTable> source) {
        int[] judged = new int[2];
        for (int i = 0; i < rounds; i++) {
            long seed = SplitMix.seedOf(SEED, i);
            agree(source.apply(seed), new SplitMix(seed), "seed " + seed, judged);
        }
        System.out.println("histories from seed " + SEED + ": {accepted, rejected} " + Arrays.toString(judged));
        assertThat(judged).doesNotContain(0);
    }

    private static void agree(HistoryTable history, SplitMix random, String what, int[] judged) {
        Witness witness = SerialReplayTest.witness(history, Guarantee.CC, random, random.nextInt(4));
        ReadsFrom found = ReadsFrom.of(history, IndexedHistory.Indeterminate.ABORT, IsolationLevel.CC, () -> false);
        if (!found.violations().isEmpty() || found.open().length > 0) {
            return;
        }
        int[] order = new Placement(witness).eventAt();
        CausalReplay replay = new CausalReplay(history, witness.counted(), found.sources(), witness.position());
        String rows = replay.run(order, history.sessions());
        for (int block = 1; block <= 3; block += 2) {
            String blocks = replay.run(order, block);
            assertThat(blocks == null)
                    .as("%s: at once %s, by %d sessions %s", what, rows, block, blocks)
                    .isEqualTo(rows == null);
        }
        judged[rows == null ? 0 : 1]++;
    }
}
