package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.BruteForceChecker;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SuiteScale;
import org.polygraph.storage.testkit.TinyHistories;

/** Compares the embedded engine, from raw operations to verdict, with brute force. */
class EmbeddedAgainstBruteForceTest {
    @Test
    void agrees() {
        run(0xca11, SuiteScale.of(8_000));
    }

    /** Timestamps may help to accept, and never refute. */
    private static CheckRequest inRealTime(IsolationLevel level) {
        return new CheckRequest(level, TimeMode.HINT, 0, IndeterminateMode.MAYBE);
    }

    /** A tuning, and the results of its checks. */
    private static final class Setting {
        private final String name;
        private final Tuning tuning;
        private final boolean timed;
        private int accepted;
        private int rejected;
        private int solved;
        private int conflicts;
        private int proofs;

        Setting(String name, Tuning tuning, boolean timed) {
            this.name = name;
            this.tuning = tuning;
            this.timed = timed;
        }

        private void judge(HistoryTable history, IsolationLevel level, boolean holds, String what) {
            Verdict verdict = new EmbeddedChecker(tuning)
                    .check(
                            history,
                            timed ? inRealTime(level) : CheckRequest.of(level),
                            Progress.NONE,
                            Budget.unlimited());
            assertThat(verdict.status())
                    .as("%s %s", name, what)
                    .isEqualTo(holds ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
            if (verdict.certificate() != null && verdict.certificate().kind().equals("proof")) {
                assertThat(verdict.certificate().verified())
                        .as("%s %s", name, what)
                        .isTrue();
                proofs++;
            }
            accepted += holds ? 1 : 0;
            rejected += holds ? 0 : 1;
            solved += verdict.residual().constraints() > 0 ? 1 : 0;
            conflicts += verdict.residual().conflicts() > 0 ? 1 : 0;
        }

        private String summary() {
            return name + ": " + accepted + " accepted, " + rejected + " rejected, " + solved + " by the solver, "
                    + conflicts + " with conflicts, " + proofs + " refutations proved";
        }
    }

    private static void run(long seed, int histories) {
        TinyHistories stream = new TinyHistories(seed);
        Setting without = new Setting("no rules", Tuning.DEFAULT.withRounds(Tuning.NO_RULES), false);
        List<Setting> settings = List.of(
                new Setting("as used, in real time", Tuning.DEFAULT, true),
                new Setting("one round", Tuning.DEFAULT.withRounds(1), false),
                without);
        int judged = 0;
        for (int i = 0; i < histories; i++) {
            HistoryTable history = stream.at(i);
            boolean valid = false;
            for (IsolationLevel level : List.of(IsolationLevel.SER, IsolationLevel.SI)) {
                BruteForceChecker.Verdict truth = BruteForceChecker.judge(
                        history,
                        level == IsolationLevel.SER ? BruteForceChecker.Level.SER : BruteForceChecker.Level.SI);
                if (truth == BruteForceChecker.Verdict.INVALID) {
                    continue;
                }
                valid = true;
                String what = HistoryDsl.print(history) + " " + level + " seed " + stream.seedOf(i);
                for (Setting setting : settings) {
                    setting.judge(history, level, truth == BruteForceChecker.Verdict.ACCEPTED, what);
                }
            }
            judged += valid ? 1 : 0;
        }
        System.out.println(judged + " histories at SER and SI, seed " + seed + ", disagreements 0");
        for (Setting setting : settings) {
            System.out.println("  " + setting.summary());
        }
        assertThat(without.proofs).isPositive();
        assertThat(without.conflicts).isPositive();
        assertThat(judged).isGreaterThan(histories / 10 * 9);
    }
}
