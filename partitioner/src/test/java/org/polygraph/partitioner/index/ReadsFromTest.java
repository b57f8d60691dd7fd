package org.polygraph.partitioner.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;

/** The source of each read, where the values of a key were written several times. */
class ReadsFromTest {
    private static final int TRANSACTIONS = 1_000_000;
    private static final int VALUES = 400_000;
    /** The smaller values have three writers, the others two. */
    private static final int THRICE = TRANSACTIONS - 2 * VALUES;

    /** Every second transaction reads the value that it writes itself. A scan of all writers takes minutes. */
    @Test
    @Timeout(60)
    void aHotKeyWithRepeatedValuesTakesLinearTime() throws HistoryException {
        HistoryTableBuilder builder = new HistoryTableBuilder();
        builder.file("hot key");
        int key = builder.keys().id(0);
        int[] expected = new int[2 * TRANSACTIONS];
        for (int t = 0; t < TRANSACTIONS; t++) {
            int own = t % VALUES;
            boolean readsOwn = t % 2 == 0;
            builder.begin(0, t, TransactionStatus.COMMITTED, t);
            builder.read(key, builder.values().code(readsOwn ? own : (own + 1) % VALUES));
            builder.write(key, builder.values().code(own));
            builder.end();
            int other = t < VALUES ? t + VALUES : t - VALUES;
            expected[2 * t] = readsOwn && own >= THRICE ? other : ReadsFrom.OPEN;
            expected[2 * t + 1] = ReadsFrom.NONE;
        }
        HistoryTable table = builder.build();
        AtomicInteger asked = new AtomicInteger();
        ReadsFrom reads = ReadsFrom.of(table, IndexedHistory.Indeterminate.ABORT, IsolationLevel.RC, () -> {
            asked.incrementAndGet();
            return false;
        });
        // Every transaction reads what others wrote, so none can be the first to commit. They have one session.
        assertThat(reads.violations()).extracting(Violation::anomaly).containsExactly(Anomaly.FUTURE_READ);
        assertThat(reads.sources()).isEqualTo(expected);
        // Every 16,384 transactions, then every 16,384 reads.
        assertThat(asked.get()).isGreaterThan(TRANSACTIONS >> 13);
    }
}
