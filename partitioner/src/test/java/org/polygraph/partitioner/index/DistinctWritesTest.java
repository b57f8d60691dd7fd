package org.polygraph.partitioner.index;

import static org.assertj.core.api.Assertions.assertThat;

import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.polygraph.storage.analysis.HistoryStats;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.TinyHistories;

class DistinctWritesTest {
    /**
     * If the result is true, values are unique according to the sorted writes of each key; if they are not unique, it
     * is false.
     */
    @Test
    void isOneSided() {
        TinyHistories stream = new TinyHistories(0xd157);
        int distinct = 0;
        for (int i = 0; i < 20_000; i++) {
            HistoryTable history = stream.at(i);
            if (DistinctWrites.of(history)) {
                distinct++;
                assertThat(HistoryStats.of(history).uniqueValues())
                        .as("seed %d", stream.seedOf(i))
                        .isTrue();
            }
        }
        System.out.println("20000 histories from seed 0xd157: " + distinct + " distinct");
        assertThat(distinct).isBetween(1_000, 19_000);
    }

    /**
     * Values that ascend by one, in strides, by session, by key, and random values: one repeated write is always
     * noticed.
     */
    @Test
    void recognizesAscendingValues() throws HistoryException {
        SplitMix random = new SplitMix(0xd158);
        for (int way = 0; way < 5; way++) {
            int keys = 500;
            List<long[]> writes = new ArrayList<>();
            LongOpenHashSet drawn = new LongOpenHashSet();
            for (int i = 0; i < 40_000; i++) {
                long value =
                        switch (way) {
                            case 0 -> i + 1;
                            case 1 -> 1_000_003L * i + 1;
                            case 2 -> ((long) (i % 50) << 32) + i / 50 + 1;
                            case 3 -> i / keys + 1;
                            default -> random.nextLong() >>> 8 | 1;
                        };
                if (way == 3 || drawn.add(value)) {
                    writes.add(new long[] {i % keys, value});
                }
            }
            assertThat(DistinctWrites.of(table(writes))).as("way %d", way).isTrue();
            writes.add(writes.get(random.nextInt(writes.size())).clone());
            assertThat(DistinctWrites.of(table(writes)))
                    .as("way %d, repeated", way)
                    .isFalse();
            writes.remove(writes.size() - 1);
            writes.add(new long[] {7, 0});
            assertThat(DistinctWrites.of(table(writes)))
                    .as("way %d, initial", way)
                    .isFalse();
        }
    }

    private static HistoryTable table(List<long[]> writes) throws HistoryException {
        HistoryTableBuilder builder = new HistoryTableBuilder();
        builder.initialValue(builder.values().code(0));
        for (int i = 0; i < writes.size(); i++) {
            builder.begin(0, i, TransactionStatus.COMMITTED, i + 1);
            builder.write(builder.keys().id(writes.get(i)[0]), builder.values().code(writes.get(i)[1]));
            builder.end();
        }
        return builder.build();
    }
}
