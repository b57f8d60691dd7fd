package org.polygraph.storage.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.RecordedCounts;
import org.polygraph.storage.testkit.HistoryDsl;

class HistoryLintTest {
    private final HistoryTableBuilder builder = new HistoryTableBuilder();

    private HistoryLintTest op(boolean write, long key, long value) {
        if (write) {
            builder.write(builder.keys().id(key), value);
        } else {
            builder.read(builder.keys().id(key), value);
        }
        return this;
    }

    private HistoryLintTest txn(long session, long index, TransactionStatus outcome, long line) {
        builder.begin(session, index, outcome, line);
        return this;
    }

    @Test
    void everyOddityIsNamedWithItsPlace() throws Exception {
        builder.file("h.jsonl");
        txn(1, 0, TransactionStatus.COMMITTED, 2).op(true, 1, 5).op(false, 2, 0);
        builder.times(100, 90);
        builder.end();
        txn(1, 2, TransactionStatus.COMMITTED, 3).op(true, 1, 5).op(false, 2, ValueDictionary.NULL);
        builder.times(80, 120);
        builder.end();
        txn(2, 0, TransactionStatus.INDETERMINATE, 4);
        builder.times(7, HistoryTable.NO_TIME);
        builder.end();
        txn(2, 1, TransactionStatus.ABORTED, 5).op(true, 1, 5).op(true, 1, 6).op(false, 1, 6);
        builder.end();
        List<HistoryLint.Finding> findings = HistoryLint.check(builder.build());
        assertThat(findings.stream().map(f -> f.where() + " " + f.check() + " x" + f.total() + ": " + f.message()))
                .containsExactly(
                        "h.jsonl:2 END_BEFORE_START x1: session 1 index 0 ends at 90, before its start at 100",
                        "h.jsonl:3 OVERLAP_IN_SESSION x1: session 1 index 2 starts at 80, before the session's last end at"
                                + " 90: a session runs one transaction at a time",
                        "h.jsonl:4 MISSING_TIME x2: session 2 index 0 has no end: it bounds nothing in real time",
                        "h.jsonl:5 MISSING_TIME x2: session 2 index 1 has no times: it bounds nothing in real time",
                        "h.jsonl:3 INDEX_GAP x1: session 1 index 2 follows index 0: transactions may be missing, and their"
                                + " writes with them",
                        "h.jsonl:4 EMPTY_TRANSACTION x1: session 2 index 0 has no operations: only its times can matter",
                        "h.jsonl:2 REPEATED_VALUE x2: key 1 gets the value 5, which another write gives it too: a read of"
                                + " it does not name its writer, and fewer anomalies can be proved",
                        "h.jsonl:3 REPEATED_VALUE x2: key 1 gets the value 5, which another write gives it too: a read of"
                                + " it does not name its writer, and fewer anomalies can be proved",
                        "h.jsonl:2 KEY_ONLY_READ x1: key 2 is read and never written: only its initial value can be right",
                        "h.jsonl:3 NULL_READ x1: key 2 is read as null, which is taken for the initial value; state this in the"
                                + " header: \"initial\":{\"value\":null}",
                        "h.jsonl:2 UNWRITTEN_READ x1: session 1 index 0 reads value 0 of key 2, which no transaction here"
                                + " wrote and committed: if this history was cut out of a longer one, give check --after or"
                                + " --initial-state FILE");
    }

    @Test
    void aCleanHistoryHasNoFindings() throws Exception {
        builder.file("h.jsonl");
        txn(1, 0, TransactionStatus.COMMITTED, 1).op(true, 1, 5).op(false, 1, 5);
        builder.end();
        txn(1, 1, TransactionStatus.COMMITTED, 2).op(true, 1, 6);
        builder.end();
        assertThat(HistoryLint.check(builder.build())).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '/',
            value = {
                "init 0; s0: w(x,0); s1: r(x,0)                 / s0#0) loads the initial rows / after it, unless",
                "init 0; s0: w(x,0) w(y,0) | w(z,0); s1: r(x,0) / 1 other load the initial rows / after them, unless"
            })
    void transactionsThatLoadTheInitialRowsAreNamed(String history, String loaders, String order) {
        assertThat(HistoryLint.check(HistoryDsl.parse(history)))
                .anySatisfy(finding -> assertThat(finding.message()).contains(loaders, order));
    }

    @Test
    void onlyAFewOfAKindAreKeptAndAllCounted() throws Exception {
        builder.file("h.jsonl");
        for (int i = 0; i < 100; i++) {
            txn(1, i, TransactionStatus.COMMITTED, i + 1);
            builder.end();
        }
        List<HistoryLint.Finding> findings = HistoryLint.check(builder.build());
        assertThat(findings).hasSize(HistoryLint.KEPT).allMatch(f -> f.total() == 100);
    }

    @Test
    void statsCountWhatIsThere() throws Exception {
        builder.file("h.jsonl");
        builder.initialValue(0);
        txn(4, 0, TransactionStatus.COMMITTED, 1).op(true, 1, 5).op(false, 2, 0).op(true, 1, 6);
        builder.times(10, 30);
        builder.end();
        txn(4, 1, TransactionStatus.ABORTED, 2).op(true, 3, 5);
        builder.times(31, 90);
        builder.end();
        txn(5, 0, TransactionStatus.INDETERMINATE, 3).op(true, 1, 5).op(true, 2, 0);
        builder.times(5, HistoryTable.NO_TIME);
        builder.end();
        txn(5, 1, TransactionStatus.COMMITTED, 4);
        builder.end();
        HistoryTable table = builder.build();
        HistoryStats stats = HistoryStats.of(table);
        assertThat(stats)
                .isEqualTo(new HistoryStats(
                        2,
                        new HistoryStats.Transactions(2, 1, 1, 1),
                        new RecordedCounts(1, 5, 3, 0, 0),
                        3,
                        new HistoryStats.Writes(0, 0, 3, 2),
                        new HistoryStats.Times(2, 10, 90, 59),
                        table.arrayBytes() + table.keys().bytes()));
        assertThat(stats.transactions().all()).isEqualTo(4);
        assertThat(stats.uniqueValues()).isFalse();
        assertThat(stats.times().span()).isEqualTo(80);
    }
}
