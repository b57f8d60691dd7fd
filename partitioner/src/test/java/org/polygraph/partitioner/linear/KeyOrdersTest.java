package org.polygraph.partitioner.linear;

import static org.assertj.core.api.Assertions.assertThat;

import it.unimi.dsi.fastutil.ints.IntSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Keys with unique values have an order iff some order of their operations is one of a register and keeps real time.
 * Operations of unknown outcome, refused compare-and-sets and repeated values need a solver; spark-jobs tests them.
 */
class KeyOrdersTest {
    /** Unique values are decided without it. */
    private static final StrictJudge NONE = new StrictJudge() {
        @Override
        public int @Nullable [] near(StrictHistory history, IntSet refuting) {
            throw new AssertionError("asked");
        }

        @Override
        public int @Nullable [] order(StrictHistory history, IntSet refuting) {
            throw new AssertionError("asked");
        }

        @Override
        public boolean violates(HistoryTable history) {
            throw new AssertionError("asked");
        }
    };

    @Test
    void agreeWithAllOrders() throws HistoryException {
        int histories = SuiteScale.of(20_000);
        int holding = 0;
        for (int i = 0; i < histories; i++) {
            HistoryTable history = history(new SplitMix(SplitMix.seedOf(0x11e, i)));
            String what = "#" + i + " " + HistoryDsl.print(history);
            boolean holds = hasOrder(history, 0, history.initialValue());
            holding += holds ? 1 : 0;
            KeyOrders orders = KeyOrders.of(history, 0, true, NONE, () -> false);
            assertThat(orders.isComplete()).as(what).isTrue();
            assertThat(orders.isViolated(0)).as(what).isNotEqualTo(holds);
            long value = history.initialValue();
            for (int at = 0; holds && at < orders.count(0); at++) {
                int t = orders.transaction(orders.first(0) + at);
                for (int other = at + 1; other < orders.count(0); other++) {
                    int later = orders.transaction(orders.first(0) + other);
                    assertThat(history.ends()[later]).as(what).isGreaterThanOrEqualTo(history.starts()[t]);
                }
                assertThat(mayFollow(history, t, value)).as(what).isTrue();
                value = history.value(history.operationsEnd(t) - 1);
            }
        }
        assertThat(holding).isBetween(histories / 5, histories - histories / 5);
    }

    /** Operations on one register: reads, writes of unique values, and compare-and-sets that were applied. */
    private static HistoryTable history(SplitMix random) throws HistoryException {
        HistoryTableBuilder builder = new HistoryTableBuilder();
        builder.file("tiny");
        builder.initialValue(builder.values().code(0));
        int n = random.between(1, 6);
        int span = random.between(3, 14);
        int written = 0;
        for (int i = 0; i < n; i++) {
            int start = random.nextInt(span);
            builder.begin(i, 0, TransactionStatus.COMMITTED, i + 1);
            builder.times(start, start + random.nextInt(span / 2 + 1));
            int key = builder.keys().id(0);
            int kind = random.nextInt(3);
            if (kind != 0) {
                builder.read(key, builder.values().code(random.nextInt(written + 2)));
            }
            if (kind != 1) {
                builder.write(key, builder.values().code(++written));
            }
            builder.end();
        }
        return builder.build();
    }

    private static boolean mayFollow(HistoryTable history, int t, long value) {
        int first = history.firstOperation(t);
        return history.isWrite(first) || history.value(first) == value;
    }

    /** Tries every order that goes on after the transactions of a set. */
    private static boolean hasOrder(HistoryTable history, int done, long value) {
        boolean found = done == (1 << history.transactions()) - 1;
        for (int t = 0; t < history.transactions() && !found; t++) {
            boolean isNext = (done >> t & 1) == 0 && mayFollow(history, t, value);
            for (int u = 0; u < history.transactions(); u++) {
                isNext &= (done >> u & 1) != 0 || history.ends()[u] >= history.starts()[t];
            }
            found = isNext && hasOrder(history, done | 1 << t, history.value(history.operationsEnd(t) - 1));
        }
        return found;
    }
}
