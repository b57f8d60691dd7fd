package org.polygraph.partitioner.axiom;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Definitions;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.Simulator;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/** Compares the edges that CC demands, inferred with bits of writers, with clocks and with all commit orders. */
class CausalAxiomTest {
    private static final long SEED = 0xcc17;

    @Test
    void bitsAgreeOnTinyHistories() {
        int[] judged = new int[2];
        for (int i = 0; i < SuiteScale.of(10_000); i++) {
            HistoryTable table = Simulator.tiny(SplitMix.seedOf(SEED, i)).table();
            CommitOrder order =
                    CommitOrder.index(table, IsolationLevel.CC, IndexedHistory.Indeterminate.MAYBE, () -> false);
            if (!order.violations().isEmpty()) {
                continue;
            }
            String what = HistoryDsl.print(table) + " seed " + SplitMix.seedOf(SEED, i);
            boolean holds = agree(table, what);
            if (!order.hasOpenReads()) {
                assertThat(holds).as(what).isEqualTo(Definitions.accepts(table, "CC"));
                judged[holds ? 0 : 1]++;
            }
        }
        System.out.println("tiny histories from seed " + SEED + ": {accepted, refuted} " + Arrays.toString(judged));
        assertThat(judged).doesNotContain(0);
    }

    /** There are more writers than a word has bits, and keys whose writers are in several rows of words. */
    @Test
    void bitsAgreeWhereSessionsAreShort() {
        Random random = new Random(SEED);
        int[] judged = new int[2];
        for (int i = 0; i < SuiteScale.of(1_000); i++) {
            HistoryTable table = new Workload()
                    .seed(SEED + i)
                    .timed(false)
                    .sessions(2 + random.nextInt(i % 3 == 0 ? 150 : 10))
                    .transactions(300)
                    .operations(1, 6)
                    .keys(2 + random.nextInt(60))
                    .level(i % 2 == 0 ? Workload.Level.SI : Workload.Level.RC)
                    .table();
            if (index(table).violations().isEmpty()) {
                judged[agree(table, "seed " + (SEED + i)) ? 0 : 1]++;
            }
        }
        System.out.println("histories from seed " + SEED + ": {accepted, refuted} " + Arrays.toString(judged));
        assertThat(judged).doesNotContain(0);
    }

    /** Whether CC holds without the open reads. */
    private static boolean agree(HistoryTable table, String what) {
        KnownGraph byClocks = graph(table);
        Axiom.Conflict conflict = new CausalAxiom(index(table), Long.MAX_VALUE).infer(byClocks, () -> false);
        boolean holds = false;
        for (int words = 1; words <= 2; words++) {
            KnownGraph byBits = graph(table);
            IndexedHistory history = index(table);
            byBits.addReads(history.versions());
            Axiom.Conflict found =
                    CausalBits.infer(history.versions(), history.commitStatus(), byBits, words, () -> false);
            assertThat(found == null).as("%s: %s, %s", what, conflict, found).isEqualTo(conflict == null);
            if (found != null) {
                assertThat(reachesByReads(table, found))
                        .as("%s: %s", what, found)
                        .isTrue();
                continue;
            }
            ChainClocks clocks = ChainClocks.of(byClocks);
            ChainClocks bits = ChainClocks.of(byBits);
            holds = clocks.update(() -> false);
            assertThat(bits.update(() -> false)).as(what).isEqualTo(holds);
            for (int a = 0; holds && a < table.transactions(); a++) {
                for (int b = 0; b < table.transactions(); b++) {
                    assertThat(bits.reaches(a, b)).as(what).isEqualTo(clocks.reaches(a, b));
                }
            }
        }
        return holds;
    }

    /** Whether a conflict is true: its writer precedes the reader, wrote the key and counts. */
    private static boolean reachesByReads(HistoryTable table, Axiom.Conflict conflict) {
        KnownGraph graph = graph(table);
        graph.addReads(index(table).versions());
        ChainClocks clocks = ChainClocks.of(graph);
        return clocks.update(() -> false) && clocks.reaches(conflict.writer(), conflict.reader());
    }

    private static IndexedHistory index(HistoryTable table) {
        return IndexedHistory.of(table, IndexedHistory.Indeterminate.MAYBE);
    }

    private static KnownGraph graph(HistoryTable table) {
        return CommitOrder.index(table, IsolationLevel.CC, IndexedHistory.Indeterminate.MAYBE, () -> false)
                .graph();
    }
}
