package org.polygraph.storage.testkit;

import org.jspecify.annotations.Nullable;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryGenerator.Isolation;

/**
 * An endless stream of tiny histories to judge by brute force: 3 to 7 transactions in 1 to 4 sessions, 1 to 3 keys, 1
 * to 4 operations each.
 *
 * <p>Every isolation of {@link HistoryGenerator} takes part, as it is or with one read tampered with; unique and
 * repeated values, the initial value among them or not; aborted and indeterminate transactions; keys written or read
 * twice in a transaction; without times, with true times and with those of clocks that differ. The mix is tuned (and
 * tested) so that each of "SER holds", "only SI holds" and "neither holds" is at least 15 % of the stream.
 *
 * <p>Each history is made from its own seed, so that it can be made again without those before it:
 *
 * <pre>
 * TinyHistories histories = new TinyHistories(42);
 * for (long i = 0; i &lt; 10_000; i++) {
 *     HistoryTable history = histories.at(i);
 *     assertThat(verdict(history)).as("seed 42 #%d: %s", i, HistoryDsl.print(history)).isEqualTo(...);
 * }
 * </pre>
 */
public final class TinyHistories {
    private final long seed;

    public TinyHistories(long seed) {
        this.seed = seed;
    }

    /** The seed of history i. */
    public long seedOf(long i) {
        return SplitMix.seedOf(seed, i);
    }

    /** History i of the stream, i from 0; always the same. Some microseconds. */
    public HistoryTable at(long i) {
        return of(seedOf(i));
    }

    /** The history of one seed. */
    public static HistoryTable of(long seed) {
        SplitMix random = new SplitMix(seed);
        Isolation isolation = isolation(random);
        HistoryGenerator generator = HistoryGenerator.withSeed(random.nextLong())
                .isolation(isolation)
                .sessions(random.chance(0.05) ? 1 : random.between(2, 4))
                .transactions(random.between(3, 7))
                .operations(random.between(1, 2), random.between(2, 4))
                .keys(random.between(1, 3))
                .readShare(0.3 + 0.5 * random.nextDouble())
                .readModifyWriteShare(random.chance(0.5) ? 0 : 0.3)
                .abortedShare(random.chance(0.6) ? 0 : 0.15)
                .indeterminateShare(random.chance(0.65) ? 0 : 0.3);
        double tampered = 0.35;
        if (isolation == Isolation.SNAPSHOT) {
            wantWriteSkew(generator, random);
            tampered = 0.1;
        } else if (random.chance(0.15)) {
            InjectedAnomaly[] anomalies = InjectedAnomaly.values();
            generator
                    .sessions(4)
                    .transactions(random.between(1, 3))
                    .keys(1)
                    .inject(anomalies[random.nextInt(anomalies.length)], 1);
        }
        if (random.chance(0.35)) {
            generator.repeatedValues(random.nextInt(2), random.between(2, 4), random.chance(0.5) ? 1 : 0.5);
        }
        boolean timed = random.chance(0.5);
        if (random.chance(0.3)) {
            generator.clockSkew(50_000);
        }
        MutableHistory history = new MutableHistory();
        generator.generateTo(history);
        if (random.chance(tampered)) {
            history.scrambleOneRead(random);
        }
        return history.table("tiny-" + seed, timed);
    }

    /** A timed history of any generator. If {@code tamper} is given, the value of one read is replaced. */
    public static HistoryTable of(HistoryGenerator generator, @Nullable SplitMix tamper) {
        MutableHistory history = new MutableHistory();
        generator.generateTo(history);
        if (tamper != null) {
            history.scrambleOneRead(tamper);
        }
        return history.table("tiny", true);
    }

    /**
     * Makes write skew likely. Only 3 % of tiny histories have it by chance, because it needs overlapping sessions that
     * read more than they write.
     */
    private static void wantWriteSkew(HistoryGenerator generator, SplitMix random) {
        int percent = random.nextInt(100);
        if (percent < 25) {
            boolean three = random.chance(0.3);
            generator
                    .sessions(three ? random.between(3, 4) : random.between(2, 4))
                    .transactions(random.between(1, 4))
                    .operations(random.between(2, 4))
                    .keys(1)
                    .inject(three ? InjectedAnomaly.READ_ONLY_ANOMALY : InjectedAnomaly.WRITE_SKEW, 1);
        } else if (percent < 90) {
            generator
                    .sessions(random.between(3, 4))
                    .transactions(random.between(6, 7))
                    .operations(random.between(3, 4), 4)
                    .keys(random.between(2, 3))
                    .readShare(0.6 + 0.15 * random.nextDouble())
                    .readModifyWriteShare(0);
        }
    }

    private static Isolation isolation(SplitMix random) {
        int percent = random.nextInt(100);
        if (percent < 6) {
            return Isolation.SERIAL;
        }
        if (percent < 11) {
            return Isolation.OPTIMISTIC;
        }
        if (percent < 65) {
            return Isolation.SNAPSHOT;
        }
        return percent < 72 ? Isolation.READ_COMMITTED : Isolation.RANDOM;
    }
}
