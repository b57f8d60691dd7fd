package org.polygraph.storage.table;

import static org.assertj.core.api.Assertions.assertThat;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;

class ListReductionTest {
    /** Lists in two orders that are read many times: each append follows the one before it in the longest list. */
    @Test
    @Timeout(20)
    void aContradictionTakesOnePass() throws HistoryException {
        int n = 20_000;
        HistoryTableBuilder builder = new HistoryTableBuilder();
        int key = builder.keys().id(1);
        LongArrayList up = new LongArrayList();
        LongArrayList down = new LongArrayList();
        for (int i = 0; i < n; i++) {
            builder.begin(0, i, TransactionStatus.COMMITTED, i + 1);
            builder.append(key, builder.values().code(i));
            builder.end();
            up.add(builder.values().code(i));
            down.add(builder.values().code(n - 1 - i));
        }
        int reads = 50;
        for (int i = 0; i < reads; i++) {
            builder.begin(1, i, TransactionStatus.COMMITTED, n + i + 1);
            builder.readList(key, i % 2 == 0 ? up : down);
            builder.end();
        }
        HistoryTable table = ListReduction.of(builder.build());
        assertThat(table.values().hasLists()).isTrue();
        assertThat(table.operations()).isEqualTo(2 * n + reads);
    }
}
