package org.polygraph.partitioner.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.polygraph.partitioner.axiom.CommitOrder;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.model.StoppedException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Workloads;

/** The indexes ask whether to stop in their pass over transactions and in their pass over keys. */
class StoppedIndexTest {
    /** 40,000 transactions in steps of 16,384, and 5,000 keys in steps of 1,024. */
    private static final int LEAST = 3 + 5;

    private final HistoryTable table = Workloads.of(
                    7, "timed false sessions 10 transactions 40000 operations 4 keys 5000")
            .table();

    @Test
    void everyAskStops() {
        everyAskStops(LEAST, stop -> IndexedHistory.of(table, IndexedHistory.Indeterminate.MAYBE, stop));
    }

    @Test
    void everyAskStopsTheSourcesOfReads() {
        everyAskStops(LEAST, stop -> ReadsFrom.of(table, IndexedHistory.Indeterminate.MAYBE, IsolationLevel.RC, stop));
    }

    @Test
    void everyAskStopsTheIndexesOfACommitOrder() {
        everyAskStops(
                2 * LEAST, stop -> CommitOrder.index(table, IsolationLevel.CC, IndexedHistory.Indeterminate.MAYBE, stop)
                        .order(Long.MAX_VALUE, () -> false));
    }

    private static void everyAskStops(int least, Consumer<BooleanSupplier> index) {
        AtomicInteger asked = new AtomicInteger();
        index.accept(() -> {
            asked.incrementAndGet();
            return false;
        });
        assertThat(asked.get()).isGreaterThanOrEqualTo(least);
        for (int last = 1; last <= asked.get(); last++) {
            AtomicInteger left = new AtomicInteger(last);
            assertThatThrownBy(() -> index.accept(() -> left.decrementAndGet() == 0))
                    .isInstanceOf(StoppedException.class);
        }
    }
}
