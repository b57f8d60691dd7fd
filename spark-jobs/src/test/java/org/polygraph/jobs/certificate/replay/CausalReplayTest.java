package org.polygraph.jobs.certificate.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/** Compares the two replays of CC: with a bit for each writer, and with a number for each session. */
class CausalReplayTest {
    private static final long SEED = 0x1a80;

    @Test
    void bitsAgreeOnTinyHistories() {
        agree(SuiteScale.of(10_000), SerialReplayTest::tiny);
    }

    /** There are more writers than a word has bits. */
    @Test
    void bitsAgreeWhereSessionsAreShort() {
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
        SourcesByValue found = new SourcesByValue(history, witness.counted());
        if (found.find() != null) {
            return;
        }
        int[] order = new Placement(witness).eventAt();
        int[] sessionOf = new int[history.transactions()];
        Arrays.setAll(sessionOf, history::sessionOf);
        String rows = new CausalReplay(history, witness.counted(), found.sources, witness.position()).replay(order);
        for (int words = 1; words <= 2; words++) {
            String bits = new CausalBitReplay(history, found.sources, witness.position(), sessionOf).run(order, words);
            assertThat(bits == null)
                    .as("%s: by rows %s, by %d words of bits %s", what, rows, words, bits)
                    .isEqualTo(rows == null);
        }
        judged[rows == null ? 0 : 1]++;
    }
}
