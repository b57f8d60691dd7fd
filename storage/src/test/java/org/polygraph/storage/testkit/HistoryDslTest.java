package org.polygraph.storage.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
        assertThat(history.whereIs(2)).isEqualTo("dsl:41");
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

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            value = {
                "init # column 5: found the end; expected a value",
                "init 0 w(x,1) # column 8: found 'w'; expected ';' after the initial value",
                "init 0;; # column 8: found ';'; expected an operation: r(key,value) or w(key,value), or () for none",
                "w(x,1) | # column 9: found the end; expected an operation",
                "w(x,1) q # column 8: found 'q'; expected an operation, '|', ';' or the end",
                "w(x 1) # column 5: found '1'; expected ',' between key and value",
                "w(x,99999999999999999999) # column 5: found 99999999999999999999; expected an integer of 64 bits",
                "w(x,1; # column 6: found ';'; expected ')' after the value",
                "w(,1) # column 3: found ','; expected a key",
                "w(x,\"1) # column 5: found an open quote; expected a closing",
                "s: w(x,1) # column 2: found ':'; expected a session number",
                "s1: w(x,1); w(y,1) # column 13: found session s1 a second time; expected each session once",
                "@1-2 w(x,1) # column 3: found '-'; expected '..' between start and end",
            })
    void errorsNameTheColumn(String text, String message) {
        assertThatThrownBy(() -> HistoryDsl.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(message)
                .hasMessageEndingWith("in: " + text);
    }
}
