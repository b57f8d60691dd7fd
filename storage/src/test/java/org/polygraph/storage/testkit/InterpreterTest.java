package org.polygraph.storage.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.polygraph.storage.testkit.Definitions.Level;
import org.polygraph.storage.testkit.Interpreter.Verdict;

class InterpreterTest {
    /** Columns: history; levels that accept. */
    @ParameterizedTest
    @CsvFileSource(resources = "/interpreter.txt", delimiter = '/')
    void judges(String history, String accepting) {
        List<String> accepted = new ArrayList<>();
        for (Level level : Interpreter.LEVELS) {
            if (Interpreter.accepts(HistoryDsl.parse(history), level)) {
                accepted.add(level.name());
            }
        }
        assertThat(accepted.isEmpty() ? "-" : String.join(" ", accepted)).isEqualTo(accepting);
    }

    @Test
    void nothingCommittedIsInvalid() {
        for (String history : List.of("init 0", "!w(x,1)", "?w(x,1); ?r(x,1)")) {
            assertThat(Interpreter.judge(HistoryDsl.parse(history), Level.SER))
                    .as(history)
                    .isEqualTo(Verdict.INVALID);
        }
    }
}
