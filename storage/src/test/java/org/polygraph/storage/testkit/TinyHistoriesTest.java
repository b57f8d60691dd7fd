package org.polygraph.storage.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.BruteForceChecker.Level;

class TinyHistoriesTest {
    private static final long SEED = 20_261_120;
    private static final int COUNT = 20_000;

    @Test
    void verdictsAreMixed() {
        TinyHistories histories = new TinyHistories(SEED);
        int serializable = 0;
        int onlySnapshot = 0;
        int neither = 0;
        int invalid = 0;
        int aborted = 0;
        int indeterminate = 0;
        int timed = 0;
        for (long i = 0; i < COUNT; i++) {
            HistoryTable history = histories.at(i);
            switch (BruteForceChecker.judge(history, Level.SER)) {
                case ACCEPTED -> serializable++;
                case INVALID -> invalid++;
                case REJECTED -> {
                    if (BruteForceChecker.accepts(history, Level.SI)) {
                        onlySnapshot++;
                    } else {
                        neither++;
                    }
                }
            }
            aborted += has(history, TransactionStatus.ABORTED);
            indeterminate += has(history, TransactionStatus.INDETERMINATE);
            timed += history.starts() == null ? 0 : 1;
        }
        String mix = "seed " + SEED + ": SER " + serializable + ", only SI " + onlySnapshot + ", neither " + neither
                + ", invalid " + invalid + ", with aborted " + aborted + ", with indeterminate " + indeterminate
                + ", timed " + timed + " of " + COUNT;
        int share = COUNT * 15 / 100;
        assertThat(serializable).as(mix).isGreaterThan(share);
        assertThat(onlySnapshot).as(mix).isGreaterThan(share);
        assertThat(neither).as(mix).isGreaterThan(share);
        assertThat(invalid).as(mix).isLessThan(COUNT / 100);
        assertThat(aborted).as(mix).isGreaterThan(share);
        assertThat(indeterminate).as(mix).isGreaterThan(share);
        assertThat(timed).as(mix).isBetween(2 * share, 4 * share);
    }

    private static int has(HistoryTable history, TransactionStatus outcome) {
        for (byte code : history.statuses()) {
            if (code == outcome.code()) {
                return 1;
            }
        }
        return 0;
    }

    @Test
    void levelsImplyEachOther() {
        TinyHistories histories = new TinyHistories(SEED + 1);
        for (long i = 0; i < 5_000; i++) {
            HistoryTable history = histories.at(i);
            String name = "seed " + (SEED + 1) + " #" + i + ": " + HistoryDsl.print(history);
            boolean ser = BruteForceChecker.accepts(history, Level.SER);
            boolean si = BruteForceChecker.accepts(history, Level.SI);
            boolean sser = BruteForceChecker.accepts(history, Level.SSER);
            boolean ssi = BruteForceChecker.accepts(history, Level.SSI);
            assertThat(!sser || (ser && ssi)).as(name).isTrue();
            assertThat(!(ser || ssi) || si).as(name).isTrue();
        }
    }

    @Test
    void aHistoryIsItsSeed() {
        TinyHistories histories = new TinyHistories(SEED);
        for (long i = 0; i < 1_000; i++) {
            String line = HistoryDsl.print(histories.at(i));
            assertThat(HistoryDsl.print(TinyHistories.of(histories.seedOf(i)))).isEqualTo(line);
            HistoryTable reread = HistoryDsl.parse(line);
            assertThat(HistoryDsl.print(reread)).isEqualTo(line);
            assertThat(BruteForceChecker.judge(reread, Level.SSI))
                    .isEqualTo(BruteForceChecker.judge(histories.at(i), Level.SSI));
        }
        assertThat(HistoryDsl.print(new TinyHistories(SEED + 1).at(0))).isNotEqualTo(HistoryDsl.print(histories.at(0)));
    }
}
