package org.polygraph.jobs.certificate.judge;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;

class OpenReadersTest {
    /** The third transaction reads what nothing wrote, and the fourth one what the third one wrote. */
    @Test
    void readersOfNoWriterAndTheirReadersMayBeLeftOut() {
        HistoryTable history = HistoryDsl.parse("init 0; s0: w(x,1); s1: r(x,1); s2: r(z,9) w(y,1); s3: r(y,1)");
        assertThat(OpenReaders.firstExplained(history, new boolean[] {true, true, false, false}))
                .isNegative();
        assertThat(OpenReaders.firstExplained(history, new boolean[] {true, false, false, false}))
                .isEqualTo(1);
        assertThat(OpenReaders.firstExplained(history, new boolean[4])).isZero();
    }

    /** Two transactions that read from one another have writers. */
    @Test
    void aCycleMayNotBeLeftOut() {
        HistoryTable history = HistoryDsl.parse("init 0; s0: r(y,1) w(x,1); s1: r(x,1) w(y,1)");
        assertThat(OpenReaders.firstExplained(history, new boolean[2])).isZero();
    }

    /** The second transaction may read from the first one or from the third one, which is open. */
    @Test
    void aReaderOfARepeatedValueMayBeLeftOut() {
        HistoryTable history = HistoryDsl.parse("init 0; s0: w(x,1); s1: r(x,1); s2: r(z,9) w(x,1)");
        assertThat(OpenReaders.firstExplained(history, new boolean[] {true, false, false}))
                .isNegative();
        assertThat(OpenReaders.firstExplained(history, new boolean[] {false, true, false}))
                .isZero();
    }
}
