package org.polygraph.storage.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.polygraph.storage.testkit.Definitions.Level;
import org.polygraph.storage.testkit.Interpreter.Verdict;

class InterpreterTest {
    /** Columns: history; levels that accept. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            value = {
                "init 0; w(x,1) | r(x,1)                                        # SER SSER SI SSI PC",
                "init 0; w(x,1) | r(x,0)                                        # -",
                "init 0; r(x,0) w(x,1); r(x,0) w(x,2)                           # PC",
                "init 0; r(x,0) r(y,0) w(x,1); r(x,0) r(y,0) w(y,1)             # SI SSI PC",
                "init 0; @0..1 w(x,1); @2..3 r(x,0)                             # SER SI PC",
                "init 0; @0..1 w(x,1); @1..3 r(x,0)                             # SER SSER SI SSI PC",
                "init 0; w(x,1); w(y,1); r(x,1) r(y,0); r(x,0) r(y,1)           # -",
                "init 0; !w(x,1); r(x,1)                                        # -",
                "init 0; ?w(x,1); r(x,1)                                        # SER SSER SI SSI PC",
                "init 0; ?w(x,1); r(x,0)                                        # SER SSER SI SSI PC",
                "init 0; ?w(x,1) | r(x,1) | r(x,0)                              # -",
                "init 0; ?r(y,9) w(x,1); r(x,0)                                 # SER SSER SI SSI PC",
                "init 0; ?r(y,9) w(x,1); r(x,1)                                 # -",
                "init 0; ?w(y,9); ?r(y,9) w(x,1); r(x,1)                        # SER SSER SI SSI PC",
                "init 0; ?w(x,1); ?w(x,1) w(y,1); r(x,1) r(y,0)                 # SER SSER SI SSI PC",
                "init 0; @0..1 ?w(x,1); @5..6 r(x,0); @7..8 r(x,1)              # SER SSER SI SSI PC",
                "w(x,1) r(x,1) w(x,2) r(x,2); r(x,null)                         # SER SSER SI SSI PC",
                "w(x,1) w(x,2); r(x,1)                                          # -",
                "w(x,1) r(x,2); w(x,2)                                          # -",
                "r(x,1) r(x,2); w(x,1); w(x,2)                                  # -",
            })
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
