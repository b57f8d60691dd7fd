package org.polygraph.storage.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

class HistoryDslTest {
    @Test
    void parsesAHistory() {
        HistoryTable history =
                HistoryDsl.parse("init 0; s0: w(x,1) r(y,0) | r(x,1); s1: !w(x,2); s2: @5..9 ?w(y,null)");
        assertThat(history.sessions()).isEqualTo(3);
        assertThat(history.sessionStarts()).containsExactly(0, 2, 3, 4);
        assertThat(history.statuses())
                .containsExactly(
                        TransactionStatus.COMMITTED.code(),
                        TransactionStatus.COMMITTED.code(),
                        TransactionStatus.ABORTED.code(),
                        TransactionStatus.INDETERMINATE.code());
        assertThat(history.operationStarts()).containsExactly(0, 2, 3, 4, 5);
        assertThat(history.operationKeys()).containsExactly(1, 2, 0, 1, 3);
        assertThat(history.operationValues()).containsExactly(1, 0, 1, 2, ValueDictionary.NULL);
        assertThat(history.initialValue()).isZero();
        assertThat(history.keys().string(1)).isEqualTo("y");
        assertThat(history.starts()).endsWith(HistoryTable.NO_TIME, 5);
        assertThat(history.ends()).endsWith(HistoryTable.NO_TIME, 9);
        assertThat(history.whereIs(2)).isEqualTo("dsl:4");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "init 0",
                "init null; s0: ()",
                "init 0; s0: w(x,1) r(y,0) | r(x,1); s1: !w(x,2); s2: ?w(y,3)",
                "init a; s3: r(1,-7) | () | ?w(\"1\",\"null\"); s-9: @1..22 !r(\"a b\",\"c\\\"\\\\\")",
                "init 0; s0: r(\"\\\\n\\n\\\\\",1) w(\"\",2)",
                "init 9223372036854775807; s0: @-5..7 w(k_1,9223372036854775806)",
            })
    void printsWhatItParses(String text) {
        HistoryTable history = HistoryDsl.parse(text);
        String printed = HistoryDsl.print(history);
        assertThat(HistoryDsl.print(HistoryDsl.parse(printed))).isEqualTo(printed);
        assertThat(printed.length()).isEqualTo(text.length());
    }

    @Test
    void numbersSessionsByPlace() {
        assertThat(HistoryDsl.print(HistoryDsl.parse(" r( x , null ) ;\tw(1,2)")))
                .isEqualTo("init null; s0: r(x,null); s1: w(1,2)");
    }
}
