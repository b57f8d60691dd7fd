package org.polygraph.partitioner.linear;

import static org.assertj.core.api.Assertions.assertThat;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;

/** Writes of unknown outcome of values that repeat. */
class PendingWritesTest {
    private final HistoryTableBuilder builder = new HistoryTableBuilder();
    private int sessions;

    private void operation(boolean isWrite, long value, long start, long end) {
        boolean maybe = end == HistoryTable.NO_TIME;
        builder.begin(sessions++, 0, maybe ? TransactionStatus.INDETERMINATE : TransactionStatus.COMMITTED, sessions);
        builder.times(start, end);
        if (isWrite) {
            builder.write(builder.keys().id(1), builder.values().code(value));
        } else {
            builder.read(builder.keys().id(1), builder.values().code(value));
        }
        builder.end();
    }

    private LinearOperations operations() throws HistoryException {
        builder.file("register");
        return LinearOperations.of(new RecordedOperations(builder.build(), 0, true), null);
    }

    /**
     * Accepts the order that a history has, in which a write of unknown outcome counts if the next operation reads its
     * value. It searches for no other order.
     */
    private static final class AsGiven implements StrictJudge {
        private int attempts;

        @Override
        public int @Nullable [] near(StrictHistory history, IntSet refuting) {
            attempts++;
            HistoryTable table = history.table();
            int[] order =
                    LinearOperations.sorted(LinearOperations.numbers(table.transactions()), t -> history.ranks()[t]);
            IntArrayList counted = new IntArrayList();
            long current = table.initialValue(0);
            int pending = -1;
            for (int t : order) {
                int o = table.firstOperation(t);
                if (table.status(t) == TransactionStatus.INDETERMINATE) {
                    pending = t;
                    continue;
                }
                if (!table.isWrite(o) && table.value(o) != current && pending >= 0) {
                    counted.add(pending);
                    current = table.value(table.firstOperation(pending));
                }
                pending = -1;
                if (!table.isWrite(o) && table.value(o) != current) {
                    refuting.add(t);
                    return null;
                }
                counted.add(t);
                current = table.value(o);
            }
            return counted.toIntArray();
        }

        @Override
        public int @Nullable [] order(StrictHistory history, IntSet refuting) {
            throw new AssertionError("the guessed order is none");
        }

        @Override
        public boolean violates(HistoryTable history) {
            return false;
        }
    }

    /**
     * A write of unknown outcome whose value is read long after it started. At first all of them are taken to take
     * effect soon or never. Without the rule that lets this one take effect until the read has ended the key is left to
     * a search.
     */
    @Test
    void oneThatIsReadLateTakesEffectLate() throws HistoryException {
        operation(true, 3, 0, HistoryTable.NO_TIME);
        for (int i = 0; i < 40; i++) {
            operation(true, 1 + i % 2, 100 * i + 1, 100 * i + 10);
            operation(false, 1 + i % 2, 100 * i + 20, 100 * i + 30);
        }
        operation(false, 3, 5_000, 5_010);
        AsGiven judge = new AsGiven();
        KeyOrders orders = KeyOrders.of(operations(), judge, () -> false);
        assertThat(orders.isOrdered(0)).isTrue();
        assertThat(orders.count(0)).isEqualTo(82);
        assertThat(judge.attempts).isEqualTo(2);
    }

    /** No operation reads what most of them write, so they are left out of the first order. */
    @Test
    void thoseThatNothingReadsDoNotCount() throws HistoryException {
        for (int i = 0; i < 100; i++) {
            operation(true, 1 + i % 3, i, HistoryTable.NO_TIME);
        }
        operation(true, 7, 200, 210);
        operation(false, 2, 220, 230);
        AsGiven judge = new AsGiven();
        KeyOrders orders = KeyOrders.of(operations(), judge, () -> false);
        assertThat(orders.isOrdered(0)).isTrue();
        assertThat(orders.count(0)).isEqualTo(3);
    }

    /** Equal ones are interchangeable: those that started first take effect first, as in a session. */
    @Test
    void equalOnesAreOneSession() throws HistoryException {
        for (int i = 0; i < 100; i++) {
            operation(true, 1 + i % 3, i, HistoryTable.NO_TIME);
        }
        assertThat(StrictHistory.of(operations()).table().sessions()).isEqualTo(3);
    }
}
