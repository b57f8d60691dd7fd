package org.polygraph.partitioner.subhistory;

import static org.assertj.core.api.Assertions.assertThat;

import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import org.junit.jupiter.api.Test;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.testkit.HistoryGenerator;

class ShrinkerTest {
    /** Violates while it has so many operations; each trial takes the same share of the time. */
    private static final class Counting implements PartJudge {
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

    private static final HistoryTable TABLE = HistoryGenerator.withSeed(3)
            .sessions(10)
            .transactions(300)
            .operations(4)
            .keys(100)
            .readShare(0)
            .isolation(HistoryGenerator.Isolation.SERIAL)
            .generate();

    private static int left(Counting judge, boolean minimal) {
        ReadSources sources = new ReadSources(TABLE, IndexedHistory.Indeterminate.MAYBE);
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

    @Test
    void goesOnWhereChunksBringMuch() {
        Counting judge = new Counting(3, 0.005);
        assertThat(left(judge, true)).isEqualTo(3);
    }
}
