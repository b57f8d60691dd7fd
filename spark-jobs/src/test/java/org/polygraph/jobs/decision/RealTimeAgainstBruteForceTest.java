package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.BruteForceChecker;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.OracleCorpus;
import org.polygraph.storage.testkit.SuiteScale;
import org.polygraph.storage.testkit.TinyHistories;

/** Compares SSER and SSI, from raw operations to verdict, with all orders and with the corpus. */
class RealTimeAgainstBruteForceTest {
    private static final List<IsolationLevel> LEVELS = List.of(IsolationLevel.SSER, IsolationLevel.SSI);

    @Test
    void agrees() {
        run(0x71e, SuiteScale.of(20_000));
    }

    private static void run(long seed, int histories) {
        TinyHistories stream = new TinyHistories(seed);
        int[] accepted = new int[2];
        int judged = 0;
        for (int i = 0; i < histories; i++) {
            HistoryTable history = stream.at(i);
            if (history.starts() == null) {
                continue;
            }
            for (int l = 0; l < 2; l++) {
                IsolationLevel level = LEVELS.get(l);
                BruteForceChecker.Verdict truth =
                        BruteForceChecker.judge(history, BruteForceChecker.Level.valueOf(level.name()));
                if (truth == BruteForceChecker.Verdict.INVALID) {
                    continue;
                }
                for (boolean rules : new boolean[] {true, false}) {
                    assertThat(status(history, level, rules))
                            .as("%s %s rules %s seed %d", HistoryDsl.print(history), level, rules, stream.seedOf(i))
                            .isEqualTo(
                                    truth == BruteForceChecker.Verdict.ACCEPTED
                                            ? Verdict.Status.PASS
                                            : Verdict.Status.VIOLATION);
                }
                judged++;
                accepted[l] += truth == BruteForceChecker.Verdict.ACCEPTED ? 1 : 0;
            }
        }
        System.out.println(histories + " histories from seed " + seed + ": " + judged + " verdicts, accepted at SSER "
                + accepted[0] + ", SSI " + accepted[1]);
        assertThat(judged).isGreaterThan(histories / 4);
    }

    private static Verdict.Status status(HistoryTable history, IsolationLevel level, boolean rules) {
        return new EmbeddedChecker(rules ? Tuning.DEFAULT : Tuning.DEFAULT.withRounds(Tuning.NO_RULES))
                .check(history, CheckRequest.of(level), Progress.NONE, Budget.unlimited())
                .status();
    }

    @Test
    void agreesWithTheOracles() throws IOException {
        Path folder = OracleCorpus.folder().orElse(null);
        assumeTrue(folder != null, "skipped: no corpus beside the project");
        int judged = 0;
        for (String file : List.of(OracleCorpus.HISTORIES, OracleCorpus.UNKNOWN, OracleCorpus.GOLDEN)) {
            for (OracleCorpus.Entry entry : OracleCorpus.read(folder.resolve(file))) {
                for (IsolationLevel level : LEVELS) {
                    Boolean truth = entry.verdicts().get(level.name());
                    if (truth != null
                            && BruteForceChecker.judge(entry.history(), BruteForceChecker.Level.SER)
                                    != BruteForceChecker.Verdict.INVALID) {
                        assertThat(status(entry.history(), level, true))
                                .as("%s %s %s %s", file, entry.name(), level, HistoryDsl.print(entry.history()))
                                .isEqualTo(truth ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
                        judged++;
                    }
                }
            }
        }
        System.out.println(judged + " verdicts of the oracles agreed with");
        assertThat(judged).isGreaterThan(4_000);
    }
}
