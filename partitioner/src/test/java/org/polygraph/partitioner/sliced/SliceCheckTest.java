package org.polygraph.partitioner.sliced;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.IntBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.partitioner.order.KeyCheck;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryGenerator;
import org.polygraph.storage.testkit.TinyHistories;

/**
 * The slices of a key together have the violations of the key, for every order, with one event a transaction and with
 * two.
 */
class SliceCheckTest {
    private static final long SEED = 0xc4ec;

    @Test
    void tinyHistories() {
        TinyHistories stream = new TinyHistories(SEED);
        Random random = new Random(SEED);
        long violated = 0;
        for (int i = 0; i < 4_000; i++) {
            violated += same(stream.at(i), random, "seed " + stream.seedOf(i));
        }
        assertThat(violated).isGreaterThan(1_000);
    }

    @Test
    void largerHistories() {
        Random random = new Random(SEED);
        for (int i = 0; i < 40; i++) {
            HistoryTable table = HistoryGenerator.withSeed(SEED + i)
                    .sessions(1 + random.nextInt(8))
                    .transactions(500)
                    .operations(1, 9)
                    .keys(1 + random.nextInt(100))
                    .abortedShare(i % 3 == 0 ? 0.1 : 0)
                    .indeterminateShare(i % 4 == 0 ? 0.2 : 0)
                    .repeatedValues(i % 2, 1 + random.nextInt(20), i % 5 == 0 ? 0.5 : 0)
                    .isolation(HistoryGenerator.Isolation.SERIAL)
                    .generate();
            same(table, random, "seed " + (SEED + i));
        }
    }

    private static long same(HistoryTable table, Random random, String name) {
        IndexedHistory history = IndexedHistory.of(table, IndexedHistory.Indeterminate.MAYBE);
        if (!history.violations().isEmpty()) {
            return 0;
        }
        VersionIndex all = history.versions();
        KeySlices slices = SlicedIndexingTest.slices(table, random);
        byte[] states = history.commitStatus().states();
        long sum = 0;
        for (int perTransaction = 1; perTransaction <= 2; perTransaction++) {
            int[] position = order(table.transactions(), perTransaction, random);
            KeyCheck whole = new KeyCheck(perTransaction, all, states, position);
            int[] expected = new int[all.keys()];
            for (int key = 0; key < all.keys(); key++) {
                expected[key] = whole.violations(key);
                sum += expected[key];
            }
            int[] actual = new int[all.keys()];
            for (int s = 0; s < slices.slices(); s++) {
                VersionIndex slice = IndexSlice.ofBytes(
                                IndexSlice.of(slices, s, all).toBytes())
                        .versions();
                KeyCheck check = new KeyCheck(perTransaction, slice, states, position);
                for (int local = 0; local < slice.keys(); local++) {
                    int key = slices.keyOf(s, local);
                    actual[key] += slices.isOfSplitKey(s)
                            ? check.violations(local, IntBuffer.wrap(whole.commits(key)))
                            : check.violations(local);
                }
            }
            assertThat(actual).as(name).isEqualTo(expected);
        }
        return sum;
    }

    /** An order that nearly keeps sessions, with snapshots before commits. */
    private static int[] order(int transactions, int perTransaction, Random random) {
        int[] position = new int[transactions * perTransaction];
        double window = random.nextInt(3) * 3;
        long[] keys = new long[position.length];
        for (int e = 0; e < keys.length; e++) {
            keys[e] = (long) ((e + random.nextDouble() * window) * 1_000_000) << 20 | e;
        }
        java.util.Arrays.sort(keys);
        for (int i = 0; i < keys.length; i++) {
            position[(int) keys[i] & 0xfffff] = i;
        }
        return position;
    }
}
