package org.polygraph.partitioner.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.polygraph.storage.model.StoppedException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryGenerator;

/** The index asks whether to stop in its pass over transactions and in its pass over keys. */
class StoppedIndexTest {
    @Test
    void everyAskStops() {
        HistoryTable table = HistoryGenerator.withSeed(7)
                .sessions(10)
                .transactions(40_000)
                .operations(4)
                .keys(5_000)
                .isolation(HistoryGenerator.Isolation.SERIAL)
                .generate();
        AtomicInteger asked = new AtomicInteger();
        IndexedHistory.of(table, IndexedHistory.Indeterminate.MAYBE, () -> {
            asked.incrementAndGet();
            return false;
        });
        // 40,000 transactions in steps of 16,384, and 5,000 keys in steps of 1,024.
        assertThat(asked.get()).isGreaterThanOrEqualTo(3 + 5);
        for (int last = 1; last <= asked.get(); last++) {
            AtomicInteger left = new AtomicInteger(last);
            assertThatThrownBy(() -> IndexedHistory.of(
                            table, IndexedHistory.Indeterminate.MAYBE, () -> left.decrementAndGet() == 0))
                    .isInstanceOf(StoppedException.class);
        }
    }
}
