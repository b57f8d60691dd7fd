package org.polygraph.jobs.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.certificate.IndeterminateMode;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.testkit.BruteForceChecker;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.TinyHistories;

/** The embedded engine from raw operations to verdict, against brute force. */
class EmbeddedAgainstBruteForceTest {
    @Test
    void agrees() {
        run(0xca11, 30_000);
    }

    @Test
    @Tag("full")
    void agreesAtLength() {
        run(0xdeed, 300_000);
    }

    /** Timestamps may help to accept and never condemn. */
    private static CheckRequest inRealTime(IsolationLevel level) {
        return new CheckRequest(level, TimeMode.HINT, 0, IndeterminateMode.MAYBE);
    }

    private static void run(long seed, int histories) {
        TinyHistories stream = new TinyHistories(seed);
        int accepted = 0;
        int judged = 0;
        int solved = 0;
        int conflicts = 0;
        int proofs = 0;
        for (int i = 0; i < histories; i++) {
            HistoryTable history = stream.at(i);
            for (IsolationLevel level : List.of(IsolationLevel.SER, IsolationLevel.SI)) {
                BruteForceChecker.Verdict truth = BruteForceChecker.judge(
                        history,
                        level == IsolationLevel.SER ? BruteForceChecker.Level.SER : BruteForceChecker.Level.SI);
                if (truth == BruteForceChecker.Verdict.INVALID) {
                    continue;
                }
                for (boolean rules : new boolean[] {true, false}) {
                    Verdict verdict = new EmbeddedChecker(rules)
                            .check(
                                    history,
                                    rules ? inRealTime(level) : CheckRequest.of(level),
                                    Progress.NONE,
                                    Budget.unlimited());
                    assertThat(verdict.status())
                            .as("%s %s seed %d", HistoryDsl.print(history), level, stream.seedOf(i))
                            .isEqualTo(
                                    truth == BruteForceChecker.Verdict.ACCEPTED
                                            ? Verdict.Status.PASS
                                            : Verdict.Status.VIOLATION);
                    if (verdict.certificate() != null
                            && verdict.certificate().kind().equals("proof")) {
                        assertThat(verdict.certificate().verified()).isTrue();
                        proofs++;
                    }
                    judged++;
                    accepted += verdict.status() == Verdict.Status.PASS ? 1 : 0;
                    solved += verdict.residual().constraints() > 0 ? 1 : 0;
                    conflicts += verdict.residual().conflicts() > 0 ? 1 : 0;
                }
            }
        }
        System.out.println(histories + " histories from seed " + seed + ": " + judged + " verdicts, " + accepted
                + " accepted, " + solved + " by the solver, " + conflicts + " with conflicts, " + proofs
                + " refutations proved");
        assertThat(proofs).isPositive();
    }
}
