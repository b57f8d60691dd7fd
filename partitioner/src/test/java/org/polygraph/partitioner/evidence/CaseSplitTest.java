package org.polygraph.partitioner.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.testkit.SplitMix;

/** The work and the memory of a split into cases do not grow with the number of choices, and it ends when it should. */
class CaseSplitTest {
    private static final int TRANSACTIONS = 500;
    private static final int OPERATIONS = 8;
    private static final int KEYS_OF_OPERATION = 12;
    /** The indexes and graphs of the rules for some fifty cases take a tenth of it. */
    private static final long MOST_ALLOCATED = 400L << 20;
    /** After a poll that stops it, code that was called polls too on its way out. */
    private static final long MOST_FURTHER_POLLS = 20;

    /** A history without times that the rules do not refute: with few values, a read has many possible writers. */
    private static HistoryTable large(int values) throws HistoryException {
        SplitMix random = new SplitMix(0xca5e);
        HistoryTableBuilder builder = new HistoryTableBuilder();
        long[] last = new long[OPERATIONS * KEYS_OF_OPERATION];
        int[] indexes = new int[10];
        for (int t = 0; t < TRANSACTIONS; t++) {
            int session = random.nextInt(indexes.length);
            builder.begin(session, indexes[session]++, TransactionStatus.COMMITTED, t);
            for (int o = 0; o < OPERATIONS; o++) {
                int key = KEYS_OF_OPERATION * o + random.nextInt(KEYS_OF_OPERATION);
                if (last[key] == 0 || random.nextInt(2) == 0) {
                    last[key] = 1 + random.nextInt(values);
                    builder.write(builder.keys().id(key), builder.values().code(last[key]));
                } else {
                    builder.read(builder.keys().id(key), builder.values().code(last[key]));
                }
            }
            builder.end();
        }
        return builder.build();
    }

    private static Violation explained(HistoryTable table, BooleanSupplier stop) {
        return Explanation.of(table, IsolationLevel.SER, IndexedHistory.Indeterminate.MAYBE, 0, stop);
    }

    private static void assertNoCases(Violation violation) {
        assertThat(violation.anomaly()).isEqualTo(Anomaly.NO_VALID_ORDER);
        assertThat(violation.cases()).isEmpty();
    }

    @Test
    void choicesThatAreNotTriedAreNotMade() throws HistoryException {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (int values : new int[] {2, 100}) {
            HistoryTable table = large(values);
            long before = threads.getCurrentThreadAllocatedBytes();
            assertNoCases(explained(table, () -> false));
            assertThat(threads.getCurrentThreadAllocatedBytes() - before)
                    .as("bytes allocated with %d values", values)
                    .isLessThan(MOST_ALLOCATED);
        }
    }

    @Test
    void aStopAtAnyPollEndsIt() throws HistoryException {
        HistoryTable table = large(2);
        AtomicLong polls = new AtomicLong();
        explained(table, () -> {
            polls.incrementAndGet();
            return false;
        });
        long all = polls.get();
        assertThat(all).isPositive();
        for (long end : new long[] {1, 2, 5, 50, all / 3}) {
            polls.set(0);
            assertNoCases(explained(table, () -> polls.incrementAndGet() >= end));
            assertThat(polls.get())
                    .as("stopped at poll %d of %d", end, all)
                    .isLessThanOrEqualTo(end + MOST_FURTHER_POLLS);
        }
    }
}
