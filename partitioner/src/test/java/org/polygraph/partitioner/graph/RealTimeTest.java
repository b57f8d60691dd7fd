package org.polygraph.partitioner.graph;

import static org.assertj.core.api.Assertions.assertThat;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;

/** The bounds by real time of a long session with many optional transactions. */
class RealTimeTest {
    private static final int TRANSACTIONS = 1_000_000;

    /**
     * The last transaction starts with the middle one, so the starts of optional transactions between them are open. A
     * scan of the session for each optional transaction takes minutes.
     */
    @Test
    @Timeout(60)
    void aSessionWithManyOptionalTransactionsTakesLinearTime() throws HistoryException {
        HistoryTableBuilder builder = new HistoryTableBuilder();
        builder.file("long session");
        byte[] states = new byte[TRANSACTIONS];
        IntArrayList open = new IntArrayList();
        IntArrayList ended = new IntArrayList();
        for (int t = 0; t < TRANSACTIONS; t++) {
            boolean isLast = t == TRANSACTIONS - 1;
            boolean isOptional = t % 2 == 1 && !isLast;
            states[t] = isOptional ? CommitStatus.OPTIONAL : CommitStatus.COUNTED;
            builder.begin(0, t, isOptional ? TransactionStatus.INDETERMINATE : TransactionStatus.COMMITTED, t);
            builder.times(10L * (isLast ? TRANSACTIONS / 2 : t), 10L * t + 5);
            builder.write(builder.keys().id(0), builder.values().code(t));
            builder.end();
            if (isOptional && t > TRANSACTIONS / 2) {
                open.add(t);
                ended.add((t + 1) / 2);
            }
        }
        HistoryTable table = builder.build();
        RealTime time = Objects.requireNonNull(RealTime.of(table, CommitStatus.of(states), 0));
        assertThat(time.openStarts()).isEqualTo(open.toIntArray());
        assertThat(time.openEnded()).isEqualTo(ended.toIntArray());
        assertThat(time.bound()).isEqualTo(TRANSACTIONS - open.size());
    }
}
