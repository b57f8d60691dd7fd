package org.polygraph.partitioner.residual;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;

class CoreComponentsTest {
    @Test
    void keysThatShareATransactionBelongTogether() {
        // x and y share s1, z stands alone; u is not violated and joins nothing.
        HistoryTable table = HistoryDsl.parse(
                "init 0; s0: w(x,1) w(u,1); s1: r(x,1) w(y,1); s2: r(y,1); s3: w(z,1); s4: r(z,1) r(u,1)");
        IndexedHistory history = IndexedHistory.of(table, IndexedHistory.Indeterminate.MAYBE);
        int[] keys = new int[3];
        int found = 0;
        for (int key = 0; key < table.keys().size(); key++) {
            if (!table.keys().label(key).contains("u")) {
                keys[found++] = key;
            }
        }
        CoreComponents components = CoreComponents.of(ResidualCore.of(keys, 3), history);
        assertThat(components.count()).isEqualTo(2);
        assertThat(components.largest()).isEqualTo(3);
        assertThat(CoreComponents.of(ResidualCore.of(new int[0], 0), history).count())
                .isZero();
    }
}
