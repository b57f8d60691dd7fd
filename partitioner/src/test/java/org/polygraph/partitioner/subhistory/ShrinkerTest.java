package org.polygraph.partitioner.subhistory;

import static org.assertj.core.api.Assertions.assertThat;

import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.Workloads;

class ShrinkerTest {
    /**
     * A judge for which a set violates if it has at least the given number of operations. Each trial takes the same
     * share of the budget.
     */
    private static final class Counting implements SubHistoryJudge {
        private final int least;
        private final double share;
        private int trials;

        Counting(int least, double share) {
            this.least = least;
            this.share = share;
        }

        @Override
        public boolean violates(HistoryTable part) {
            trials++;
            return part.operations() >= least;
        }

        @Override
        public double spent() {
            return Math.min(1, trials * share);
        }
    }

    private static final HistoryTable TABLE = Workloads.of(
                    3, "timed false sessions 10 transactions 300 operations 4 keys 100 reads 0")
            .table();

    private static int left(Counting judge, boolean minimal) {
        ReadSources sources = new ReadSources(TABLE, IndexedHistory.Indeterminate.MAYBE, true);
        IntOpenHashSet all = new IntOpenHashSet();
        for (int o = 0; o < TABLE.operations(); o++) {
            all.add(o);
        }
        Shrinker shrinker = new Shrinker(sources, sources.closed(all), judge, () -> judge.spent() >= 1);
        assertThat(shrinker.run()).isEqualTo(minimal);
        return shrinker.result().length;
    }

    @Test
    void givesUpWhereTimeForEveryUnitIsOutOfSight() {
        Counting judge = new Counting(TABLE.operations(), 0.005);
        assertThat(left(judge, false)).isEqualTo(TABLE.operations());
        assertThat(judge.trials).isLessThan(20);
    }

    @Test
    void goesOnWhereTrialsAreCheap() {
        Counting judge = new Counting(TABLE.operations(), 0.0005);
        assertThat(left(judge, true)).isEqualTo(TABLE.operations());
        assertThat(judge.trials).isGreaterThan(TABLE.operations());
    }

    /** Compared with the writes of a long transaction all others are few, and the remaining ones are soon examined. */
    @Test
    void goesOnWhereTheRestOfAPartIsSmall() {
        StringBuilder text = new StringBuilder("init 0; s0: w(wanted,1)");
        for (int i = 0; i < 150; i++) {
            text.append(" w(k").append(i).append(",1)");
        }
        for (int i = 1; i < 300; i++) {
            text.append("; s")
                    .append(i)
                    .append(": w(a")
                    .append(i)
                    .append(",1) w(b")
                    .append(i)
                    .append(",1)");
        }
        HistoryTable table = HistoryDsl.parse(text.toString());
        double[] spent = {0};
        SubHistoryJudge judge = new SubHistoryJudge() {
            @Override
            public boolean violates(HistoryTable part) {
                spent[0] += Math.pow(part.operations(), 3) * 1e-9;
                return HistoryDsl.print(part).contains("w(wanted,1)");
            }

            @Override
            public double spent() {
                return spent[0];
            }
        };
        ReadSources sources = new ReadSources(table, IndexedHistory.Indeterminate.MAYBE, true);
        int[] all = IntStream.range(0, table.operations()).toArray();
        Shrinker shrinker = new Shrinker(sources, all, judge, () -> judge.spent() >= 1);
        assertThat(shrinker.run()).isTrue();
        assertThat(shrinker.result()).hasSize(1);
    }

    /** Example: what a write of all rows with a column in a range states of the conditions of others. */
    @Test
    void removesManyWritesOfFewTransactionsInHalves() {
        StringBuilder text = new StringBuilder("init 0; s0: w(one,1); s1: w(two,1)");
        for (int i = 0; i < 1_000; i++) {
            text.append(" w(k").append(i).append(",1)");
        }
        HistoryTable table = HistoryDsl.parse(text.toString());
        int[] trials = {0};
        SubHistoryJudge judge = part -> {
            trials[0]++;
            String left = HistoryDsl.print(part);
            return left.contains("w(one,1)") && left.contains("w(two,1)");
        };
        ReadSources sources = new ReadSources(table, IndexedHistory.Indeterminate.MAYBE, true);
        int[] all = IntStream.range(0, table.operations()).toArray();
        Shrinker shrinker = new Shrinker(sources, all, judge, () -> false);
        assertThat(shrinker.run()).isTrue();
        assertThat(shrinker.result()).hasSize(2);
        assertThat(trials[0]).isLessThan(50);
    }

    @Test
    void goesOnWhereChunksBringMuch() {
        Counting judge = new Counting(3, 0.005);
        assertThat(left(judge, true)).isEqualTo(3);
    }
}
