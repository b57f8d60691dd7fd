package org.polygraph.storage.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.testkit.BruteForceChecker.Level;
import org.polygraph.storage.testkit.BruteForceChecker.Verdict;

class BruteForceCheckerTest {
    /** Columns: history; levels that accept. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            value = {
                "init 0; w(x,1) | r(x,1)                                        # SER SSER SI SSI",
                "init 0; w(x,1) | r(x,0)                                        # -",
                "init 0; r(x,0) w(x,1); r(x,0) w(x,2)                           # -",
                "init 0; r(x,0) r(y,0) w(x,1); r(x,0) r(y,0) w(y,1)             # SI SSI",
                "init 0; @0..1 w(x,1); @2..3 r(x,0)                             # SER SI",
                "init 0; @0..1 w(x,1); @1..3 r(x,0)                             # SER SSER SI SSI",
                "init 0; w(x,1); w(y,1); r(x,1) r(y,0); r(x,0) r(y,1)           # -",
                "init 0; !w(x,1); r(x,1)                                        # -",
                "init 0; ?w(x,1); r(x,1)                                        # SER SSER SI SSI",
                "init 0; ?w(x,1); r(x,0)                                        # SER SSER SI SSI",
                "init 0; ?w(x,1) | r(x,1) | r(x,0)                              # -",
                "init 0; ?r(y,9) w(x,1); r(x,0)                                 # SER SSER SI SSI",
                "init 0; ?r(y,9) w(x,1); r(x,1)                                 # -",
                "init 0; ?w(y,9); ?r(y,9) w(x,1); r(x,1)                        # SER SSER SI SSI",
                "init 0; ?w(x,1); ?w(x,1) w(y,1); r(x,1) r(y,0)                 # SER SSER SI SSI",
                "init 0; @0..1 ?w(x,1); @5..6 r(x,0); @7..8 r(x,1)              # SER SSER SI SSI",
                "w(x,1) r(x,1) w(x,2) r(x,2); r(x,null)                         # SER SSER SI SSI",
                "w(x,1) w(x,2); r(x,1)                                          # -",
                "w(x,1) r(x,2); w(x,2)                                          # -",
                "r(x,1) r(x,2); w(x,1); w(x,2)                                  # -",
            })
    void judges(String history, String accepting) {
        List<String> accepted = new ArrayList<>();
        for (Level level : Level.values()) {
            if (BruteForceChecker.accepts(HistoryDsl.parse(history), level)) {
                accepted.add(level.name());
            }
        }
        assertThat(accepted.isEmpty() ? "-" : String.join(" ", accepted)).isEqualTo(accepting);
    }

    @Test
    void nothingCommittedIsInvalid() {
        for (String history : List.of("init 0", "!w(x,1)", "?w(x,1); ?r(x,1)")) {
            assertThat(BruteForceChecker.judge(HistoryDsl.parse(history), Level.SER))
                    .as(history)
                    .isEqualTo(Verdict.INVALID);
        }
    }

    @Test
    void refusesWhatIsTooLarge() {
        String many = "w(x,1) | ".repeat(24) + "w(x,1)";
        assertThatThrownBy(() -> BruteForceChecker.judge(HistoryDsl.parse(many), Level.SER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("25 counted transactions; at most 24 can be tried in every order");
    }

    /** Three independent oracles agree on these verdicts. */
    @ParameterizedTest
    @ValueSource(strings = {OracleCorpus.HISTORIES, OracleCorpus.UNKNOWN, OracleCorpus.GOLDEN})
    void agreesWithTheCorpus(String file) throws IOException {
        Optional<Path> folder = OracleCorpus.folder();
        Assumptions.assumeTrue(folder.isPresent(), "no corpus beside the root and no POLYGRAPH_CORPUS: skipped");
        List<String> disagreements = new ArrayList<>();
        int invalid = 0;
        List<OracleCorpus.Entry> entries = OracleCorpus.read(folder.get().resolve(file));
        for (OracleCorpus.Entry entry : entries) {
            boolean committed = false;
            for (byte outcome : entry.history().statuses()) {
                committed |= outcome == TransactionStatus.COMMITTED.code();
            }
            invalid += committed ? 0 : 1;
            for (Level level : Level.values()) {
                Verdict verdict = BruteForceChecker.judge(entry.history(), level);
                boolean accepts = entry.verdicts().get(level.name());
                Verdict expected = !committed ? Verdict.INVALID : accepts ? Verdict.ACCEPTED : Verdict.REJECTED;
                if (verdict != expected) {
                    disagreements.add(entry.name() + " " + level + " is " + verdict + ", expected " + expected + ": "
                            + HistoryDsl.print(entry.history()));
                }
            }
        }
        assertThat(disagreements).isEmpty();
        assertThat(entries).hasSizeGreaterThan(20);
        assertThat(invalid).isEqualTo(file.equals(OracleCorpus.UNKNOWN) ? 6 : 0);
    }
}
